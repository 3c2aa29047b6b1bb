"""What is known to have been announced before an update, whatever parts it had."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.backend import KnownPost
from blogcrawler.crawl.update.update_memory import Announcements

NOW = datetime(2026, 11, 1, tzinfo=UTC)
KEYS = ["a", "b", "c"]


def at(minutes):
    return NOW + timedelta(minutes=minutes)


def kept(minutes):
    """A post whose record was kept last at a time."""
    return KnownPost("http://blog.example.org/", None, None, None, None, None, None, NOW, NOW, at(minutes))


def test_nothing_is_known_before():
    assert Announcements().of("a", None) is None


def test_what_an_update_acts_upon_is_known_of_posts_that_it_has_kept():
    earlier = Announcements({"a": "old", "b": "old"})
    earlier.begin({"a": "new", "b": "new", "c": "new"}, {}, now=at(0))
    assert earlier.of("a", kept(1)) == "new"
    assert earlier.of("b", kept(-9)) == "old"
    assert earlier.of("c", None) is None


def test_all_of_it_is_known_at_the_end():
    earlier = Announcements({"a": "old", "b": "old"})
    earlier.begin({"a": "new"}, {}, now=at(0))
    earlier.complete()
    assert (earlier.of("a", kept(-9)), earlier.of("b", kept(-9))) == ("new", "old")
    assert earlier == Announcements({"a": "new", "b": "old"})


def test_what_is_not_announced_to_a_second_part_stays_known():
    earlier = Announcements({"a": "old"})
    earlier.begin({"a": "new", "b": "new"}, {}, now=at(0))
    earlier.begin({}, {"a": kept(1), "b": kept(-9)}, now=at(2))
    assert (earlier.of("a", kept(1)), earlier.of("b", kept(-9))) == ("new", None)


@given(
    st.lists(st.tuples(st.dictionaries(st.sampled_from(KEYS), st.integers(0, 3)), st.sets(st.sampled_from(KEYS)))),
    st.dictionaries(st.sampled_from(KEYS), st.integers(0, 3)),
)
def test_what_is_known_is_what_each_post_was_kept_with(parts, settled):
    """To each part something is announced; it acts upon that for some posts, before it is cut short."""
    earlier, known, posts = Announcements(dict(settled)), dict(settled), {}
    for number, (announced, acted_upon) in enumerate(parts):
        earlier.begin(announced, posts, now=at(10 * number))
        posts |= {key: kept(10 * number + 1) for key in acted_upon & announced.keys()}
        known |= {key: announced[key] for key in acted_upon & announced.keys()}
        earlier = Announcements.from_dict(earlier.to_dict("said"), "said")
        assert {key: earlier.of(key, posts.get(key)) for key in KEYS} == {key: known.get(key) for key in KEYS}
