"""Whether a difference is more than chance."""

import pytest

from chalicelib.evaluation.significance import bootstrap_interval, differences_of, holm, randomisation_p

# 60 differences; scipy.stats.permutation_test (200,000 resamples, samples permuted) gives p 0.0152, and
# scipy.stats.bootstrap (percentile, 100,000 resamples) 0.0054 to 0.0431.
_SIXTY = [
    *(-0.015, -0.074, 0.041, -0.02, 0.046, -0.001, 0.147, 0.126, 0.071, -0.065, 0.024, 0.003, 0.1, -0.029, 0.166),
    *(-0.086, -0.033, 0.095, 0.024, 0.18, 0.028, -0.031, -0.01, -0.067, -0.082, 0.07, 0.066, 0.124, -0.04, 0.155),
    *(-0.003, 0.146, -0.015, -0.039, 0.04, 0.103, 0.033, -0.027, -0.066, -0.092, 0.06, 0.099, 0.007, -0.066, 0.09),
    *(-0.082, -0.037, 0.07, -0.16, 0.051, -0.027, 0.029, 0.014, 0.036, 0.076, -0.041, 0.134, 0.078, 0.087, 0.052),
]


def test_chance_of_few_differences_is_exact() -> None:
    # scipy.stats.permutation_test with every resample
    differences = [0.1, -0.05, 0.3, 0.0, 0.2, 0.1, 0.4, -0.05]
    assert randomisation_p(differences) == 0.09375
    assert randomisation_p([0.5]) == 1.0
    assert randomisation_p([0.1] * 5) == 2 / 2**5


def test_chance_of_many_differences_is_drawn_near_the_exact_one() -> None:
    assert randomisation_p(_SIXTY) == pytest.approx(0.0152, abs=0.003)
    assert randomisation_p([-one for one in _SIXTY]) == randomisation_p(_SIXTY)


def test_bounds_are_those_of_a_percentile_bootstrap() -> None:
    assert bootstrap_interval(_SIXTY) == pytest.approx((0.0054, 0.0431), abs=0.001)


def test_the_same_seed_gives_the_same_figures_and_another_one_others() -> None:
    assert randomisation_p(_SIXTY, seed=1) == randomisation_p(_SIXTY, seed=1)
    assert bootstrap_interval(_SIXTY, seed=1) == bootstrap_interval(_SIXTY, seed=1)
    assert bootstrap_interval(_SIXTY, seed=1) != bootstrap_interval(_SIXTY, seed=2)


def test_no_difference_is_no_evidence_and_no_chance_is_zero() -> None:
    assert randomisation_p([0.0] * 40) == 1.0
    assert randomisation_p([0.3] * 400) == 1 / 20_001


def test_several_comparisons_are_held_to_more() -> None:
    # The values are those of p.adjust in R.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.7, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


def test_differences_say_by_how_much_and_for_how_many() -> None:
    reference = [0.5, 0.5, 0.5, 0.5]
    found = differences_of(reference, {"same": reference, "other": [1.0, 0.5, 0.25, 1.0]})
    assert (found["same"].mean, found["same"].p, found["same"].equal) == (0.0, 1.0, 4)
    other = found["other"]
    assert (other.mean, other.better, other.worse, other.equal) == (0.1875, 2, 1, 1)
    assert other.low < 0 < other.mean < other.high
    assert (other.p, other.corrected) == (0.5, 1.0)
