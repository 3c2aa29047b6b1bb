"""Which texts of feeds are markup, and what becomes of them."""

from __future__ import annotations

from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.dom import fragment, inline_text
from blogcrawler.feeds import parse_feed
from blogcrawler.feeds.texts import as_html, is_html, title_text
from blogcrawler.items import Entry

URL = "http://blog.example/feed"

MARKUP = [
    "First.<p>Second.<p>Third.",
    'Look: <embed src="http://v.example/1"> fine, <script src="x.js"></script> more',
    "<iframe src=http://v.example/1>",
    "<iframe src='http://v.example/1'/>",
    "<math><mi>a</mi></math>",
    "Area <svg viewBox='0 0 1 1'><path d='M0'/></svg>",
    "<form action=/s><button>Go</button>",
    "one<BR>two",
    "a <b>bold</b> word",
    "<ul><li>one<li>two",
    "Tom &amp; Ann",
    "<picture><source srcset=a.webp><img src=a.png></picture>",
    "<DIV CLASS=x>Text",
]
TEXTS = [
    "a < b and c > d",
    "generics such as List<String> and Map<Object>",
    "x <3 y",
    "mail <ann@example.org>",
    "<T extends Comparable<T>>",
    "if a<b then",
    "#include <stdio.h>",
    "<placeholder> is <your-name>",
    "AT&T",
    "",
]


@pytest.mark.parametrize("text", MARKUP)
def test_markup_stays_markup(text: str) -> None:
    assert as_html(text) == text


@pytest.mark.parametrize("text", TEXTS)
def test_text_is_escaped(text: str) -> None:
    assert not is_html(text)
    assert inline_text(fragment(as_html(text))) == text


@pytest.mark.parametrize("text", [*TEXTS, "Use the <b> tag", "The <script> element", "Why <main> and <article>?"])
def test_a_title_of_text_keeps_its_signs(text: str) -> None:
    assert title_text(text) == text


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("An <em>early</em> spring", "An early spring"),
        ("List<String> in <code>Java</code>", "List<String> in Java"),
        ("One<br/>two", "One two"),
        ("Tom &amp; <b>", "Tom & <b>"),
        ("<a href=/x>Title", "Title"),
    ],
)
def test_a_title_of_markup(raw: str, expected: str) -> None:
    assert title_text(raw) == expected


def entry(kind: str | None, value: str) -> Entry:
    """Of an Atom feed whose title, and whose article, is a value of a declared type."""
    told = "" if kind is None else f' type="{kind}"'
    feed = (
        f'<feed xmlns="http://www.w3.org/2005/Atom"><title>B</title><entry><title{told}>{value}</title><id>u</id>'
        f'<link href="http://blog.example/a"/><content{told}>{value}</content></entry></feed>'
    )
    return parse_feed(feed.encode(), URL).entries[0]


@pytest.mark.parametrize("text", [*MARKUP, *TEXTS[:-1], "Use the <b> tag"])
def test_the_type_that_atom_declares_decides(text: str) -> None:
    assert entry("html", escape(text)).content_html in (text, as_html(text))
    plain = entry("text", escape(text))
    assert (plain.title or "").split() == text.split() or "&" in text
    assert inline_text(fragment(plain.content_html or "")).split() == text.split()
    assert entry(None, escape(text)).content_html == as_html(text)


def test_formulas_in_xhtml_stay_formulas() -> None:
    inner = '<math xmlns="http://www.w3.org/1998/Math/MathML"><mi>a</mi></math>'
    found = entry("xhtml", f'<div xmlns="http://www.w3.org/1999/xhtml">{inner}</div>').content_html
    assert found is not None
    assert "<mi>a</mi>" in found


@pytest.mark.parametrize(
    "top",
    [
        '<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://site.invalid/">',
        "<!doctype html>\n<!-- a comment -->\n",
    ],
)
def test_a_feed_under_the_document_type_of_a_page(top: str) -> None:
    feed = f"{top}<rss version='2.0'><channel><title>B</title><item><title>&#X41;pril</title><link>/a</link></item></channel></rss>"
    assert [one.title for one in parse_feed(feed.encode(), URL).entries] == ["April"]


@given(st.text(alphabet="ab <>/=&;\"'#x1", max_size=60))
def test_any_text_is_text_or_markup(text: str) -> None:
    html = as_html(text)
    assert html == text or is_html(text) is False
    assert inline_text(fragment(as_html(text, is_markup=False))).split() == text.split()
    assert "\n" not in title_text(text)
    assert title_text(text, is_markup=False).split() == text.split() or "&" in text


@given(
    st.lists(
        st.sampled_from(["a", "<", ">", "<p", "<b>", "</b>", " x=", '"', "&amp;", "<List", "<mi>", "\n\n"]), max_size=30
    )
)
def test_marking_up_twice_is_once(pieces: list[str]) -> None:
    html = as_html("".join(pieces))
    assert as_html(html) == html or not is_html(html)
