"""Readers' comments that show no date of their own, or hide it in a line, where the feed has summaries."""

from __future__ import annotations

import datetime as dt

import pytest

from blogcrawler.wrapper import learn
from tests.wrapper.pages import (
    OLD,
    POSTS,
    WORDS,
    Post,
    Template,
    article,
    extracted,
    layout,
    learned,
    prose,
    recent,
    summaries,
    tag_links,
    words,
)

Wording = tuple[str, str, str]


def said(one: Post, least: int = 0) -> list[Wording]:
    """Name, day and text of each comment; names are of all sorts, and some readers come again."""
    return [
        (
            WORDS[(7 * one.number + 3 * number) % len(WORDS)].capitalize(),
            f"{one.published + dt.timedelta(days=number + 1):%B %d, %Y}",
            prose(f"reader {one.number}/{number}", 20 + 9 * number),
        )
        for number in range(least + one.number % 5)
    ]


def byline(one: Post) -> str:
    return f'Posted on <span class="date">{one.published:%B %d, %Y}</span> by <a href="/a/">{one.author}</a>'


def weblog(one: Post, comments: str) -> str:
    """A container for the article, one around it, and the comments as an ordered list."""
    return layout(
        f"""<article class="post"><h2 class="title">{one.title}</h2><div class="meta">{byline(one)}</div>
<div class="entry">{one.body}</div><div class="tags">Tags: {tag_links(one)}</div></article>
<div class="nav"><a href="/{one.number - 1}/">« {prose(one.number - 1, 4)}</a></div>
<ol class="commentlist">{comments}</ol>""",
        side=recent(),
    )


def without_dates(one: Post) -> str:
    return weblog(
        one, "".join(f"<li id=c{one.number}><b>{name}</b> says: <p>{text}</p></li>" for name, _, text in said(one))
    )


def never_without(one: Post) -> str:
    """All posts have comments."""
    return weblog(one, "".join(f"<li><b>{name}</b> says: <p>{text}</p></li>" for name, _, text in said(one, 1)))


def dates_in_tails(one: Post) -> str:
    return weblog(one, "".join(f"<li><b>{name}</b> on {day}: <p>{text}</p></li>" for name, day, text in said(one)))


def dates_in_lines(one: Post) -> str:
    """The date stands in the text itself, and the comments are in no container of their own."""
    comments = "".join(f"<div>{name} on {day} wrote {text}</div>" for name, day, text in said(one, 1))
    return layout(f"<h2>{one.title}</h2>{one.body}<h3>Readers</h3>{comments}")


def alternating(one: Post) -> str:
    """Every other comment has another class, and blocks stand around blocks."""
    comments = "".join(
        f'<li class="{("even", "odd")[number % 2]} depth"><div><div class="who"><cite>{name}</cite> said</div><p>{text}</p></div></li>'
        for number, (name, _, text) in enumerate(said(one))
    )
    return weblog(one, comments)


def unheard(one: Post) -> str:
    """No container for anything: heading, date, article, author; no comments."""
    return layout(
        f"""<h2>{one.title}</h2><h4>{one.published:%A, %B %d, %Y}</h4>{one.body}<p class="by">by {one.author}</p>"""
    )


def brief(one: Post) -> str:
    """All posts have comments, are hardly longer than their summaries, and end in nothing but a line of text."""
    comments = "".join(
        f'<li class="comment depth"><div><cite>{name}</cite></div><div>{text}</div></li>'
        for name, _, text in said(one, 1)
    )
    box = f"<p>Write to me if you know better.</p><ul id=talk>{comments}</ul>"
    return layout(f'<h2>{one.title}</h2><div class="main"><p>{one.paragraphs[0]}</p>{box}</div>')


@pytest.mark.parametrize(
    "template",
    [without_dates, never_without, dates_in_tails, dates_in_lines, alternating, unheard],
)
def test_neither_comments_nor_byline_are_the_articles(template: Template) -> None:
    wrapper = learn(summaries(template))
    assert wrapper.article.mode == "summary"
    for one in OLD:
        assert words(extracted(wrapper, template, one)) == article(one)


def chapters(one: Post) -> str:
    """The article goes on in sections behind links to these."""
    parts = "".join(
        f"<div class=part><h3>{prose(paragraph, 3)}</h3><p>{paragraph}</p><p>{prose(paragraph, 9)}</p></div>"
        for paragraph in one.paragraphs[1 : 1 + one.number % 5]
    )
    return layout(f'<h1>{one.title}</h1><p>{one.paragraphs[0]}</p><p class="jump"><a href="#1">Jump</a></p>{parts}')


