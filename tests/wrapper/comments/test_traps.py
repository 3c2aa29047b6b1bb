"""What stands below articles with days and is no comment: nothing is learned from it, however few pages there are."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from blogcrawler.wrapper.comments import learn_comments
from tests.wrapper.comments.made import FIRST, Said, example, thread, wrapper


def _later(post: int, days: int) -> str:
    return f"{FIRST + dt.timedelta(days=10 * post + days):%B %d, %Y}"


def archives(post: int) -> str:
    """Months, how many posts each has, and when the last one was written."""
    months = "".join(
        f"<li><a href='/2015/{month:02}/'>{dt.date(2015, month, 1):%B} 2015</a> ({post * month % 9 + 1}) "
        f"<i>last {dt.date(2015, month, post * month % 28 + 1):%B %d, %Y}</i></li>"
        for month in range(1, 8)
    )
    return f"<ul class='archive'>{months}</ul>"


def tweets(post: int) -> str:
    """By one author, others on each page."""
    return "".join(
        f"<div class='tweet'><b>@me</b><p>{one.text}</p><a href='http://twitter.test/me/{one.number}'>"
        f"{one.published:%B %d, %Y}</a></div>"
        for one in thread(300 + post, 4)
    )


def changelog(post: int) -> str:
    changes = "".join(
        f"<dt>{post}.{number}.0 <i>{_later(post, 20 * number)}</i></dt><dd>{one.text}</dd>"
        for number, one in enumerate(thread(400 + post, post % 4 + 1))
    )
    return f"<h3>Changes</h3><dl>{changes}</dl>"


def updates(post: int) -> str:
    return "".join(
        f"<div class='update'><b>Update {_later(post, number + 1)}</b> <p>{one.text}</p></div>"
        for number, one in enumerate(thread(400 + post, post % 3))
    )


def events(post: int) -> str:
    """What is to come."""
    items = "".join(
        f"<li><b>{one.text[:20]}</b> <time>{dt.date(2017, number + 1, post % 28 + 1):%B %d, %Y}</time>"
        f"<p>{one.text[20:60]}</p></li>"
        for number, one in enumerate(thread(500 + post, post % 3 + 2))
    )
    return f"<ul class='events'>{items}</ul>"


def newest_comments(post: int) -> str:
    """Of all posts, as they were when the page was fetched: those of pages fetched one after the other are alike."""
    items = "".join(
        f"<li><b>{one.author}</b> <i>{one.published:%B %d, %Y}</i><p>{one.text[:60]}</p></li>"
        for one in thread(600 + post // 2, 4)
    )
    return f"<ul class='newest'>{items}</ul>"


def revisions(post: int) -> str:
    items = "".join(
        f"<li>{_later(post, number)} @ 10:0{number} by admin: {one.text[:30]}</li>"
        for number, one in enumerate(thread(800 + post, post % 3 + 1))
    )
    return f"<h3>Revisions</h3><ul class='revisions'>{items}</ul>"


def related_elsewhere(post: int) -> str:
    """Pages of other sites, with their titles and beginnings."""
    return "".join(
        f"<div class='like'><h4><a href='http://other{one.number}.test/x'>{one.text[:30]}</a></h4>"
        f"<i>{one.published:%B %d, %Y}</i><p>{one.text}</p></div>"
        for one in thread(200 + post, 3)
    )


def related_pages(post: int) -> str:
    """Pages of the site whose addresses are not as those of posts, with authors."""
    return "".join(
        f"<div class='like'><h4><a href='/a-story-{one.number}.html'>{one.text[:30]}</a></h4>"
        f"<i>{one.published:%B %d, %Y}</i> by <b>{one.author}</b><p>{one.text}</p></div>"
        for one in thread(200 + post, post % 3 + 1)
    )


def products(post: int) -> str:
    return "".join(
        f"<div class='item'><a href='/shop/{one.number}'>{one.text[:20]}</a> <i>{one.published:%B %d, %Y}</i></div>"
        for one in thread(900 + post, post % 3 + 1)
    )


def photos(post: int) -> str:
    items = "".join(
        f"<li><img src='/{one.number}.jpg'><p>{one.text[:30]}</p><i>{_later(post, 0)} 0{number}:30</i></li>"
        for number, one in enumerate(thread(900 + post, post % 4 + 1))
    )
    return f"<ul class='photos'>{items}</ul>"


def sources(post: int) -> str:
    """Footnotes that say when a page was seen."""
    items = "".join(
        f"<li id='fn{number}'>{one.author}: {one.text[:40]}, <a href='http://source{one.number}.test/'>link</a>, "
        f"retrieved {_later(post, 0)}</li>"
        for number, one in enumerate(thread(900 + post, post % 4 + 1))
    )
    return f"<ol class='sources'>{items}</ol>"


def _log(post: int) -> list[tuple[str, str, str]]:
    """What a history of changes says in each line."""
    return [
        (_later(post, number), one.author, one.text[:60]) for number, one in enumerate(thread(900 + post, post % 3 + 1))
    ]


def listing(post: int) -> str:
    """Lines of the page's own source, each with an address."""
    lines = "\n".join(
        f"<span id='cb1-{number}'><a href='#cb1-{number}'></a><span class='an'>{author}</span> <i>{day}</i> <span class='co'>{text}</span></span>"
        for number, (day, author, text) in enumerate(_log(post))
    )
    return f"<div class='modal'><pre class='sourceCode'><code>{lines}</code></pre></div>"


