"""Lists of posts on pages of many shapes, and what the posts' own pages say of them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from html import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blogcrawler.dom import parse
from blogcrawler.feeds.sources import read_sitemap
from blogcrawler.feeds.synthetic import (
    Candidate,
    confirm,
    is_called_list,
    list_pages,
    loose_links,
    post_lists,
    sitemap_lists,
)
from blogcrawler.items import Entry

HOME = "http://blog.example.org/"
WORDS = ("amber", "birch", "cedar", "dune", "ember", "fjord", "grove", "heath", "isle", "juniper")
MONTHS_DE = ("Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember")  # fmt: skip


class Post:
    def __init__(self, number: int) -> None:
        first, second = WORDS[number % 10], WORDS[(number * 3 + 1) % 10]
        self.title = f"The {first} and the {second}, part {number}"
        self.path = f"/posts/{first}-{second}-{number}/"
        self.day = date(2021, 3, 4) - timedelta(days=17 * number)
        self.text = f"Once upon a time the {first} number {number} met the {second} on a long and winding road."

    @property
    def link(self) -> str:
        return f'<a href="{self.path}">{escape(self.title)}</a>'

    @property
    def words(self) -> str:
        return f"{self.day:%B} {self.day.day}, {self.day.year}"


POSTS = [Post(number) for number in range(8)]
EXPECTED = [(HOME.rstrip("/") + post.path, post.title, post.day.isoformat()) for post in POSTS]
MENU = '<nav><ul><li><a href="/">Home</a></li><li><a href="/about/">About</a></li><li><a href="/talks/">Talks</a></li></ul></nav>'


def page(body: str, *, language: str = "en", head: str = "") -> str:
    return f'<!DOCTYPE html><html lang="{language}"><head><meta charset="utf-8"><title>A blog</title>{head}</head><body>{body}</body></html>'


def best(html: str) -> list[tuple[str, str | None, str | None]]:
    lists = post_lists(parse(html.encode()), HOME)
    return [(entry.url, entry.title, entry.published) for entry in lists[0].entries] if lists else []


def listed(form: str, around: str = "{}") -> str:
    """A page with a list: `form` is of one post, `around` of all."""
    items = "".join(
        form.format(
            link=post.link, path=post.path, title=escape(post.title), day=post.words, iso=post.day, text=post.text
        )
        for post in POSTS
    )
    return around.format(items)


SHAPES = {
    "articles": listed("<article><header><h2>{link}</h2><time datetime='{iso}'>{day}</time></header><p>{text}</p></article>", "<main>{}</main>"),
    "list": listed("<li><span>{day}</span> {link}</li>", "<ul>{}</ul>"),
    "table": listed("<tr><td>{day}</td><td>{link}</td></tr>", "<table>{}</table>"),
    "definitions, date first": listed("<dt>{day}</dt><dd>{link}</dd>", "<dl>{}</dl>"),
    "definitions, title first": listed("<dt>{link}</dt><dd>{day}</dd>", "<dl>{}</dl>"),
    "no blocks, title first": listed("<h2>{link}</h2><p class='d'>{day}</p><p>{text}</p>"),
    "no blocks, date first": listed("<h4>{day}</h4><h3>{link}</h3><p>{text}</p>"),
    "nested": listed("<div><div><div><div><span>{day}</span></div></div><div><h3>{link}</h3><p>{text}</p></div></div></div>", "<div><section>{}</section></div>"),
    "cards": listed("<a href='{path}'><h3>{title}</h3><time>{day}</time><p>{text}</p></a>", "<div>{}</div>"),
    "link for machines": listed("<div><h2>{title}</h2><p>{text}</p><small>{day}</small> <a href='{path}' rel='bookmark'>Permalink</a></div>"),
    "attribute": listed("<li>{link} <abbr title='{iso}T10:00:00+01:00'>recently</abbr></li>", "<ol>{}</ol>"),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_posts_are_read_from_a_list_of_any_shape(shape: str) -> None:
    assert best(page(MENU + SHAPES[shape] + "<footer>2012-2021 the blog</footer>")) == EXPECTED


@pytest.mark.parametrize("shape", SHAPES)
def test_dated_comments_in_a_side_bar_do_not_win(shape: str) -> None:
    comments = "".join(
        f'<li>Ann on <a href="{post.path}#comment-{n}">{escape(post.title)}</a> <span>June {n + 1}, 2021</span></li>'
        for n, post in enumerate(POSTS[::-1])
    )
    side = f"<div><h3>Recent comments</h3><ul>{comments}</ul></div>"
    assert best(page(f"{MENU}<div>{side}</div><div>{SHAPES[shape]}</div>")) == EXPECTED


def test_a_calendar_with_many_days_is_no_list_of_posts() -> None:
    days = "".join(f'<td><a href="/2021/03/{n:02}/">{n}</a></td>' for n in range(1, 29))
    calendar = f"<table><caption>March 2021</caption><tr>{days}</tr></table>"
    assert best(page(calendar + SHAPES["articles"])) == EXPECTED


def test_archives_of_months_are_no_list_of_posts() -> None:
    months = "".join(f'<li><a href="/2020/{n:02}/">{date(2020, n, 1):%B} 2020</a> ({n})</li>' for n in range(1, 13))
    found = post_lists(parse(page(f"<ul>{months}</ul>{SHAPES['list']}").encode()), HOME)
    assert [entry.url for entry in found[0].entries] == [url for url, _, _ in EXPECTED]
    assert all(one.score < 0.1 for one in found if "/2020/" in one.entries[0].url)


def test_a_date_may_be_split_over_several_elements() -> None:
    items = "".join(
        f"<div><p><span>{post.day:%b}</span><span>{post.day.day}</span><span>{post.day.year}</span></p><h2>{post.link}</h2></div>"
        for post in POSTS
    )
    assert best(page(f"<main>{items}</main>")) == EXPECTED


def test_what_readers_see_goes_before_an_attribute_of_another_day() -> None:
    items = "".join(
        f'<li><time datetime="2025-06-03T0{n}:00Z">{post.day:%d %B %Y}</time> {post.link}</li>'
        for n, post in enumerate(POSTS)
    )
    assert best(page(f"<ul>{items}</ul>")) == EXPECTED


def test_dates_are_read_in_the_language_of_the_page() -> None:
    items = "".join(
        f"<li>{post.day.day}. {MONTHS_DE[post.day.month - 1]} {post.day.year}: {post.link}</li>" for post in POSTS
    )
    assert best(page(f"<ul>{items}</ul>", language="de")) == EXPECTED


@pytest.mark.parametrize("form", ["{0.day:02}/{0.month:02}/{0.year}", "{0.month:02}/{0.day:02}/{0.year}"])
def test_the_order_of_day_and_month_is_that_in_which_all_dates_can_be_read(form: str) -> None:
    items = "".join(f"<li><i>{form.format(post.day)}</i> {post.link}</li>" for post in POSTS)
    assert best(page(f"<ul>{items}</ul>")) == EXPECTED


def test_days_ago_are_read_when_the_time_of_fetching_is_known() -> None:
    now = datetime(2021, 3, 10, 12, tzinfo=UTC)
    items = "".join(f"<li>{post.link} <em>{n + 2} days ago</em></li>" for n, post in enumerate(POSTS))
    (first, *_) = post_lists(parse(page(f"<ul>{items}</ul>").encode()), HOME, now)
    assert [entry.published for entry in first.entries][:3] == ["2021-03-08", "2021-03-07", "2021-03-06"]


def test_links_take_the_place_of_dates_where_a_list_has_none() -> None:
    items = "".join(
        f"<div><h2>{post.link}</h2><p>{post.text} <a href='{post.path}'>Read more</a></p></div>" for post in POSTS
    )
    assert best(page(f"{MENU}<div>{items}</div>")) == [(url, title, None) for url, title, _ in EXPECTED]


def test_tags_and_authors_of_a_block_are_not_its_permalink() -> None:
    form = (
        "<div><a href='/category/the-long-name-of-a-category/'>The long name of a category</a> <h2>{link}</h2> {day}"
        "<a rel='author' href='/people/a-very-long-name-of-an-author/'>A very long name of an author</a></div>"
    )
    assert best(page(listed(form, "<div>{}</div>"))) == EXPECTED


def test_a_post_that_another_one_cites_keeps_its_permalink() -> None:
    items = "".join(
        f"<div><h2>{post.link}</h2><span>{post.words}</span><p>{post.text} Read also {before.link} about this.</p></div>"
        for post, before in zip(POSTS, [*POSTS[1:], POSTS[0]], strict=True)
    )
    assert best(page(f"<div>{items}</div>")) == EXPECTED


def test_the_text_of_a_block_is_the_posts_own() -> None:
    form = "<div><h2>{link}</h2><span>{day}</span><p>{text}</p><p><a href='{path}'>3 comments</a></p><p>Thanks for reading</p></div>"
    (first, *_) = post_lists(parse(page(listed(form)).encode()), HOME)
    assert [entry.content_html for entry in first.entries] == [f"<p>{post.text}</p>" for post in POSTS]
    assert all(entry.is_summary and entry.is_synthetic for entry in first.entries)


def test_headings_within_the_text_of_a_block_are_its_own() -> None:
    text = "<h1>Of {title}'s first half</h1><p>{text}</p><h3>3 comments</h3>"
    html = listed("<div><h2>{link}</h2><p>{day}</p>" + text + "</div>")
    [first, *_] = post_lists(parse(page(html).encode()), HOME)
    told = [f"<p>Of {post.title}'s first half</p><p>{post.text}</p>" for post in POSTS]
    assert [entry.content_html for entry in first.entries] == told


def test_the_title_of_the_next_post_is_not_the_text_of_a_block() -> None:
    html = listed("<h2>{title}</h2><p>{day}</p><p>{text}</p><p><a href='{path}'>{title}</a></p>")
    [first, *_] = post_lists(parse(page(html).encode()), HOME)
    assert [entry.content_html for entry in first.entries] == [f"<p>{post.text}</p>" for post in POSTS]


def test_other_sites_and_files_are_no_posts() -> None:
    items = "".join(
        f'<li><a href="http://other.example/{n}.html">A title of some length</a> May {n}, 2020</li>'
        for n in range(1, 9)
    )
    assert best(page(f"<ul>{items}</ul>")) == []


MARKUP = st.recursive(
    st.sampled_from(["May 2, 2014", "text", "2014-05-02", "", "<a href='/x/1'>A title</a>", "<a href='/y'>y</a>", "<br>"]),
    lambda inner: st.tuples(st.sampled_from(["div", "p", "ul", "li", "table", "td", "a", "time", "h2", "span"]), st.lists(inner, max_size=4)).map(
        lambda pair: f"<{pair[0]}>{''.join(pair[1])}</{pair[0]}>"
    ),
    max_leaves=25,
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(MARKUP)
def test_whatever_a_page_holds_its_lists_hold_each_post_of_the_site_once(markup: str) -> None:
    for found in post_lists(parse(page(markup).encode()), HOME):
        urls = [entry.url for entry in found.entries]
        assert len(urls) == len(set(urls)) >= 2
        assert all(url.startswith(HOME) and url != HOME for url in urls)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.dates(date(2001, 1, 1), date(2025, 12, 31)), min_size=2, max_size=12), st.sampled_from(sorted(SHAPES))
)
def test_any_days_are_those_of_their_posts(days: list[date], shape: str) -> None:
    html = SHAPES[shape]
    for post in POSTS:
        html = html.replace(post.words, "@").replace(str(post.day), "@")
    for day in (days * 16)[:16]:
        html = html.replace("@", day.isoformat(), 1)
    marked = [day.isoformat() for day in (days * 16)[:16]]
    found = best(page(html))
    assert [url for url, _, _ in found] == [url for url, _, _ in EXPECTED]
    assert {published for _, _, published in found} <= set(marked)


# ------------------------------------------------------------------------------------------------------ confirmation


def post_page(post: Post, form: str, *, head: str = "") -> str:
    return page(form.format(title=escape(post.title), day=post.words, iso=post.day, text=post.text), head=head)


def confirmed(pages: list[str], entries: list[Entry]) -> list[Entry | None]:
    return confirm(
        [Candidate(parse(html.encode()), entry.url, entry) for html, entry in zip(pages, entries, strict=True)]
    )


def entries_of(*, dated: bool = True) -> list[Entry]:
    return [
        Entry(url, title=title, published=day if dated else None, is_synthetic=True) for url, title, day in EXPECTED
    ]


@pytest.mark.parametrize("dated", [True, False])
@pytest.mark.parametrize(
    "form",
    [
        "<h1>A blog</h1><h2>{title}</h2><p class='meta'>{day}</p><div>{text}</div>",
        "<article><time datetime='{iso}T09:00:00+02:00'>then</time><h1>{title}</h1><div>{text}</div></article>",
        "<div class='title'>{title}</div><div>{text}</div><footer>Written on {day} by Ann</footer>",
    ],
)
def test_a_page_with_the_title_and_a_day_is_a_post(form: str, dated: bool) -> None:
    found = confirmed([post_page(post, form) for post in POSTS], entries_of(dated=dated))
    told = [(entry.url, entry.title, (entry.published or "")[:10]) for entry in found if entry]
    assert told == EXPECTED


@pytest.mark.parametrize("told", [True, False])
def test_a_title_that_the_head_alone_says_is_read_without_the_name_of_the_blog(told: bool) -> None:
    form = "<div>{{}} {day}</div><h2>How we began in {iso}</h2><p>{text}</p>"
    pages = [
        post_page(post, form).replace("{}", post.text[:30]).replace("<title>", f"<title>{escape(post.title)} - ", 1)
        for post in POSTS
    ]
    assert "<title>" in pages[0]
    entries = [entry if told else replace(entry, title=None) for entry in entries_of()]
    assert [entry.title for entry in confirmed(pages, entries) if entry] == [title for _, title, _ in EXPECTED]


def test_metadata_tells_the_day_where_nothing_else_does() -> None:
    pages = [
        post_page(post, "<h1>{title}</h1><p>{text}</p>", head=f'<script type="application/ld+json">{{"@type": "BlogPosting", "datePublished": "{post.day}"}}</script>')
        for post in POSTS
    ]  # fmt: skip
    found = confirmed(pages, entries_of(dated=False))
    assert [entry.published for entry in found if entry] == [day for _, _, day in EXPECTED]


def test_pages_without_a_day_are_no_posts_where_others_have_one() -> None:
    pages = [post_page(post, "<h1>{title}</h1><p>{day}</p><p>{text}</p>") for post in POSTS]
    pages[2] = post_page(POSTS[2], "<h1>{title}</h1><p>{text}</p>")
    found = confirmed(pages, entries_of(dated=False))
    assert [entry is None for entry in found] == [number == 2 for number in range(8)]


def test_a_page_that_shows_another_title_is_no_post_of_the_list() -> None:
    pages = [post_page(POSTS[0], "<h1>Page not found</h1><p>{day}</p>") for _ in POSTS]
    assert confirmed(pages, entries_of(dated=False)) == [None] * 8


def test_a_list_of_a_category_is_no_post() -> None:
    categories = [f"The category of {word}" for word in WORDS[:8]]
    entries = [Entry(f"{HOME}{number}/", title=title) for number, title in enumerate(categories)]
    pages = [page(f"<h1>{title}</h1>{SHAPES['articles']}") for title in categories]
    assert confirmed(pages, entries) == [None] * 8


def test_a_page_whose_title_leads_to_another_is_no_post() -> None:
    """The last page of a category, with one post."""
    form = "<h1>{title}</h1><p>{day}</p><p>{text}</p>"
    last = page(
        f"<h1>Notes</h1><article><h2>{POSTS[0].link}</h2><p>{POSTS[0].words}</p><p>{POSTS[0].text}</p></article>"
    )
    entry = Entry(f"{HOME}notes/11/", title=POSTS[0].title, published=POSTS[0].day.isoformat())
    found = confirmed([last, *(post_page(post, form) for post in POSTS)], [entry, *entries_of()])
    assert [one is None for one in found] == [True, *[False] * 8]


def test_titles_that_all_lead_elsewhere_are_titles() -> None:
    pages = [post_page(post, "<h1><a href='/out/{title}'>{title}</a></h1><p>{day}</p><p>{text}</p>") for post in POSTS]
    assert all(confirmed(pages, entries_of()))


def test_the_next_page_of_a_list_is_no_post() -> None:
    form = "<article><h2>{title}</h2><p>{day}</p><p>{text}</p><a href='{path}'>Read on</a></article>"
    html = listed(form).replace(f"'{POSTS[-1].path}'", "'/notes/page/2/'")
    [first, *_] = post_lists(parse(page(html).encode()), HOME)
    assert [entry.url for entry in first.entries] == [url for url, _, _ in EXPECTED[:-1]]


def test_recent_posts_beside_a_post_do_not_make_it_a_list() -> None:
    form = "<article><h1>{title}</h1><p>{day}</p><div>{text}</div></article>" + SHAPES["articles"].replace("{", "{{")
    found = confirmed([post_page(post, form) for post in POSTS], entries_of())
    assert [entry.published for entry in found if entry] == [day for _, _, day in EXPECTED]


def test_a_title_without_its_subtitle_is_what_the_head_says() -> None:
    pages = [
        f"<html><head><title>A blog — {escape(post.title)}</title></head><body><h2>{escape(post.title)} <span>A subtitle</span></h2><p>{post.words}</p></body></html>"
        for post in POSTS
    ]
    entries = [Entry(url, title=f"{title} A subtitle", published=day) for url, title, day in EXPECTED]
    assert [entry.title for entry in confirmed(pages, entries) if entry] == [title for _, title, _ in EXPECTED]


# --------------------------------------------------------------------------------------------------- where else to look


def test_a_part_of_a_title_behind_a_dash_is_no_subtitle() -> None:
    titles = [f"{post.title} – Of the wind" for post in POSTS]
    pages = [
        page(
            f"<h1>{title}</h1><p>{post.words}</p><p>{post.text}</p>",
            head=f"<title>{title.replace('–', '-')} | A</title>",
        )
        for post, title in zip(POSTS, titles, strict=True)
    ]
    found = confirmed([text.replace("<title>A blog</title>", "") for text in pages], entries_of())
    assert [entry and entry.title for entry in found] == titles


def test_pages_that_are_called_lists_come_first() -> None:
    html = page(
        '<a href="/about/">About me</a><a href="/tag/x/">x</a><a href="/archives/">All posts</a><a href="/p/2" rel="next">2</a>'
    )
    assert list_pages(parse(html.encode()), HOME)[:2] == [f"{HOME}archives/", f"{HOME}p/2"]


@pytest.mark.parametrize("text", ["Archive 2004-2009", "Older posts (120)", "2003–2008 Archiv", "Articles, 2019"])
def test_numbers_beside_the_name_of_a_list_say_nothing(text: str) -> None:
    assert is_called_list("http://blog.example.org/x7", text)


@pytest.mark.parametrize("text", ["2", "2004-2009", "", "About me", "An archive of things that I found in 2009"])
def test_what_names_no_list(text: str) -> None:
    assert not is_called_list("http://blog.example.org/x7", text)


def test_loose_links_are_all_that_may_be_titles() -> None:
    html = page(
        "<p>Read <a href='/one/'>the first story</a> or <b><a href='/two/'>the second</a></b>, or <a href='/tag/x/'>x</a></p>"
    )
    found = loose_links(parse(html.encode()), HOME)
    assert found is not None
    assert [entry.url for entry in found.entries] == [f"{HOME}one/", f"{HOME}two/"]


def test_further_pages_of_lists_in_a_sitemap_are_no_posts() -> None:
    urls = [f"{HOME}tags/rain/page/{number}/" for number in range(2, 9)]
    assert sitemap_lists(urls, HOME) == []
    assert len(sitemap_lists([f"{HOME}page/{word}/" for word in WORDS], HOME)) == 1


def test_lists_that_a_sitemap_names_are_no_posts() -> None:
    """No title is known of them, and all of them show those of posts."""
    pages = [
        page(f"<h1>Notes</h1><article><h2>{post.link}</h2><p>{post.words}</p><p>{post.text}</p></article>")
        for post in POSTS
    ]
    entries = [Entry(f"{HOME}notes/{number}/", is_synthetic=True) for number in range(len(POSTS))]
    assert confirmed(pages, entries) == [None] * 8


def test_a_sitemap_names_pages_by_folder() -> None:
    places = "".join(
        f"<url><loc>{HOME}docs/{n}/</loc></url><url><loc>{HOME}blog/2020-01-0{n + 1}-x/</loc></url>" for n in range(3)
    )
    body = (
        f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{places}</urlset>'.encode()
    )
    pages = [url for url, _ in read_sitemap(body, f"{HOME}sitemap.xml").pages]
    assert len(pages) == 6
    assert [one.entries[0].url.split("/")[3] for one in sitemap_lists(pages, HOME)] == ["blog", "docs"]


@pytest.mark.parametrize(
    "body", [b"", b"<html><p>no", b"\x00\xff", b"<urlset><url><loc>javascript:1</loc></url></urlset>"]
)
def test_what_is_no_sitemap_names_nothing(body: bytes) -> None:
    assert read_sitemap(body, HOME).pages == ()


@pytest.mark.parametrize("untitled", [{0}, {1, 4}, {0, 2, 3, 5, 6}, {6, 7}])
def test_posts_without_titles_stand_among_others(untitled: set[int]) -> None:
    """Each has a date and a permalink as all have, and what it says is no other post's."""
    notes = "".join(
        f"<article>{'' if number in untitled else f'<h2>{post.link}</h2>'}<p>{post.text}</p>"
        f"<p><a href='{post.path}'>{post.words}</a></p></article>"
        for number, post in enumerate(POSTS)
    )
    found = post_lists(parse(page(f"{MENU}<main>{notes}</main>").encode()), HOME)[0].entries
    expected = [
        (url, None if number in untitled else title, day, f"<p>{POSTS[number].text}</p>")
        for number, (url, title, day) in enumerate(EXPECTED)
    ]
    assert [(entry.url, entry.title, entry.published, entry.content_html) for entry in found] == expected


@pytest.mark.parametrize(
    ("language", "day"), [("en", "2020-0{}-03"), ("sv", "2020-03-0{}"), ("tlh", "2020-03-0{}"), ("de", "2020-03-0{}")]
)
def test_days_in_digits_are_read_as_the_language_has_them(language, day):
    items = "".join(
        f'<li><a href="/post-{n}/">A title of post number {n}</a> <span>{n}/3/2020</span></li>' for n in range(1, 9)
    )
    got = best(page(f"<ul>{items}</ul>", language=language))
    assert [published for _, _, published in got] == [day.format(n) for n in range(1, 9)]