def shots(one: Post) -> str:
    """The same without headings, and nothing behind it."""
    parts = "".join(
        f"<div class=shot><b>{prose(paragraph, 2)}</b><p>{paragraph}</p></div>"
        for paragraph in one.paragraphs[1 : 1 + one.number % 5]
    )
    return layout(f'<h1>{one.title}</h1><p>{one.paragraphs[0]}</p><p class="jump"><a href="#1">Jump</a></p>{parts}')


def steps(one: Post) -> str:
    """A recipe: always in steps, of one block each, and now and then a few of these."""
    parts = "".join(f"<li><p>{paragraph}</p></li>" for paragraph in one.paragraphs[1 : 1 + one.number % 5])
    return layout(
        f'<div class="all"><h1>{one.title}</h1><p>{one.paragraphs[0]}</p><h3>Method</h3><ol>{parts}</ol></div>'
    )


def interrupted(one: Post) -> str:
    """An advertisement after the first paragraph, then pictures with a title and a text, then more of the article."""
    parts = "".join(
        f"<div class=shot><b>{prose(paragraph, 2)}</b><p>{paragraph}</p></div>"
        for paragraph in one.paragraphs[1 : 1 + one.number % 3]
    )
    rest = f"<p>{prose(f'rest {one.number}', 60)}</p>"
    return layout(
        f'<div class="all"><h1>{one.title}</h1><p>{one.paragraphs[0]}</p><div>Buy this!</div>{parts}{rest}</div>'
    )


def talk(one: Post) -> str:
    """Question and answer: as comments are, but the template shows nothing before them."""
    parts = "".join(
        f"<div>{'QA'[at % 2]}: {text}</div>" for at, text in enumerate(one.paragraphs[1 : 1 + one.number % 5])
    )
    return layout(f'<div class="all"><h1>{one.title}</h1><p>{one.paragraphs[0]}</p>{parts}</div>')


def replies(one: Post) -> str:
    """Question and answer, called so, in paragraphs."""
    parts = "".join(f'<p class="reply">{text}</p>' for text in one.paragraphs[1:])
    return layout(f'<div class="all"><h1>{one.title}</h1><p>{one.paragraphs[0]}</p>{parts}</div>')


def events(one: Post) -> str:
    """A list of what will be, with its days."""
    items = "".join(
        f"<li>{one.published + dt.timedelta(days=9 * number):%B %d, %Y}: {paragraph}</li>"
        for number, paragraph in enumerate(one.paragraphs[1:], start=1)
    )
    return layout(f'<div class="all"><h1>{one.title}</h1><p>{one.paragraphs[0]}</p><ul>{items}</ul></div>')


def listings(one: Post) -> str:
    """Code in several colours, one element around each, behind a box of the template."""
    parts = "".join(
        f"<div class=code><pre><code><b>let</b> x = <i>{paragraph}</i></code></pre></div>"
        for paragraph in one.paragraphs[1 : 1 + one.number % 5]
    )
    text = f"<p>{one.paragraphs[0]}</p><p>{prose(one.number, 150)}</p>"
    return layout(f'<h1>{one.title}</h1>{text}<p class="jump"><a href="#1">Jump</a></p>{parts}')


def notes(one: Post) -> str:
    """Notes at the foot, behind a box of the template, each with a link back to where it belongs."""
    told = one.paragraphs[1 : 1 + one.number % 5]
    marks = "".join(f'<sup id="ref:{at}"><a href="#note:{at}">{at}</a></sup>' for at, _ in enumerate(told))
    items = "".join(
        f'<li id="note:{at}"><p>{text} <a href="#ref%3A{at}">↩</a></p></li>' for at, text in enumerate(told)
    )
    text = f"<p>{one.paragraphs[0]}</p><p>{prose(one.number, 150)}{marks}</p>"
    return layout(f'<h1>{one.title}</h1>{text}<p class="jump"><a href="#1">Up</a></p><div><ol>{items}</ol></div>')


@pytest.mark.parametrize("template", [chapters, shots, steps, interrupted, talk, replies, events, listings, notes])
def test_the_parts_of_an_article_are_no_comments(template: Template) -> None:
    wrapper = learn(summaries(template))
    for one in (*POSTS, *OLD):
        found = words(extracted(wrapper, template, one))
        shown = template(one)
        assert all(paragraph in found for paragraph in one.paragraphs if paragraph in shown)


@pytest.mark.parametrize("template", [without_dates, dates_in_tails])
def test_nor_where_the_feed_tells_nothing_but_titles(template: Template) -> None:
    wrapper = learned(template, content_html=None)
    for one in OLD:
        assert words(extracted(wrapper, template, one)) == article(one)


def test_short_posts_all_of_which_have_comments_that_are_called_so() -> None:
    wrapper = learn(summaries(brief))
    for one in OLD:
        assert words(extracted(wrapper, brief, one)) == one.paragraphs[0]
