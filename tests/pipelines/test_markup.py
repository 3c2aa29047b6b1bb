"""What the second stage makes of a page beside the wrapper's fields."""

from __future__ import annotations

import pytest

from blogcrawler.dom import parse
from blogcrawler.items import Entry, Page, Record, RecordSource
from blogcrawler.pipelines.content import fill
from blogcrawler.wrapper import Example, learn
from tests.wrapper.pages import OLD, POSTS, Post, layout

FORM = (
    "<p>This is protected. Please enter your password:</p><form><input type=password name=p><input type=submit></form>"
)


def page_of(one: Post, body: str, head: str = "") -> str:
    return layout(f"<h1>{one.title}</h1><p class=d>{one.published:%d %B %Y}</p><div class=e>{body}</div>", head=head)


def filled(body: str, head: str = "", entry: Entry | None = None) -> Record:
    wrapper = learn(Example(parse(page_of(one, one.body)), one.entry(), one.url) for one in POSTS)
    page = Page(OLD[0].url, page_of(OLD[0], body, head).encode(), fetched="2015-01-01T00:00:00+00:00")
    record = Record("http://blog.test/", OLD[0].url, source=RecordSource(page, wrapper, entry))
    fill(record)
    return record


@pytest.mark.parametrize(
    "entry", [None, Entry(OLD[0].url, title="Protected", content_html="<p>There is no excerpt.</p>", is_summary=True)]
)
def test_a_locked_post_has_no_article(entry: Entry | None) -> None:
    record = filled(FORM, entry=entry)
    assert record.title
    assert record.content_html is None
    assert record.content_text is None
    assert record.provenance.fields["content"].rule == "password form"


def test_a_post_about_passwords_has_one() -> None:
    record = filled(OLD[0].body + FORM)
    assert "Please enter your password" in (record.content_text or "")


def test_addresses_are_relative_to_the_base_of_the_page() -> None:
    record = filled(OLD[0].body + "<p><img src=i.png></p>", head="<base href='http://files.test/b/'>")
    assert 'src="http://files.test/b/i.png"' in (record.content_html or "")


@pytest.mark.parametrize(
    ("head", "want"),
    [
        ("<meta name=Generator content=' Blog  4.2 '>", "Blog 4.2"),
        ("<meta name=generator><meta content=a name=x><meta name=generator content=b>", "b"),
        ("<meta name=generator content=''>", None),
        ("", None),
    ],
)
def test_the_generator(head: str, want: str | None) -> None:
    assert filled(OLD[0].body, head).provenance.generator == want
