"""What did not succeed is tried again after longer and longer pauses."""

from __future__ import annotations

from dataclasses import asdict

from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.crawl.update.retry_schedule import LONGEST, RetrySchedule


def used(occasions):
    """The numbers of the occasions that are used, all in vain; it is kept as JSON in between."""
    found, schedule = [], RetrySchedule()
    for number in range(occasions):
        if schedule.is_due:
            found.append(number)
        schedule = RetrySchedule(**asdict(schedule.failed() if schedule.is_due else schedule.skipped()))
    return found


def test_pauses_double():
    assert used(70) == [0, 1, 3, 7, 15, 31, 47, 63]


@given(st.integers(0, 200))
def test_one_of_so_many_is_used(number):
    assert any(number - LONGEST < one <= number for one in used(number + 1))
