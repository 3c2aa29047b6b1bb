"""What a feed renders around its articles, author, date and tags, is no part of them, on its own pages either."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

import pytest

from blogcrawler.dom import inline_text, parse
from blogcrawler.wrapper import Example, Wrapper, learn
from tests.wrapper.pages import OLD, POSTS, Post, article, extracted, layout, words


def terms(one: Post) -> str:
    links = "".join(f'<li><a href="/taxonomy/term/{len(tag)}">{tag}</a></li>' for tag in one.tags)
    return f'<div class="field"><h3>Tags</h3><ul>{links}</ul></div>'


def byline(one: Post) -> str:
    return f"<p>Submitted by <span>{one.author}</span> on {one.published:%a, %m/%d/%Y - %H:%M}</p>"


def loose(one: Post) -> str:
    return f"<span>{one.title}</span>\n<span>{one.author}</span>\n<span>{one.published:%d %B %Y}</span>\n"


def nothing(one: Post) -> str:
    return ""


Form = Callable[[Post], str]


def content(one: Post, before: Form, after: Form) -> str:
    return f'{before(one)}<div class="text">{one.body}</div>{after(one)}'


def page_of(one: Post, after: Form) -> str:
    return layout(
        f'<h1>{one.title}</h1><div class="node">{byline(one)}<div class="text">{one.body}</div>{after(one)}</div>'
    )


def taught(before: Form, after: Form, posts: tuple[Post, ...] = POSTS) -> Wrapper:
    return learn(
        Example(parse(page_of(one, after)), one.entry(content_html=content(one, before, after), tags=()), one.url)
        for one in posts
    )


@pytest.mark.parametrize("before", [byline, loose, nothing])
@pytest.mark.parametrize("after", [terms, byline, nothing])
def test_an_imprint_in_the_feed_is_no_article(before: Form, after: Form) -> None:
    wrapper = taught(before, after)
    for one in OLD:
        found = extracted(wrapper, lambda one: page_of(one, after), one)
        assert words(found) == article(one)
        assert sorted(found.tags) == (sorted(one.tags) if after is terms else [])


def test_the_feed_s_article_is_read_without_it() -> None:
    wrapper = Wrapper.from_dict(json.loads(json.dumps(taught(loose, terms).to_dict())))
    one = OLD[0]
    told = wrapper.entry_article(one.entry(content_html=content(one, loose, terms), tags=()))
    assert " ".join(inline_text(told).split()) == article(one)


def test_dates_and_names_in_sentences_are_the_article_s() -> None:
    def told(one: Post) -> str:
        return f"<p><b>{one.published:%d %B %Y}</b> was a fine day. {one.author} said so.</p>{one.body}"

    wrapper = learn(
        Example(parse(layout(f"<h1>{one.title}</h1><div class=e>{told(one)}</div>")), one.entry(content_html=told(one)))
        for one in POSTS
    )
    found = wrapper.entry_article(OLD[0].entry(content_html=told(OLD[0])))
    assert inline_text(found).startswith(f"{OLD[0].published:%d %B %Y} was a fine day.")


SITES = ("kottke.test", "waxy.test", "meta.test")


def of(one: Post, choices: tuple[str, ...]) -> str:
    return choices[one.number % len(choices)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (nothing, lambda one: f'<p>(via <a href="http://{of(one, SITES)}/">{of(one, SITES)}</a>)</p>'),
        (nothing, lambda one: f'<p>See also: <a href="http://wiki.test/w/{of(one, SITES)}">{of(one, SITES)}</a></p>'),
        (
            nothing,
            lambda one: f'<p>My rating: <a href="/ratings/{one.number % 4}/">{one.number % 4} of 5 stars</a></p>',
        ),
        (lambda one: f"<p>On {one.published:%B %d, %Y} we went out.</p>", nothing),
        (lambda one: f"<p><b>{of(one, ('Paris', 'Rome'))}, {one.published:%d %B %Y}</b></p>", nothing),
        (lambda one: f"<p>Dear friends, {one.author} here.</p>", lambda one: f"<p>Yours, {one.author}</p>"),
        (lambda one: f"<p class='when'>{of(one, SITES)}, {one.published:%d %B %Y}</p>", nothing),
    ],
)
def test_what_authors_write_at_the_ends_is_the_article_s(before: Form, after: Form) -> None:
    wrapper = taught(before, after)
    for one in OLD:
        html = content(one, before, after)
        told = wrapper.entry_article(one.entry(content_html=html, tags=()))
        assert inline_text(told).split() == inline_text(parse(html)).split()


@pytest.mark.parametrize(
    "after",
    [
        lambda one: "<p>" + " - ".join(f'<a href="/about/{tag}" rel="tag">{tag}</a>' for tag in one.tags) + "</p>",
        lambda one: "<p>" + " - ".join(f'<a href="/tags/{tag}">{tag}</a>' for tag in one.tags) + "</p>",
        lambda one: f'<p class="by">By {one.author}</p>',
        lambda one: f'<p class="when">Posted on {one.published:%d %B %Y}</p>',
    ],
)
def test_tags_and_lines_in_elements_of_their_own_are_no_article(after: Form) -> None:
    wrapper = taught(nothing, after)
    for one in OLD:
        told = wrapper.entry_article(one.entry(content_html=content(one, nothing, after), tags=()))
        assert " ".join(inline_text(told).split()) == article(one)


def test_links_that_differ_from_post_to_post_are_the_article_s() -> None:
    def told(one: Post) -> str:
        return f'{one.body}<h3>See also</h3><ul><li><a href="/notes/{one.number}">{one.title}</a></li></ul>'

    entries = [(one.entry(content_html=told(one), title=None, authors=()), one) for one in POSTS]
    wrapper = learn(
        Example(parse(layout(f"<h1>{one.title}</h1><div class=e>{told(one)}</div>")), entry) for entry, one in entries
    )
    assert inline_text(wrapper.entry_article(entries[0][0])).endswith(f"See also {POSTS[0].title}")


def test_a_few_entries_tell_nothing() -> None:
    assert taught(loose, terms, POSTS[:3]).feed_matter.imprint.last is None


def unspaced(seed: int | str, length: int) -> str:
    """A sentence of a script without spaces, its own for each seed."""
    return (
        "".join(random.Random(seed).choices("川石灯静市自港冬麦手庭窓銅糸信山湖紙果鉄紫槌夏茶村筆影釦", k=length))
        + "。"
    )


@pytest.mark.parametrize("dated", [False, True])
def test_sentences_without_spaces_are_no_bylines(dated: bool) -> None:
    """They are one word each where words are told by spaces, and hold the author's name or the post's date."""
    name = "山田太郎"

    def first(one: Post) -> str:
        day = f"{one.published.year}年{one.published.month}月{one.published.day}日"
        return f"{day if dated else name}は{unspaced(one.number, 24)}"

    def own(one: Post) -> str:
        return unspaced(f"{one.number}/more", 120)

    def page(one: Post) -> str:
        byline = f'<p class="by">{name} {one.published:%Y年%m月%d日}に投稿されました</p>'
        main = f'<div class="text">{byline}<p class="lead">{first(one)}</p><p>{own(one)}</p></div>'
        return layout(f"<h1>{one.title}</h1>{main}", language="ja")

    wrapper = learn(
        Example(
            parse(page(one)),
            one.entry(authors=(name,), content_html=own(one)[:90], is_summary=True, language="ja"),
            one.url,
        )
        for one in POSTS
    )
    for one in OLD:
        assert words(extracted(wrapper, page, one)) == f"{first(one)} {own(one)}"
