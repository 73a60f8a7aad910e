"""What every reranker's work has in common: which passages are sent, and what is made of the scores."""

import math
from collections.abc import Mapping, Sequence

from chalicelib.platform.errors import RerankerUnavailable
from chalicelib.platform.pieces import cleaned, estimated_tokens, has_meaning
from chalicelib.platform.ports import Ranking
from chalicelib.platform.provider_calls import CallFailed, Outcome

TRIES = 2
_ROUNDING = 0.01


def readable_passages(passages: Sequence[str], *, characters: int | None = None) -> Mapping[int, str]:
    """Return by place those that a model can read, cut to `characters` if given; the others have no relevance."""
    texts = {place: cleaned(passage)[:characters] for place, passage in enumerate(passages)}
    return {place: text for place, text in texts.items() if has_meaning(text)}


def read_scores(results: object, *, passages: int, names: Sequence[str]) -> dict[int, float]:
    """Return scores by `index` from a list of results, by whichever of the names. Raises CallFailed (unreadable).

    All passages have one: what is left out would be taken for irrelevant, and nobody said so.
    """
    if not isinstance(results, list):
        raise CallFailed(Outcome.UNREADABLE, "gave no list of results")
    scores: dict[int, float] = {}
    for result in results:
        fields = result if isinstance(result, dict) else {}
        index = fields.get("index")
        value = next((fields[name] for name in names if name in fields), None)
        if type(index) is not int or not 0 <= index < passages or index in scores:
            raise CallFailed(Outcome.UNREADABLE, "gave results with indexes that are absent, double or unknown")
        score = _finite(value)
        if score is None:
            raise CallFailed(Outcome.UNREADABLE, "gave scores that are no numbers")
        scores[index] = score
    if len(scores) != passages:
        raise CallFailed(Outcome.UNREADABLE, f"gave {len(scores)} scores for {passages} passages")
    return scores


def ranking_of(
    scores: Mapping[int, float], *, question: str, sent: Mapping[int, str], passages: int, tokens: int | None
) -> Ranking:
    """Return scores from 0 to 1 for all passages, from those of the sent ones by their place among these.

    Some servers give what their model says before the logistic function that ends cross-encoders: where a score lies
    outside of 0 to 1, all go through it, which keeps their order.
    """
    is_raw = any(not -_ROUNDING <= score <= 1 + _ROUNDING for score in scores.values())
    final = [0.0] * passages
    for number, place in enumerate(sent):
        final[place] = _logistic(scores[number]) if is_raw else min(1.0, max(0.0, scores[number]))
    read = sum(estimated_tokens(question) + estimated_tokens(text) for text in sent.values())
    return Ranking(scores=final, tokens=read if tokens is None else tokens)


def unavailable(name: str, failed: CallFailed) -> RerankerUnavailable:
    """Return the error for a call that came to nothing."""
    members = {} if failed.wait is None else {"retry_after": round(failed.wait, 3)}
    return RerankerUnavailable(f"The reranker {name} {failed.detail}; try again later.", reranker=name, **members)


def _finite(value: object) -> float | None:
    """Return a number that a float can be; JSON has integers that none can."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _logistic(score: float) -> float:
    return 1 / (1 + math.exp(-max(-60.0, min(60.0, score))))
