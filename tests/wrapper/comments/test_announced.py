"""How many comments a page says that its post has."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.dom import parse
from blogcrawler.wrapper.comments import announced

URL = "http://example.org/2020/a-post/"


def read(markup: str) -> int | None:
    return announced(parse(f"<!DOCTYPE html><body><main><h1>A post</h1><p>Some words.</p>{markup}</main>"), URL)


@pytest.mark.parametrize(
    ("markup", "count"),
    [
        ("<h3>4 Comments</h3>", 4),
        ("<h3>5 responses to <em>A title</em></h3>", 5),
        ("<h3>5 responses to the first letter</h3>", None),
        ("<h3>Comments (12)</h3>", 12),
        ("<h3>Comments: 0</h3>", 0),
        ("<h3><span>4</span> <span>Comments</span></h3>", 4),
        ("<div><div><b>7</b></div><div>replies</div></div>", 7),
        ("<p>3 Kommentare</p>", 3),
        ("<p>Комментариев: 21</p>", 21),
        ("<h2>5件のコメント</h2>", 5),
        ("<h2>댓글 4개</h2>", 4),
        ("<a href='#comments'>4 comments</a>", 4),
        ("<a href='/2020/a-post/#comments'>4 comments</a><h3>4 comments</h3>", 4),
        ("<a href='/2020/another/#comments'>9 comments</a>", None),
        ("<a href='/2020/another/#comments'><b>9</b> comments</a><h3>2 comments</h3>", 2),
        ("<h3>4 comments</h3><h3>5 comments</h3>", None),
        ("<h3>Comments</h3>", None),
        ("<h3>Comments on 4 of these</h3>", None),
        ("<p>There were 4 comments below the last post, and all of them were kind.</p>", None),
        ("<p>2.4 comments</p>", None),
        ("<script>'4 comments'</script>", None),
    ],
)
def test_what_a_page_says(markup, count):
    assert read(markup) == count


def test_many_such_words_are_read_in_time():
    assert read("<p>" + "<i>comments</i> " * 20_000 + "</p>") is None


@given(st.integers(0, 999_999), st.sampled_from(["{} comments", "Comentarios: {}", "{} reacties", "({}) yorum"]))
def test_any_number(number, form):
    assert read(f"<div><span>{form.format(number)}</span></div>") == number


@given(st.text(max_size=60))
def test_any_text_is_read(text):
    found = read(f"<h3>{text}</h3>")
    assert found is None or str(found).isdecimal()
