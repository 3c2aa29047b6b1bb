from __future__ import annotations

import pytest

from tests.benchmarks.growth import BAR, SERIES, Series, exponent, measure

RUNS = 3
ATTEMPTS = 3


def test_the_exponent_is_that_of_the_power() -> None:
    sizes = [1, 2, 4, 8]
    assert exponent(sizes, [3 * size**2 for size in sizes]) == pytest.approx(2)
    assert exponent(sizes, [5.0] * len(sizes)) == pytest.approx(0)


@pytest.mark.slow
@pytest.mark.parametrize("series", SERIES, ids=str)
def test_time_is_linear(series: Series) -> None:
    found = []
    for _ in range(ATTEMPTS):  # another process may take the machine in the middle of one of them
        found.append(exponent(series.sizes, measure(series, RUNS)))
        if found[-1] <= BAR:
            return
    pytest.fail(f"Time grows with the power {min(found):.2f} of the size.")
