from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.dates import Moment, date_in_url


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/2014/05/02/a-post/",
        "http://example.org/blog/2014/5/2",
        "http://example.org/2014/05/02.html",
        "http://example.org/2014/may/02/a-post",
        "http://example.org/2014/mai/02/billet",
        "http://example.org/posts/2014-05-02-a-post.html",
        "http://example.org/2014-05-02/",
        "http://example.org/2014_05_02_archive.html",
        "http://example.org/news/20140502/",
        "http://example.org/20140502-slug",
        "http://example.org/99/2014/05/02/2013-01-01-trip",
        "/2014/05/02/relative",
    ],
)
def test_day_in_path(url: str) -> None:
    assert date_in_url(url) == Moment(2014, 5, 2)


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/2014/05/",
        "http://example.org/2014/05/a-post",
        "http://example.org/2014/05/7-things",
        "http://example.org/2014/05/02nd-try",
        "http://example.org/2014/13/02/x",
        "http://example.org/1850/05/02/letter",
        "http://example.org/2201/05/02/x",
        "http://example.org/120140502/",
        "http://example.org/id-99140502",
        "http://example.org/2014-02-30-x",
        "http://2014-05-02.example.org/x",
        "http://example.org/?d=2014-05-02",
        "http://[bad/2014/05/02/",
        "",
    ],
)
def test_no_day_in_path(url: str) -> None:
    assert date_in_url(url) is None


@given(st.text(max_size=80))
def test_never_raises(text: str) -> None:
    moment = date_in_url(text)
    assert moment is None or 1990 <= moment.year <= 2100
