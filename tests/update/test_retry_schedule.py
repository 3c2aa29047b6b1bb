"""What did not succeed is tried again after longer and longer pauses."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.crawl.update.update_memory import LONGEST_PAUSE, RetrySchedule
from blogcrawler.serialise import dump, load


def used(occasions):
    """The numbers of the occasions that are used, all in vain; it is kept as JSON in between."""
    found, schedule = [], RetrySchedule()
    for number in range(occasions):
        if schedule.is_due:
            found.append(number)
        schedule = load(RetrySchedule, dump(schedule.after()))
    return found


def test_pauses_double():
    assert used(70) == [0, 1, 3, 7, 15, 31, 47, 63]


@given(st.integers(0, 200))
def test_one_of_so_many_is_used(number):
    assert any(number - LONGEST_PAUSE < one <= number for one in used(number + 1))
