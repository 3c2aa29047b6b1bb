"""What a page means to a crawl."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from blogcrawler.crawl.classifier import PostClassifier, menu, targets_of
from blogcrawler.crawl.journal import Journal
from blogcrawler.crawl.read_page import Outline, ReadPage, read
from blogcrawler.crawl.steps.learning import only_in_menu
from blogcrawler.dom import parse
from blogcrawler.items import Page
from blogcrawler.urls import Scope, identity
from blogcrawler.wrapper import Example, learn
from tests.wrapper.pages import ADDRESS, OLD, POSTS, Post, layout

HOME = f"{ADDRESS}/"


def address(one: Post) -> str:
    return f"{ADDRESS}/archives/{one.number:06}.html"


def block(one: Post, *, foot: str = "") -> str:
    day = f"{one.published:%d %B %Y}"
    return f'<h2 class="date">{day}</h2><div class="blogbody"><h3 class="title">{one.title}</h3>{one.body}{foot}</div>'


def page(*posts: Post, foot: str = "") -> str:
    return layout("".join(block(one, foot=foot) for one in posts))


@pytest.fixture
def reader() -> PostClassifier:
    wrapper = learn([Example(parse(page(one)), one.entry(), address(one)) for one in POSTS])
    reader = PostClassifier(Scope.of(HOME), wrapper, [address(one) for one in POSTS])
    for one in POSTS:
        add_post(reader, page(one), address(one))
    return reader


def shown(reader: PostClassifier, html: str, url: str) -> ReadPage:
    return read(Page(url, b"", tree=parse(html)), reader.wrapper)


def add_post(reader: PostClassifier, html: str, url: str) -> None:
    reader.add_post(shown(reader, html, url))


def is_post(reader: PostClassifier, html: str, url: str) -> bool:
    return reader.verdict(shown(reader, html, url), is_last=True) is True


FOOT = '<span class="foot">Posted by somebody at noon</span>'


def test_routes_are_pages_where_posts_are_routes(reader: PostClassifier) -> None:
    """Elsewhere they are nothing: each link of a page may have one."""
    tree = parse("<a href='#/portal/signup'>Join</a><a href='/#!/x'>X</a><a href='#comments'>C</a><a href='/a'>A</a>")
    assert reader.links(Outline.of(tree, HOME)) == [HOME, f"{HOME}a"]
    routed = replace(reader, posts=[f"{HOME}%23%2F/archives/{one.number}" for one in POSTS])
    assert routed.links(Outline.of(tree, HOME)) == [f"{HOME}%23%2F/portal/signup", f"{HOME}%23!%2F/x", HOME, f"{HOME}a"]
    assert PostClassifier.from_dict(routed.to_dict(), routed.wrapper).links(Outline.of(tree, HOME)) == routed.links(
        Outline.of(tree, HOME)
    )


def test_a_month_with_one_post_is_no_post(reader: PostClassifier) -> None:
    """Its list stands in the folder of the posts, and looks like one."""
    assert is_post(reader, page(OLD[0]), address(OLD[0]))
    add_post(reader, page(OLD[0]), address(OLD[0]))
    assert not is_post(reader, page(OLD[0], foot=FOOT), f"{ADDRESS}/archives/2017_06.html")
    assert not is_post(reader, page(OLD[1], foot=FOOT), f"{ADDRESS}/archives/2017_05.html"), "all months are alike"
    assert is_post(reader, page(OLD[1]), address(OLD[1]))


def test_a_tag_with_the_beginning_of_one_post_is_no_post(reader: PostClassifier) -> None:
    """It has a title of its own, and an article whose heading leads to the post."""
    post = OLD[0]

    def tagged(url: str) -> str:
        body = f'<h2><a href="{url}">{post.title}</a></h2>{post.body}'
        return layout(
            f'<h3 class="title">All about it</h3><h2 class="date">1 May 2017</h2><div class="blogbody">{body}</div>'
        )

    add_post(reader, page(post), address(post))
    assert not is_post(reader, tagged(address(post)), f"{ADDRESS}/archives/about_it.html")
    assert is_post(reader, tagged("http://elsewhere.example/"), f"{ADDRESS}/archives/about_else.html")


def test_a_tag_that_has_the_title_and_day_of_its_only_post_is_no_post(reader: PostClassifier) -> None:
    """Its article begins with words of its own."""
    post = OLD[0]
    add_post(reader, page(post), address(post))

    def tagged(day: str) -> str:
        heading = f'<h4><a href="{address(post)}">{post.title}</a></h4>'
        words = "<p>What was filed here, by the hand of the keeper of this place, in the course of its years.</p>"
        return layout(
            f'<h2 class="date">{day}</h2><div class="blogbody"><h3 class="title">All about it</h3>{words}{heading}{words}</div>'
        )

    assert not is_post(reader, tagged(f"{post.published:%d %B %Y}"), f"{ADDRESS}/archives/about_it.html")
    assert is_post(reader, tagged("3 March 2016"), f"{ADDRESS}/archives/about_mills.html")


def test_a_day_whose_only_post_was_not_read_is_no_post(reader: PostClassifier) -> None:
    """Its title leads to an address of posts."""
    title = f'<a href="/archives/000999.html">{OLD[0].title}</a>'
    html = page(OLD[0]).replace(f">{OLD[0].title}<", f">{title}<")
    assert title in html
    assert not is_post(reader, html, f"{ADDRESS}/archives/2017_06.html")


def test_a_post_that_ends_with_a_related_one_is_a_post(reader: PostClassifier) -> None:
    related = f'<h4><a href="{address(POSTS[0])}">{POSTS[0].title}</a></h4>'
    html = page(OLD[0]).replace(OLD[0].body, f"{OLD[0].body}{related}")
    assert related in html
    assert is_post(reader, html, f"{ADDRESS}/archives/a_name_for_once.html")


def test_links_to_what_is_no_address_are_passed_over(reader: PostClassifier) -> None:
    wrong = '<h4><a href="http://www,else.example">Else</a></h4><a href="http://[::1"><h4>Else</h4></a>'
    tree = parse(page(OLD[0], foot=wrong))
    assert not any("else" in target or "[" in target for target in targets_of(tree, address(OLD[0])))
    assert is_post(reader, page(OLD[0], foot=wrong), f"{ADDRESS}/archives/a_name_for_once.html")
    entries = [
        (Page(address(one), b"", None, 200, None, tree=parse(page(one, foot=wrong))), one.entry()) for one in POSTS
    ]
    assert only_in_menu(entries) == set()


def test_a_month_with_two_posts_is_no_post(reader: PostClassifier) -> None:
    assert not is_post(reader, page(OLD[0], OLD[1]), f"{ADDRESS}/archives/2017_06.html")
    assert not is_post(reader, page(OLD[2]), f"{ADDRESS}/archives/2017_05.html")


def test_a_post_with_a_name_among_posts_with_numbers_is_one(reader: PostClassifier) -> None:
    assert is_post(reader, page(OLD[0]), f"{ADDRESS}/archives/a_name_for_once.html")
    add_post(reader, page(OLD[0]), f"{ADDRESS}/archives/a_name_for_once.html")
    assert not is_post(reader, page(OLD[0]), f"{ADDRESS}/archives/the_same_again.html")


def test_a_post_whose_name_is_a_number_behind_its_own_day_is_one() -> None:
    """Its day alone is a list, and so are further pages of that, and the page of a day with one post on it."""
    wrapper = learn([Example(parse(page(one)), one.entry(), one.url) for one in POSTS])
    reader = PostClassifier(Scope.of(HOME), wrapper, [one.url for one in POSTS])
    for one in [*POSTS, OLD[2]]:
        add_post(reader, page(one), one.url)
    day = f"{ADDRESS}/{OLD[0].published:%Y/%m/%d}/"
    assert is_post(reader, page(OLD[0]), f"{day}18/")
    assert not is_post(reader, page(OLD[0]), day)
    assert not is_post(reader, page(OLD[0], OLD[1]), f"{day}2/")
    assert not is_post(reader, page(OLD[2], foot=FOOT), f"{ADDRESS}/{OLD[2].published:%Y/%m/%d}/2/")
    other = f"{ADDRESS}/{OLD[1].published:%Y/%m/%d}/18/"
    assert not is_post(reader, page(OLD[0]), other), "it has the date of another day"


def test_what_was_learned_of_lists_is_kept(reader: PostClassifier) -> None:
    assert not is_post(reader, page(OLD[0], OLD[1]), f"{ADDRESS}/archives/2017_06.html")
    again = PostClassifier.from_dict(reader.to_dict(), reader.wrapper)
    assert not is_post(again, page(OLD[2]), f"{ADDRESS}/archives/2017_05.html")


def test_pages_elsewhere_are_no_posts(reader: PostClassifier) -> None:
    assert not is_post(reader, page(OLD[0]), f"{ADDRESS}/about.html")
    assert not is_post(reader, page(OLD[0]), f"{ADDRESS}/")


def other_template(one: Post, *, dated: bool = True) -> str:
    day = f"<font>{one.published:%d %B %Y}</font>" if dated else ""
    text = one.body.replace("p>", "blockquote>")
    return (
        f"<!DOCTYPE html><title>{one.title}</title><body><table><tr><td><a href=/>Home</a></td><td><h4>Words</h4>"
        f"<h3>{one.title}</h3>{day}{text}</td></tr></table>"
    )


def test_a_post_of_another_template_is_one_at_an_address_of_posts(reader: PostClassifier) -> None:
    assert is_post(reader, other_template(OLD[0]), address(OLD[0]))
    assert not is_post(reader, other_template(OLD[1]), f"{ADDRESS}/about.html")
    assert not is_post(reader, other_template(OLD[1], dated=False), address(OLD[1])), "it states no date"


def test_a_page_of_another_template_that_all_posts_link_to_is_none(reader: PostClassifier) -> None:
    page_of_menu = address(OLD[2])
    reader.menu = menu([[page_of_menu, address(one), HOME] for one in POSTS])
    assert reader.menu == {identity(page_of_menu), identity(HOME)}
    assert not is_post(reader, other_template(OLD[2]), page_of_menu)
    assert PostClassifier.from_dict(reader.to_dict(), reader.wrapper).menu == reader.menu


def test_a_page_of_the_menu_in_the_template_of_posts_is_none_where_a_list_names_it_among_posts(
    reader: PostClassifier,
) -> None:
    about = f"{ADDRESS}/about.html"
    for one in POSTS:
        reader.places.note([(address(one), 7), (about, 7)], f"{ADDRESS}/all-pages.html")
    assert is_post(reader, page(OLD[0]), about)
    reader.menu = menu([[about, address(one), HOME] for one in POSTS])
    assert not is_post(reader, page(OLD[0]), about)


def test_a_known_post_is_one_though_all_pages_link_to_it_or_the_feed_tells_no_news_of_it(
    reader: PostClassifier,
) -> None:
    """Updates read it again for its sitemap, or its comments."""
    url = address(OLD[2])
    reader.menu = menu([[url, address(one), HOME] for one in POSTS])
    assert not is_post(reader, page(OLD[2]), url)
    reader.add_known_posts([url])
    assert is_post(reader, page(OLD[2]), url)
    reader.menu, reader.feed_since = frozenset(), "2000-01-01"
    assert is_post(reader, page(OLD[2]), url)
    assert not is_post(reader, page(OLD[1]), address(OLD[1])), "it is newer than the feed's entries, and none of them"


FRENCH = (
    "Il faisait encore nuit quand le petit train est parti vers la montagne, et personne ne savait encore pourquoi "
    "le vieux chef de gare avait laissé sa lampe allumée devant la porte de la maison."
)


def test_a_post_may_be_in_any_language(reader: PostClassifier) -> None:
    post = replace(OLD[0], title="Le petit train", paragraphs=(FRENCH,))
    url = f"{ADDRESS}/le-petit-train"
    listed = layout("".join(f'<li><a href="{one}">Here</a></li>' for one in (*map(address, POSTS), url)))
    reader.links(Outline.of(parse(listed), HOME))
    assert is_post(reader, page(post), url)


@pytest.mark.parametrize("named", [True, False])
def test_a_translation_is_a_post_and_the_same_text_is_none(reader: PostClassifier, named: bool) -> None:
    """Where nothing but the post's name, or the page's head, tells of it."""
    known, french = POSTS[0], replace(POSTS[0], title="Le petit train", paragraphs=(FRENCH,))
    add_post(reader, page(known), address(known))
    url = f"{ADDRESS}/fr/le-petit-train.html" if named else address(known).replace(ADDRESS, f"{ADDRESS}/fr")
    head = f'<link rel="alternate" hreflang="en" href="{address(known)}">' if named else ""
    assert is_post(reader, page(french).replace("</head>", f"{head}</head>"), url)
    assert not is_post(reader, page(known).replace("</head>", f"{head}</head>"), f"{url}?copy=1")
    assert not is_post(reader, page(french), f"{ADDRESS}/fr/elsewhere.html")


def test_few_pages_tell_no_menu() -> None:
    assert menu([[HOME], [HOME]]) == frozenset()


@pytest.mark.parametrize(
    ("one", "other", "is_believed"),
    [
        ("000001.html", "000001.html/comment-page-3/#comments", False),
        ("000001.html", "000001.html/?all=1", False),
        ("000001.html", "000002.html", True),
        ("000001.html/print/", "000001.html", True),
        ("topics/", "topics/all/", True),
    ],
)
def test_a_post_is_no_part_of_itself(reader: PostClassifier, one: str, other: str, is_believed: bool) -> None:
    head = f'<link rel="canonical" href="{ADDRESS}/archives/{other}">'
    reader.trusts_canonical = True
    told = reader.canonical(Outline.of(parse(layout("x", head=head)), f"{ADDRESS}/archives/{one}"))
    assert (told is not None) == is_believed


def test_pages_of_the_menu_beside_recent_posts_are_none_where_the_feed_has_no_dates() -> None:
    """Pages made by hand: one column for the menu and for recent posts, one date below all pages."""

    def made(title: str, text: str) -> str:
        recent = "".join(f'<a href="{address(one)}">{one.title}</a><br>' for one in POSTS)
        menu = '<a href="/about.html">About</a><br><a href="/links.html">Links</a><br>'
        foot = "<p>Made by hand. Last updated 5 January 2024.</p>"
        head = f"<head><title>A log - {title}</title></head>"
        return f"<html>{head}<body><table><tr><td>{menu}{recent}</td><td>{text}</td></tr></table>{foot}</body></html>"

    def post_page(one: Post) -> str:
        signed = f"<table><tr><td>posted on {one.published:%d %B %Y}</td></tr></table>"
        return made(
            one.title, f"<table><tr><td><b>{one.title}</b></td></tr><tr><td>{one.body}</td></tr></table>{signed}"
        )

    pages = [(parse(post_page(one)), address(one)) for one in POSTS]
    entries = [one.entry(published=None) for one in POSTS]
    wrapper = learn([Example(tree, entry, url) for (tree, url), entry in zip(pages, entries, strict=True)])
    reader = PostClassifier(Scope.of(HOME), wrapper, [url for _, url in pages])
    reader.menu = menu([reader.links(Outline.of(tree, url)) for tree, url in pages])
    for tree, url in pages:
        reader.add_post(read(Page(url, b"", tree=tree), wrapper))
    for name in ("about", "links"):
        other = made(name, f"<b>{name.capitalize()}</b>{OLD[0].body}")
        assert not is_post(reader, other, f"{HOME}{name}.html")
    assert is_post(reader, post_page(OLD[1]), address(OLD[1]))


def test_copies_are_told_by_what_they_repeat_and_where_they_stand(reader: PostClassifier) -> None:
    copy, other = page(POSTS[0]), page(POSTS[1])
    own = address(POSTS[0])
    name = own.rpartition("/")[2]
    assert reader.repeated(shown(reader, copy, own)) is None, "a page is no copy of itself"
    assert reader.repeated(shown(reader, copy, f"{ADDRESS}/elsewhere")) == f"http://{identity(own)}"
    assert reader.repeats_post(shown(reader, copy, f"{ADDRESS}/print/archives/{name}"))
    assert reader.repeats_post(shown(reader, copy, f"{own}/amp"))
    assert not reader.repeats_post(shown(reader, page(OLD[0]), f"{ADDRESS}/print/archives/{name}"))
    assert not reader.repeats_post(shown(reader, other, f"{ADDRESS}/about"))


def test_the_canonical_address_may_be_on_another_site_of_the_blog(reader: PostClassifier) -> None:
    new = "http://example.net/archives/1.html"
    tree = parse(f'<link rel="canonical" href="{new}">')
    reader.trusts_canonical = True
    assert reader.canonical(Outline.of(tree, address(POSTS[0]))) is None
    reader.scope = Scope((*reader.scope.sites, "example.net"))
    assert reader.canonical(Outline.of(tree, address(POSTS[0]))) == new


def test_a_post_that_is_there_twice_is_one(reader: PostClassifier) -> None:
    """Under another category, say: the address looks like a post's, and all is the same."""
    page_of_old = page(OLD[0])
    assert is_post(reader, page_of_old, address(OLD[0]))
    add_post(reader, page_of_old, address(OLD[0]))
    assert is_post(reader, page_of_old, address(OLD[0])), "no copy of itself"
    assert not is_post(reader, page_of_old, address(OLD[1]))
    assert is_post(reader, page_of_old.replace(OLD[0].title, f"{OLD[0].title} again"), address(OLD[1]))