def listing_of_blocks(post: int) -> str:
    lines = "".join(
        f"<div class='line'><b>{author}</b> <i>{day}</i> <p>{text}</p></div>" for day, author, text in _log(post)
    )
    return f"<code class='log'>{lines}</code>"


def closed_dialog(post: int) -> str:
    lines = "".join(
        f"<div class='line'><b>{author}</b> <i>{day}</i> <p>{text}</p></div>" for day, author, text in _log(post)
    )
    return f"<dialog id='source'><div class='lines'>{lines}</div></dialog>"


TRAPS = [
    archives, changelog, closed_dialog, events, listing, listing_of_blocks, newest_comments, photos, products, related_elsewhere, related_pages, revisions, sources,
    tweets, updates,
]  # fmt: skip
FETCHED = dt.datetime(2016, 1, 1, tzinfo=dt.UTC)


@pytest.mark.parametrize("trap", TRAPS)
@pytest.mark.parametrize("pages", [4, 12])
def test_no_comments_are_learned_from(trap: Callable[[int], str], pages: int) -> None:
    made = [replace(example(post, trap(post)), fetched=FETCHED) for post in range(1, pages + 1)]
    assert learn_comments(made, wrapper()) is None


def test_comments_may_hold_listings() -> None:
    def with_code(said: Sequence[Said]) -> str:
        return "".join(
            f"<div class='c' id='c{one.number}'><b>{one.author}</b> <i>{one.published:%B %d, %Y %H:%M}</i><p>{one.text}</p>"
            f"<pre><code>since {_later(1, 3)}</code></pre></div>"
            for one in said
        )

    made = [example(post, with_code(thread(post, post % 3 + 1))) for post in range(1, 7)]
    rules = learn_comments(made, wrapper())
    assert rules is not None
    assert [len(rules.extract(one.tree, one.url)) for one in made] == [2, 3, 1, 2, 3, 1]


def test_comments_without_names_are_known_by_their_places() -> None:
    def nameless(said: Sequence[Said]) -> str:
        return "".join(
            f"<div class='c' id='c{one.number}'><i>{one.published:%B %d, %Y %H:%M}</i><p>{one.text}</p></div>"
            for one in said
        )

    made = [example(post, nameless(thread(post, post % 3 + 1))) for post in range(1, 7)]
    assert learn_comments(made, wrapper()) is not None
