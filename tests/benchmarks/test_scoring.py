from __future__ import annotations

import pytest

from tests.benchmarks.scoring import scores


def score(field: str, want: object, got: object) -> float:
    key = "content_text" if field == "content" else field
    return scores({key: want}, {key: got})[field]


@pytest.mark.parametrize(
    ("field", "want", "got", "expected"),
    [
        ("content", "One two, three.", "one TWO three", 1),
        ("content", "one two", "one two three four", 2 / 3),
        ("content", "我的博客", "我的", 2 / 3),
        ("content", "one", None, 0),
        ("title", "A “quiet” day – by night", 'a "Quiet"  day - by night', 1),
        ("title", "A day", "A day | Blog", 0),
        ("title", "A day", None, 0),
        ("published", "2014-05-02T23:30:00+02:00", "2014-05-02T21:30:00+00:00", 1),
        ("published", "2014-05-02T23:30:00+02:00", "2014-05-03T00:30:00+02:00", 0),
        ("published", "2014-05-02T23:30:00+02:00", "2014-05-03", 1),
        ("published", "2014-05-02", "2014-05-04", 0),
        ("published", "2014-05-02", None, 0),
        ("published", "2014-05-02", "2 May 2014", 0),
        ("authors", ["Ann Keller"], ["ann keller"], 1),
        ("authors", ["Ann", "Bob"], ["Ann"], 0),
        ("authors", [], [], 1),
        ("tags", ["a", "b"], ["#A"], 2 / 3),
        ("tags", [], [], 1),
        ("tags", [], ["a"], 0),
        ("language", "en-GB", "en", 1),
        ("language", "nb", "no", 1),
        ("language", "en", None, 0),
    ],
)
def test_score(field: str, want: object, got: object, expected: float) -> None:
    assert score(field, want, got) == pytest.approx(expected)


def test_what_the_truth_does_not_know_is_not_scored() -> None:
    assert scores({"title": None, "content_text": "…", "published": "soon"}, {"title": "A"}) == {}
