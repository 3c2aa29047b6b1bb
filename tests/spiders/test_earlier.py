"""What is known to have been said before an update, whatever parts it had."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.crawl.update.announcements import Earlier

NOW = datetime(2026, 11, 1, tzinfo=UTC)
KEYS = ["a", "b", "c"]


def at(minutes):
    return NOW + timedelta(minutes=minutes)


def test_nothing_is_known_before():
    assert Earlier().of("a", None) is None


def test_what_an_update_was_told_is_known_of_posts_that_it_has_kept():
    earlier = Earlier({"a": "old", "b": "old"})
    earlier.begin({"a": "new", "b": "new", "c": "new"}, {}, now=at(0))
    assert earlier.of("a", at(1)) == "new"
    assert earlier.of("b", at(-9)) == "old"
    assert earlier.of("c", None) is None


def test_all_of_it_is_known_at_the_end():
    earlier = Earlier({"a": "old", "b": "old"})
    earlier.begin({"a": "new"}, {}, now=at(0))
    earlier.end()
    assert (earlier.of("a", at(-9)), earlier.of("b", at(-9))) == ("new", "old")
    assert earlier == Earlier({"a": "new", "b": "old"})


def test_what_a_second_part_does_not_tell_stays_known():
    earlier = Earlier({"a": "old"})
    earlier.begin({"a": "new", "b": "new"}, {}, now=at(0))
    earlier.begin({}, {"a": at(1), "b": at(-9)}, now=at(2))
    assert (earlier.of("a", at(1)), earlier.of("b", at(-9))) == ("new", None)


@given(
    st.lists(st.tuples(st.dictionaries(st.sampled_from(KEYS), st.integers(0, 3)), st.sets(st.sampled_from(KEYS)))),
    st.dictionaries(st.sampled_from(KEYS), st.integers(0, 3)),
)
def test_what_is_known_is_what_each_post_was_kept_with(parts, said):
    """Each part tells something, and acts upon it for some posts, before it is cut short."""
    earlier, known, kept = Earlier(dict(said)), dict(said), {}
    for number, (told, acted_upon) in enumerate(parts):
        earlier.begin(told, kept, now=at(10 * number))
        kept |= dict.fromkeys(acted_upon & told.keys(), at(10 * number + 1))
        known |= {key: told[key] for key in acted_upon & told.keys()}
        earlier = Earlier.from_dict(earlier.to_dict("said"), "said")
        assert {key: earlier.of(key, kept.get(key)) for key in KEYS} == {key: known.get(key) for key in KEYS}
