"""Of several nodes that a rule selects, the one nearest to the article is the post's."""

from __future__ import annotations

import pytest

from blogcrawler.dom import parse
from tests.wrapper.pages import OLD, POSTS, Post, Template, layout, learned, prose


def plain(before: str = "", after: str = "") -> Template:
    """A template with markup of the same names as the post's elsewhere on the page."""

    def template(one: Post) -> str:
        head = f"<h2 class=t>{one.title}</h2><p class=w>{one.published:%d %B %Y}</p><p class=who>{one.author}</p>"
        return layout(f"{before}<div class=post>{head}<div class=e>{one.body}</div></div>{after}")

    return template


BOX = "<div class=box><h2 class=t>Our book</h2><p class=w>1 January 1999</p><p class=who>The press</p></div>"


@pytest.mark.parametrize("template", [plain(BOX), plain(BOX, BOX), plain(f"<div>{BOX}</div>"), plain("", BOX)])
def test_a_box_that_no_training_page_had(template: Template) -> None:
    wrapper = learned(plain())
    for one in OLD:
        found = wrapper.extract(parse(template(one)), one.url)
        assert (found.title, found.authors) == (one.title, [one.author])
        assert found.published == one.published.date().isoformat()


def test_headings_of_the_article_are_not_its_title() -> None:
    def with_headings(one: Post) -> str:
        return plain()(one).replace("<div class=e>", f"<div class=e><h2 class=t>{prose('part', 3)}</h2>")

    wrapper = learned(plain())
    assert [wrapper.extract(parse(with_headings(one))).title for one in OLD] == [one.title for one in OLD]


def test_what_stands_first_on_training_pages_stays_the_first() -> None:
    def template(one: Post) -> str:
        return layout(f"<h2>{one.title}</h2><div><div><h2>Related</h2><div class=e>{one.body}</div></div></div>")

    wrapper = learned(template, POSTS)
    assert [wrapper.extract(parse(template(one))).title for one in OLD] == [one.title for one in OLD]


def test_what_stood_in_the_container_is_sought_there() -> None:
    def template(one: Post, before: str = "") -> str:
        return layout(f"{before}<div class=e><h2 class=t>{one.title}</h2>{one.body}</div>")

    wrapper = learned(template)
    for one in OLD:
        assert wrapper.extract(parse(template(one, "<h2 class=t>Newest first</h2>"))).title == one.title
