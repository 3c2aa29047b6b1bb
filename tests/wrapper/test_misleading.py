"""Feeds whose fields are not what they are called: AdaptivePost's kinds of misleading feeds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from blogcrawler.dom import parse
from blogcrawler.items import Entry
from blogcrawler.wrapper import Example, Wrapper, learn
from tests.wrapper.pages import OLD, POSTS, Post, Template, article, classic, extracted, layout, modern, words

TEMPLATES = pytest.mark.parametrize("template", [classic, modern])


def taught(template: Template, entry: Callable[[Post], Entry]) -> Wrapper:
    return learn([Example(parse(template(one)), entry(one), one.url) for one in POSTS])


def reads(wrapper: Wrapper, template: Template) -> None:
    for one in OLD:
        found = extracted(wrapper, template, one)
        assert (found.title, words(found)) == (one.title, article(one))
        assert found.sources["title"].source == "rule"
        assert found.authors == [one.author]


@TEMPLATES
def test_the_author_in_the_title_and_the_title_in_the_author(template: Template) -> None:
    wrapper = taught(template, lambda one: one.entry(title=one.author, authors=(one.title,)))
    reads(wrapper, template)
    assert set(wrapper.distrusted) == {"title", "authors"}


@TEMPLATES
def test_the_author_in_the_title_and_no_title(template: Template) -> None:
    wrapper = taught(template, lambda one: one.entry(title=one.author))
    reads(wrapper, template)
    assert wrapper.distrusted == ("title",)


@TEMPLATES
@pytest.mark.parametrize("head", ["<h2>{}</h2>", "<b>{}</b><br>", "{}\n<br>", "<p>{}</p>"])
@pytest.mark.parametrize("title", [True, False])
def test_the_title_at_the_head_of_the_content(template: Template, head: str, title: bool) -> None:
    wrapper = taught(
        template,
        lambda one: one.entry(title=one.title if title else None, content_html=head.format(one.title) + one.body),
    )
    reads(wrapper, template)


@TEMPLATES
@pytest.mark.parametrize("is_summary", [False, True])
def test_no_title_although_the_page_has_one(template: Template, is_summary: bool) -> None:
    def entry(one: Post) -> Entry:
        text = f"<p>{one.summary}</p>" if is_summary else one.body
        return one.entry(title=None, content_html=text, is_summary=is_summary)

    wrapper = taught(template, entry)
    assert not wrapper.untitled
    reads(wrapper, template)


def note(one: Post) -> str:
    """A post without a title, as of a microblog: <title> says how it begins, and its heading when it was written."""
    main = f'<div class="note"><h2>{one.published:%d %B %Y}</h2><div class="text">{one.body}</div></div>'
    return layout(main, title=f"{one.published:%d %B %Y}: {one.paragraphs[0][:40]}")


def test_notes_without_titles_stay_without() -> None:
    wrapper = taught(note, lambda one: one.entry(title=None))
    assert wrapper.untitled
    assert all(extracted(wrapper, note, one).title is None for one in OLD)


def test_titles_that_the_page_writes_otherwise_are_believed() -> None:
    """The heading says more than the feed's title, which is in <title> too."""

    def template(one: Post) -> str:
        return classic(one).replace(f">{one.title}</a>", f">{one.title}: {one.paragraphs[1][:30]}</a>")

    wrapper = taught(template, Post.entry)
    assert "title" not in wrapper.distrusted


def test_titles_that_the_page_shows_elsewhere_are_believed() -> None:
    """The feed calls title what the page shows as a deck below its headline: nothing tells which one is meant."""

    def template(one: Post) -> str:
        return classic(one).replace("</h2>", f'</h2><p class="deck">{one.paragraphs[1][:60]}</p>')

    wrapper = taught(template, lambda one: one.entry(title=one.paragraphs[1][:60]))
    assert [extracted(wrapper, template, one).title for one in OLD] == [one.paragraphs[1][:60] for one in OLD]
