"""Feeds whose fields are not what they are called: AdaptivePost's kinds of misleading feeds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

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


def reads_title(wrapper: Wrapper, template: Template) -> None:
    reads(wrapper, template)
    assert wrapper.distrusted == ("title",)
    assert all(extracted(wrapper, template, one).sources["title"].confidence >= 0.9 for one in OLD)


BEHIND = [
    pytest.param(lambda one: one.paragraphs[0], id="first paragraph"),
    pytest.param(lambda one: one.paragraphs[0][:60] + "...", id="beginning"),
    pytest.param(lambda one: one.paragraphs[0][:60] + " […]", id="beginning, cut with a sign"),
    pytest.param(lambda one: " ".join(one.paragraphs)[:150], id="150 characters"),
    pytest.param(lambda one: " ".join(one.paragraphs), id="everything"),
]


@TEMPLATES
@pytest.mark.parametrize("text", BEHIND)
@pytest.mark.parametrize("between", [" ", ": ", " - "])
@pytest.mark.parametrize("has_content", [True, False])
def test_the_title_and_the_article_in_one_field(
    template: Template, text: Callable[[Post], str], between: str, has_content: bool
) -> None:
    def entry(one: Post) -> Entry:
        content = one.body if has_content else None
        return one.entry(title=f"{one.title}{between}{text(one)}", content_html=content)

    reads_title(taught(template, entry), template)


@pytest.mark.parametrize("kicker", ["<i>{}</i> ", "{}: "])
def test_the_title_and_the_article_below_a_heading_with_a_kicker(kicker: str) -> None:
    def template(one: Post) -> str:
        heading = f"<h1>{kicker.format(one.tags[0])}{one.title}</h1>"
        return layout(
            f"{heading}<p>{one.author}</p><div class=e>{one.body}</div>", title=f"{one.title} | The quiet blog"
        )

    wrapper = taught(template, lambda one: one.entry(title=f"{one.title} {one.paragraphs[0][:60]}"))
    for one in OLD:
        found = extracted(wrapper, template, one)
        assert one.title in (found.title or "")
        assert len(found.title or "") < len(one.title) + 20


@pytest.mark.parametrize("form", ["{} 1.7.12", "CTF 29 149: {}", "{} - 3 May 2021"])
def test_no_title_although_the_page_has_one_with_numbers_like_a_date(form: str) -> None:
    def template(one: Post) -> str:
        return classic(replace(one, title=form.format(f"Notes about {one.title}")))

    wrapper = taught(template, lambda one: one.entry(title=None))
    for one in OLD:
        assert extracted(wrapper, template, one).title == form.format(f"Notes about {one.title}")


@pytest.mark.parametrize("title", [None, "{0.title} {0.paragraphs[0]}"])
def test_a_heading_with_the_sign_of_a_link(title: str | None) -> None:
    def template(one: Post) -> str:
        heading = f'<h1>{one.title}<a class="headerlink" href="#top">¶</a></h1>'
        return layout(
            f"{heading}<p>{one.author}</p><div class=e>{one.body}</div>", title=f"{one.title} | The quiet blog"
        )

    wrapper = taught(template, lambda one: one.entry(title=title and title.format(one)))
    assert [extracted(wrapper, template, one).title for one in OLD] == [one.title for one in OLD]


@TEMPLATES
@pytest.mark.parametrize("text", BEHIND)
def test_the_article_in_the_title(template: Template, text: Callable[[Post], str]) -> None:
    reads_title(taught(template, lambda one: one.entry(title=text(one))), template)


@TEMPLATES
def test_the_article_in_the_title_and_the_title_in_the_article(template: Template) -> None:
    swapped = taught(template, lambda one: one.entry(title=" ".join(one.paragraphs), content_html=one.title))
    reads_title(swapped, template)


@TEMPLATES
@pytest.mark.parametrize("form", ["{:%d %B %Y}", "{:%Y-%m-%d}", "{:%A, %d %B %Y}", "Posted on {:%d %B %Y}"])
def test_the_day_in_the_title(template: Template, form: str) -> None:
    reads_title(taught(template, lambda one: one.entry(title=form.format(one.published))), template)


@pytest.mark.parametrize("form", ["{}", "{} - The quiet blog", "The quiet blog: {}"])
def test_no_title_and_no_heading_although_the_page_has_one(form: str) -> None:
    def template(one: Post) -> str:
        main = (
            f'<div class="t">{one.title}</div><p>By <i class="by">{one.author}</i></p><div class="e">{one.body}</div>'
        )
        return layout(main, title=form.format(one.title))

    reads_title(taught(template, lambda one: one.entry(title=None)), template)


@pytest.mark.parametrize("note_of", ["{0}", "<b>{0}</b>", "See <a href='/x/'>{0}</a>"])
def test_notes_whose_title_says_all_of_them_stay_without(note_of: str) -> None:
    def body(one: Post) -> str:
        return f"<p>{note_of.format(one.title)}</p>"

    def template(one: Post) -> str:
        said = " ".join(parse(body(one)).text_content().split())
        return layout(f'<div class="note">{body(one)}</div><p>{one.published:%d %B %Y}</p>', title=f"{said} - A blog")

    wrapper = taught(template, lambda one: one.entry(title=None, content_html=body(one)))
    assert wrapper.untitled


@pytest.mark.parametrize("subtitle", ["h2", "p"])
def test_a_subtitle_behind_the_title_is_believed(subtitle: str) -> None:
    def template(one: Post) -> str:
        deck = f"<{subtitle}>{one.paragraphs[1][:60]}</{subtitle}>"
        return classic(one).replace("</h2>", f"</h2>{deck}")

    wrapper = taught(template, lambda one: one.entry(title=f"{one.title}: {one.paragraphs[1][:60]}"))
    assert "title" not in wrapper.distrusted


def test_a_day_that_the_page_has_as_its_title_is_believed() -> None:
    def template(one: Post) -> str:
        return layout(
            f"<h1>{one.published:%d %B %Y}</h1><h2>{one.title}</h2><div class=e>{one.body}</div>",
            title=f"{one.title} - Diary",
        )

    wrapper = taught(template, lambda one: one.entry(title=f"{one.published:%d %B %Y}"))
    assert "title" not in wrapper.distrusted


@pytest.mark.parametrize("form", ["{:%d %B %Y}", "{:%A, %d %B %Y}", "{:%A %d.%m.%Y}"])
def test_the_day_above_a_note_is_no_title(form: str) -> None:
    def template(one: Post) -> str:
        day = form.format(one.published)
        return layout(
            f'<div class="note"><h2>{day}</h2><div class="text">{one.body}</div></div>', title=f"{day} - Notes"
        )

    wrapper = taught(template, lambda one: one.entry(title=None))
    assert "title" not in wrapper.distrusted


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
