"""Whether one configuration is better than another, or the questions drawn were kind to it.

The paired randomisation test (Fisher; for retrieval: Smucker, Allan and Carterette, "A Comparison of Statistical
Significance Tests for Information Retrieval Evaluation", CIKM 2007) asks how often chance would give a difference as
great, were it a toss for each question which configuration got which figure. It assumes nothing of how figures are
distributed.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

DRAWS = 20_000
SEED = 20070101
_EXACT = 14
"""Up to so many questions that differ, all tosses are looked at instead of some drawn."""

_BLOCK = 4_000_000
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What a configuration gains over another on the same questions, in the mean.

    `low` and `high` bound it with 95 % confidence (percentile bootstrap). `p` is two-sided, `corrected` the same by
    Holm's method for all configurations that were compared. Questions are counted by which fared better.
    """

    mean: float
    low: float
    high: float
    p: float
    corrected: float
    better: int
    worse: int
    equal: int


def differences_of(
    reference: Sequence[float], figures_by_name: Mapping[str, Sequence[float]], *, seed: int = SEED
) -> dict[str, Difference]:
    """Compare each configuration's figures, one a question in the same order, with those of the reference."""
    paired = {
        name: [one - other for one, other in zip(figures, reference, strict=True)]
        for name, figures in figures_by_name.items()
    }
    chances = {name: randomisation_p(differences, seed=seed) for name, differences in paired.items()}
    corrected = dict(zip(chances, holm(list(chances.values())), strict=True))
    return {
        name: _difference(differences, p=chances[name], corrected=corrected[name], seed=seed)
        for name, differences in paired.items()
    }


def randomisation_p(differences: Sequence[float], *, seed: int = SEED, draws: int = DRAWS) -> float:
    """Return the two-sided chance of a mean as far from 0 as this one, were each difference's sign a toss.

    Exact for few differences, else of `draws` tosses, with the observed one among them so that it is never 0
    (Phipson and Smyth, "Permutation P-values Should Never Be Zero", 2010).
    """
    import numpy as np  # noqa: PLC0415  it costs a command that evaluates nothing too much to load

    moved = np.array([difference for difference in differences if abs(difference) > _ROUNDING])
    if not len(moved):
        return 1.0
    least = abs(moved.sum()) - _ROUNDING * len(moved)
    if len(moved) <= _EXACT:
        tosses = (np.arange(2 ** len(moved))[:, None] >> np.arange(len(moved))) & 1
        return float((np.abs((tosses * 2 - 1) @ moved) >= least).mean())
    chance = np.random.default_rng(seed)
    as_great = 0
    for rows in _blocks(draws, len(moved)):
        signs = chance.integers(0, 2, size=(rows, len(moved)), dtype=np.int8) * 2 - 1
        as_great += int((np.abs(signs @ moved) >= least).sum())
    return (as_great + 1) / (draws + 1)


def bootstrap_interval(
    differences: Sequence[float], *, seed: int = SEED, draws: int = DRAWS // 2
) -> tuple[float, float]:
    """Return the bounds that the mean keeps within for 95 % of the samples drawn from the questions."""
    import numpy as np  # noqa: PLC0415  as above

    values = np.array(differences)
    chance = np.random.default_rng(seed)
    means = [
        values[chance.integers(0, len(values), size=(rows, len(values)))].mean(axis=1)
        for rows in _blocks(draws, len(values))
    ]
    low, high = np.quantile(np.concatenate(means), [0.025, 0.975])
    return float(low), float(high)


def holm(chances: Sequence[float]) -> list[float]:
    """Return the p-values corrected for being several (Holm, "A Simple Sequentially Rejective Procedure", 1979)."""
    corrected = [0.0] * len(chances)
    highest = 0.0
    for place, at in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        highest = max(highest, min(1.0, (len(chances) - place) * chances[at]))
        corrected[at] = highest
    return corrected


def _difference(differences: Sequence[float], *, p: float, corrected: float, seed: int) -> Difference:
    low, high = bootstrap_interval(differences, seed=seed)
    better = sum(difference > _ROUNDING for difference in differences)
    worse = sum(difference < -_ROUNDING for difference in differences)
    return Difference(
        mean=math.fsum(differences) / len(differences),
        low=low,
        high=high,
        p=p,
        corrected=corrected,
        better=better,
        worse=worse,
        equal=len(differences) - better - worse,
    )


def _blocks(draws: int, width: int) -> list[int]:
    """Return how many draws to make at a time, so that no block takes much memory."""
    size = max(1, _BLOCK // width)
    return [min(size, draws - start) for start in range(0, draws, size)]
