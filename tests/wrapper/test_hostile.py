"""What a hostile or careless page may hold: learning and reading end soon, and never in an exception."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import pytest
from lxml.html import tostring

from blogcrawler.dom import drop_pager, parse
from blogcrawler.dom.listings import clean_listings
from blogcrawler.wrapper import Example, learn
from blogcrawler.wrapper.core.json_ld import linked_data
from blogcrawler.wrapper.core.profile import Profile
from blogcrawler.wrapper.core.values import values_of
from tests.wrapper.pages import OLD, POSTS, Post, article, classic, extracted, layout, words


def learned_from(template: Callable[[Post], str], **changes: object):
    return learn(Example(parse(template(one)), one.entry(**changes), one.url) for one in POSTS)


@pytest.mark.parametrize(
    "href", ["http://[foo", "//[", "http://a:b:c/", "\x00", "javascript:x", "?" * 50, "http://a/%zz"]
)
def test_links_that_are_none(href: str) -> None:
    def template(one: Post) -> str:
        tags = " ".join(f'<a href="{href}">{tag}</a>' for tag in one.tags)
        return layout(f'<h1>{one.title}</h1><p><a href="{href}">Some link</a></p><div class=e>{one.body}</div>{tags}')

    for changes in ({}, {"authors": (), "tags": ()}):
        found = extracted(learned_from(template, **changes), template, OLD[0])
        assert found.title == OLD[0].title


@pytest.mark.parametrize("name", ["\\udc00Ann B", "Ann\\u0000 B", "\\ud83dAnn B", "Ann\\u0008B"])
def test_what_no_file_can_hold_is_no_value(name: str) -> None:
    def template(one: Post) -> str:
        data = f'<script type="application/ld+json">{{"@type":"BlogPosting","author":{{"name":"{name}"}}}}</script>'
        return layout(f"<h1>{one.title}</h1><div class=e>{one.body}</div>", head=data)

    authors = extracted(learned_from(template, authors=()), template, OLD[0]).authors
    json.dumps(authors, ensure_ascii=False).encode()
    assert all(character.isprintable() for author in authors for character in author)


def seconds(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def pager(count: int) -> Callable[[], object]:
    tree = parse("<div>" + '<a href="/post/2/">2</a>' * count + "</div>")
    return lambda: drop_pager(tree.find(".//div"), tree, "http://a.example/post/", ["http://a.example/post/2/"])


def buttons(count: int) -> Callable[[], object]:
    tree = parse("<div>" + "<button>Copy</button><p>a</p>" * count + "<pre>b</pre></div>")
    return lambda: clean_listings(tree)


def references(count: int) -> Callable[[], object]:
    things = [{"@id": "#a", "@type": "Person", **{f"k{number}": "" for number in range(count)}}]
    data = json.dumps({"@graph": [*things, {"@type": "Article", "author": [{"@id": "#a"}] * count, "x": str(count)}]})
    tree = parse(f'<script type="application/ld+json">{data}</script>')
    return lambda: linked_data(tree)


def pictured(count: int) -> Callable[[], object]:
    link = f"""<a rel="tag" href="/tag/{"a-" * count}c"><img alt="{"a " * 3 * count}b"></a>"""
    profile = Profile(parse(f"<p>Text</p>{link * 8}"))
    return lambda: list(values_of(profile))


@pytest.mark.parametrize("make", [pager, buttons, references, pictured])
def test_time_grows_as_the_page_does(make: Callable[[int], Callable[[], object]]) -> None:
    small, large = min(seconds(make(400)) for _ in range(3)), min(seconds(make(3200)) for _ in range(3))
    assert large <= 0.2 + 24 * small


@pytest.mark.parametrize(
    "excerpt",
    [
        lambda one: f"<p>In which I tell of {one.tags[0]}, and of what came after.</p>",
        lambda one: f"<p>{' '.join(one.paragraphs[0].split()[:9])} … Read more</p>",
        lambda one: f"<p>{one.summary}</p><p>The post {one.title} appeared first on The quiet blog.</p>",
        lambda one: f"<p>{POSTS[(one.number + 1) % len(POSTS)].summary}</p>",
    ],
)
def test_excerpts_that_the_page_does_not_hold(excerpt: Callable[[Post], str]) -> None:
    wrapper = learn(
        Example(parse(classic(one)), one.entry(content_html=excerpt(one), is_summary=True), one.url) for one in POSTS
    )
    for one in OLD:
        found = extracted(wrapper, classic, one)
        assert words(found) == article(one)
        assert found.sources["content"].confidence >= 0.4


def test_posts_that_are_photographs() -> None:
    def picture(one: Post) -> str:
        return f'<p><img src="/img/{one.slug}.jpg" alt=""></p>'

    def template(one: Post) -> str:
        byline = f"<p class=by>{one.published:%d %B %Y} by {one.author}</p>"
        return layout(f"<h1>{one.title}</h1>{byline}<div class=shot>{picture(one)}</div>", side='<img src="/me.jpg">')

    wrapper = learn(Example(parse(template(one)), one.entry(content_html=picture(one)), one.url) for one in POSTS)
    for one in OLD:
        found = extracted(wrapper, template, one)
        assert found.article is not None
        assert [image.get("src") for image in found.article.iter("img")] == [f"/img/{one.slug}.jpg"]
        assert wrapper.is_post(parse(template(one)), one.url)


def shown(one: Post, media: str) -> str:
    byline = f"<p class=by>{one.published:%d %B %Y} by {one.author}</p>"
    return layout(f"<h1>{one.title}</h1>{byline}<div class=shot>{media}</div>", side='<iframe src="/w?a=1"></iframe>')


@pytest.mark.parametrize(
    ("media", "in_feed"),
    [
        (
            '<p><iframe src="//films.example/embed/{0}?wide=1"></iframe></p>',
            '<iframe src="http://films.example/embed/{0}">',
        ),
        ('<video><source src="/{0}.mp4"></video>', '<video src="http://quiet.example/{0}.mp4"></video>'),
        ('<audio src="/a/{0}.mp3"></audio>', '<audio src="/a/{0}.mp3"></audio>'),
        ('<iframe src="//s.example/player/?of={0}"></iframe>', '<iframe src="//s.example/player/?of={0}"></iframe>'),
        ('<object data="/v/{0}"><embed src="/v/{0}"></object>', '<embed src="/v/{0}">'),
    ],
)
def test_posts_that_are_films_or_sounds(media: str, in_feed: str) -> None:
    def template(one: Post) -> str:
        return shown(one, media.format(one.slug))

    wrapper = learn(
        Example(parse(template(one)), one.entry(content_html=in_feed.format(one.slug)), one.url) for one in POSTS
    )
    for one in OLD:
        found = extracted(wrapper, template, one)
        assert found.article is not None
        assert one.slug in tostring(found.article, encoding="unicode")
        assert found.article.get("class") == "shot"
        assert wrapper.is_post(parse(template(one)), one.url)


def test_where_no_article_can_be_learned_title_and_date_tell_a_post_at_a_posts_address() -> None:
    def template(one: Post) -> str:
        return shown(one, f'<iframe src="/embed/{one.slug}"></iframe>')

    wrapper = learn(Example(parse(template(one)), one.entry(content_html=""), one.url) for one in POSTS)
    assert not wrapper.article.rules
    for one in OLD:
        assert wrapper.is_post(parse(template(one)), one.url, is_permalink=True)
        assert not wrapper.is_post(parse(template(one)), one.url)
    undated = layout("<h1>About this blog</h1><div class=shot><p>It is quiet.</p></div>")
    assert not wrapper.is_post(parse(undated), "http://quiet.example/about/", is_permalink=True)


def test_one_author_in_the_feed_does_not_hide_bylines() -> None:
    def template(one: Post) -> str:
        return layout(
            f"<h1>{one.title}</h1><p>by <a href='/author/x/'>{one.author}</a></p><div class=e>{one.body}</div>"
        )

    wrapper = learned_from(template, authors=("admin",))
    assert [extracted(wrapper, template, one).authors for one in OLD] == [[one.author] for one in OLD]
    shown = learned_from(template, authors=("Ann Archer",))
    assert shown.authors.constant in {None, "Ann Archer"}