def test_a_post_that_was_published_twice_is_two(reader: PostClassifier) -> None:
    """Lists link to both, as they do to other posts; under another folder it is the same."""
    again, elsewhere = f"{ADDRESS}/archives/000777.html", f"{ADDRESS}/archives/notes/{OLD[0].number:06}.html"
    urls = [*map(address, POSTS), address(OLD[0]), again, elsewhere]
    listed = layout("".join(f'<h3 class="title"><a href="{url}">Words</a></h3>' for url in urls))
    reader.links(Outline.of(parse(listed), HOME))
    add_post(reader, page(OLD[0]), address(OLD[0]))
    assert reader.is_permalink(again)
    assert is_post(reader, page(OLD[0]), again)
    assert not is_post(reader, page(OLD[0]), elsewhere)


@pytest.mark.parametrize(
    ("post", "copy", "is_copy"),
    [
        ("/archives/000001.html", "/archives/000001.html?look=paper", True),
        ("/archives/000001.html", "/print/000001.html", True),
        ("/archives/000001.html", "/archives/000001.html/amp/", True),
        ("/archives/000001.html", "/archives/2017_06.html", False),
        ("/?p=1990", "/?p=1990&look=paper", True),
        ("/?p=1990", "/?m=201506", False),
        ("/read.php?id=7", "/mobile/read.php?id=7", True),
        ("/read.php?id=7", "/read.php?tag=mills", False),
    ],
)
def test_a_copy_of_a_post_is_told_from_a_list_of_one(
    reader: PostClassifier, post: str, copy: str, is_copy: bool
) -> None:
    html = page(OLD[0])
    add_post(reader, html, ADDRESS + post)
    assert reader.repeats_post(shown(reader, html, ADDRESS + copy)) is is_copy


