"""What models cost by the settings."""

from decimal import Decimal

from chalicelib.platform.embedding_models import MODELS_BY_NAME, PAIR
from chalicelib.settings import Settings
from chalicelib.usage.prices import Price, Prices


def prices_of(settings: Settings) -> Prices:
    """Return the deployment's prices; no token is billed of models that it runs itself."""
    return Prices(
        {
            prefix: Price(price.get("input", Decimal(0)), price.get("output", Decimal(0)))
            for prefix, price in settings.model_prices.items()
        },
        in_house=frozenset({*MODELS_BY_NAME, PAIR, "local/", "local:"}),
        currency=settings.currency,
    )
