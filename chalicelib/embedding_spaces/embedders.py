"""The embedders that a deployment offers, by their spaces."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from chalicelib.embedding_spaces.model import Choice
from chalicelib.platform.ports import Embedder
from chalicelib.usage.account import Account
from chalicelib.usage.metered import MeteredEmbedder


@dataclass(frozen=True, slots=True)
class Embedders:
    """Embedders by the names of their spaces, the default first; none where search goes by words alone."""

    by_space: Mapping[str, Embedder] = field(default_factory=dict)

    @classmethod
    def of(cls, *embedders: Embedder) -> "Embedders":
        """Offer these, the first by default. Of two with the same space the first is taken."""
        by_space: dict[str, Embedder] = {}
        for embedder in embedders:
            by_space.setdefault(embedder.space, embedder)
        return cls(by_space)

    def metered(self, account: Account) -> "Embedders":
        """Offer the same, their tokens counted in an account, and stopped by its budget."""
        return Embedders({space: MeteredEmbedder(embedder, account) for space, embedder in self.by_space.items()})

    def __iter__(self) -> Iterator[Embedder]:
        return iter(self.by_space.values())

    def __bool__(self) -> bool:
        return bool(self.by_space)

    @property
    def default(self) -> Embedder | None:
        """What a new organization is given."""
        return next(iter(self), None)

    def find(self, space: str | None) -> Embedder | None:
        """Return the embedder of a space, None where it is not offered."""
        return None if space is None else self.by_space.get(space)

    def active(self, choice: Choice) -> Embedder | None:
        """Return what the questions of an organization are embedded by; None goes by words alone.

        One that has chosen nothing yet has no vectors: it gets the default with its first ones.
        """
        return self.default if choice.active is None else self.find(choice.active)

    def written(self, choice: Choice) -> Sequence[Embedder]:
        """Return those of the spaces that new chunks get vectors in, as far as they are offered, the active first."""
        return [self.by_space[space] for space in choice.written if space in self.by_space]