def test_two_posts_of_one_day_and_title_are_two(reader: PostClassifier) -> None:
    """Each links to the other as its neighbour; the addresses are of another form than those of the feed's posts."""
    one = OLD[0]
    other = replace(OLD[1], title=one.title, published=one.published)
    first, second = f"{ADDRESS}/archives/a_walk.html", f"{ADDRESS}/archives/another_walk.html"
    near = [f'<p class="near"><a href="{url}">{one.title}</a></p>' for url in (second, first)]
    pages = [page(post).replace("</body>", f"{foot}</body>") for post, foot in zip((one, other), near, strict=True)]
    assert is_post(reader, pages[0], first)
    add_post(reader, pages[0], first)
    assert is_post(reader, pages[1], second)


@pytest.mark.parametrize("killed_at", range(1, 6))
async def test_a_crawl_that_goes_on_tells_the_same_pages(reader: PostClassifier, killed_at: int) -> None:
    """The third of a form of addresses that is linked nowhere settles it; below a page that is not told none counts."""
    pages = [(page(one), f"{ADDRESS}/essays/{one.number}-a/") for one in OLD[:5]]
    pages.insert(2, (page(OLD[5]), f"{ADDRESS}/essays/{OLD[0].number}-a/part/"))
    start = json.dumps(reader.to_dict())

    async def verdicts(kill: int | None) -> list[bool | None]:
        told: list[bool | None] = []
        journal, kept, crawl = Journal(), list[Any](), PostClassifier.from_dict(json.loads(start), reader.wrapper)
        crawl.keep_in(journal)
        for number, (html, url) in enumerate(pages):
            if number == kill:
                kept += json.loads(json.dumps(journal.unsaved))
                journal, crawl = Journal(), PostClassifier.from_dict(json.loads(start), reader.wrapper)
                crawl.keep_in(journal)
                await journal.repeat(kept)
            told.append(crawl.verdict(one := shown(crawl, html, url)))
            if told[-1]:
                crawl.add_post(one)
        return told

    uninterrupted = await verdicts(None)
    assert {None, True} <= set(uninterrupted)
    assert await verdicts(killed_at) == uninterrupted


def test_what_recurs_in_titles_is_known_to_whoever_goes_on(reader: PostClassifier) -> None:
    """A crawl that goes on has seen no title yet; each template of the blog has its pages' titles."""
    reader.wrapper = replace(reader.wrapper, templates=(reader.wrapper,), older=(reader.wrapper,))
    for number in range(8):
        html = f"<title>Kettle number {number} | The Blog</title><a href='/'>Home</a>"
        reader.links(Outline.of(parse(html), f"{HOME}{number}"))
    known = reader.wrapper.ends
    assert known.cut("Another kettle | The Blog") == "Another kettle"
    assert [one.ends for one in (*reader.wrapper.templates, *reader.wrapper.older)] == [known, known]
    later = PostClassifier.from_dict(reader.to_dict(), reader.wrapper)
    later.links(Outline.of(parse("<title>Kettle number 9 | The Blog</title><a href='/'>Home</a>"), f"{HOME}9"))
    assert later.wrapper.ends == known
