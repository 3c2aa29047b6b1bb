"""Cleaning: what stands in the article's container and is not the article goes, and nothing of the article does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from blogcrawler.dom import parse
from blogcrawler.wrapper import learn
from blogcrawler.wrapper.refinements.exclusions import Exclusion, Exclusions, clean
from tests.wrapper.pages import (
    OLD,
    POSTS,
    Post,
    Template,
    article,
    examples,
    extracted,
    layout,
    learned,
    prose,
    summaries,
    words,
)

SHARE = '<div class="share"><a href="#">Tweet this note</a> <a href="#">Send it by mail</a></div>'
RELAXED = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def framed(inside: str) -> str:
    return layout(f'<h1 class="head">A title</h1><div class="entry">{inside}</div>')


def around(before: str = "", after: str = "") -> Template:
    """A template with the same markup before and after the article, in its container; {} is a text of each post."""

    def template(one: Post) -> str:
        own = prose(f"other {one.number}", 12)
        return framed(before.replace("{}", own) + one.body + after.replace("{}", own))

    return template


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", SHARE),
        (SHARE, ""),
        (SHARE, SHARE),
        ("", "<ul><li>Tweet this note</li><li>Send it by mail</li></ul>"),
        ("", "<p>Share this note with all your friends and foes.</p>"),
        ("<p>Reading this takes four minutes of your life.</p>", ""),
        ('<p class="byline">By somebody, on a day like many</p>', '<p class="tags">Filed under things</p>'),
        ("", '<h3>You may like this too</h3><ul class="related"><li>{}</li><li>Another note</li></ul>'),
        ("", '<div><div><span class="likes">17 people like this note</span></div></div>'),
        ("", "<hr><p>Subscribe to the letter that comes every month.</p>"),
        ("<div class='toc'><b>Contents</b> First part, second part</div>", '<div class="next">{}</div>'),
    ],
)
def test_what_stands_beside_the_article_goes(before: str, after: str) -> None:
    template = around(before, after)
    wrapper = learned(template)
    for one in OLD:
        assert words(extracted(wrapper, template, one)) == article(one)


def test_two_last_paragraphs_without_names_go_and_no_third() -> None:
    template = around(
        after="<p>Share this note with all your friends and foes.</p><p>Subscribe to the letter that comes every month.</p>"
    )
    wrapper = learned(template)
    for one in OLD:
        assert words(extracted(wrapper, template, one)) == article(one)


def test_two_first_paragraphs_without_names_go_and_no_third() -> None:
    template = around("<p>Reading this takes four minutes of your life.</p><p>There are no pictures in it at all.</p>")
    wrapper = learned(template)
    for one in OLD:
        assert words(extracted(wrapper, template, one)) == article(one)


def test_what_only_some_posts_have_goes_from_all_that_have_it() -> None:
    def template(one: Post) -> str:
        series = '<div class="series">This note belongs to a series of notes on rivers.</div>'
        return framed((series if one.number % 2 else "") + one.body)

    wrapper = learned(template)
    for one in OLD:
        assert words(extracted(wrapper, template, one)) == article(one)


def test_the_same_on_a_feed_of_summaries() -> None:
    wrapper = learn(summaries(around(after=SHARE)))
    for one in OLD:
        assert words(extracted(wrapper, around(after=SHARE), one)) == article(one)


def loose(one: Post) -> str:
    """The article lies between the title and readers' comments, in one element with both."""
    comments = "".join(f"<p>{prose(f'reader {one.number}/{n}', 60)}</p>" for n in range(4))
    return f'<div id="content"><h1>{one.title}</h1>{one.body}<h3>What readers say</h3>{comments}</div>'


def loose_among_others(one: Post) -> str:
    return layout(f"{loose(one)}<p>Notes of all sorts, since the year of the comet.</p>")


def loose_in_a_shell(one: Post) -> str:
    return layout(loose(one))


@pytest.mark.parametrize("template", [loose_among_others, loose_in_a_shell])
def test_an_article_without_a_container_is_cut_out(template: Template) -> None:
    wrapper = learned(template)
    assert wrapper.article.mode == "spread"
    assert {exclusion.extent for exclusion in wrapper.article.exclusions.nodes} >= {"before", "after"}
    for one in OLD:
        found = extracted(wrapper, template, one)
        assert words(found) == article(one)
        assert found.title == one.title


TABLE = "<table><tr><td>{}</td><td>{}</td></tr></table>"
# Not tables alone: where most posts are one table, its row is taken for the element of articles.
BLOCKS = st.lists(
    st.sampled_from(
        [
            "<p>{}</p>",
            "<blockquote><p>{}</p></blockquote>",
            "<ul><li>{}</li><li>{}</li></ul>",
            "<pre>{}</pre>",
            "<h2>{}</h2>",
            TABLE,
            '<div class="note">{}</div>',
            "<figure><img src=a.png><figcaption>{}</figcaption></figure>",
            "<p><a href=/x>{}</a></p>",
            "{}<br>",
        ]
    ),
    min_size=1,
    max_size=6,
).filter(lambda blocks: set(blocks) != {TABLE})


TEXT, LINK = "<p>{}</p>", "<p><a href=/x>{}</a></p>"


@RELAXED
@example([[TEXT]] * 3 + [[LINK]] * 3, SHARE, SHARE)
@example([[TEXT]] * 2 + [[LINK]] * 4, SHARE, SHARE)
@example([[LINK]] * 6, SHARE, SHARE)
@example([[TEXT]] * 3 + [["<ul><li><a href=/x>{}</a></li></ul>"]] * 3, SHARE, SHARE)
@given(st.lists(BLOCKS, min_size=6, max_size=6), st.sampled_from(["", SHARE]), st.sampled_from(["", SHARE]))
def test_nothing_of_the_article_goes(shapes: list[list[str]], before: str, after: str) -> None:
    bodies = [
        "\n".join(_filled(block, f"{number}/{place}") for place, block in enumerate(blocks))
        for number, blocks in enumerate(shapes)
    ]

    def template(one: Post) -> str:
        return framed(before + bodies[one.number] + after)

    posts = POSTS[: len(bodies)]
    pairs = [pair for one in posts for pair in examples(template, [one], content_html=bodies[one.number])]
    wrapper = learn(pairs)
    for one in posts:
        found = words(extracted(wrapper, template, one))
        missing = [word for word in _words(bodies[one.number]) if word not in found]
        assert not missing, wrapper.article


def _filled(block: str, seed: str) -> str:
    for number in range(block.count("{}")):
        block = block.replace("{}", prose(f"{seed}/{number}", 14), 1)
    return block


def _words(html: str) -> list[str]:
    return " ".join(parse(f"<div>{html}</div>").find(".//div").itertext()).split()


def test_an_aside_that_the_feed_has_too_stays() -> None:
    def template(one: Post) -> str:
        return framed(f'<div class="aside"><p>{one.paragraphs[0]}</p></div>{one.body}{SHARE}')

    def whole(one: Post) -> str:
        return f"<p>{one.paragraphs[0]}</p>{one.body}"

    wrapper = learn([pair for one in POSTS for pair in examples(template, [one], content_html=whole(one))])
    for one in OLD:
        assert words(extracted(wrapper, template, one)) == f"{one.paragraphs[0]} {article(one)}"


@pytest.mark.parametrize(
    ("exclusion", "left"),
    [
        (Exclusion(".//i"), "0<p>a</p>1<b>b</b>2 3<p>d</p>4"),
        (Exclusion("./b", "after"), "0<p>a</p>1"),
        (Exclusion("./b", "before"), "2<i>c</i>3<p>d</p>4"),
        (Exclusion("./x"), "0<p>a</p>1<b>b</b>2<i>c</i>3<p>d</p>4"),
        (Exclusion("./x", "after"), "0<p>a</p>1<b>b</b>2<i>c</i>3<p>d</p>4"),
        (Exclusion(".//p"), "0 1<b>b</b>2<i>c</i>3 4"),
    ],
)
def test_the_extents_of_an_exclusion(exclusion: Exclusion, left: str) -> None:
    container = parse("<div>0<p>a</p>1<b>b</b>2<i>c</i>3<p>d</p>4</div>").find(".//div")
    clean(container, Exclusions((exclusion,)))
    expected = parse(f"<div>{left}</div>").find(".//div")
    assert [(node.tag, (node.text or "").split()) for node in container.iter()] == [
        (node.tag, (node.text or "").split()) for node in expected.iter()
    ] or exclusion.extent == "node"
    assert "".join(container.itertext()).replace(" ", "") == "".join(expected.itertext()).replace(" ", "")


def test_the_page_is_left_as_it_is() -> None:
    template = around(SHARE, SHARE)
    wrapper, page = learned(template), parse(template(OLD[0]))
    before = list(page.iter())
    assert "Tweet" not in words(wrapper.extract(page))
    assert list(page.iter()) == before


def test_links_of_an_articles_text_stay_where_the_feed_has_shorter_posts() -> None:
    """Some posts of the feed have text without a paragraph, and the feed leaves that out; old posts have links anywhere."""

    def linked(one: Post) -> str:
        links = [f'<a href="/{n}/">{prose(f"{one.number}/{n}", 3)[::-1]}</a>' for n in range(3 + one.number % 3)]
        more = "" if one.number % 4 else f"See {', '.join(links)}."
        return layout(f'<h1>{one.title}</h1><div class="text">{one.body.replace("</p>", f"</p>{more}", 1)}</div>')

    wrapper = learned(linked)
    assert wrapper.article.mode == "full"
    page = layout(f'<h1>Old</h1><div class="text">About <a href="/x/">the river</a> and {prose("old", 40)}</div>')
    found = wrapper.extract(parse(page), None)
    assert "About the river and" in words(found)


@pytest.mark.parametrize("form", ["{}", '<div class="highlight">{}<button>copy</button></div>'])
def test_code_that_differs_in_numbers_stays_where_the_feed_has_summaries(form: str) -> None:
    def code(one: Post) -> str:
        return "\n".join(f"x{line} = call_{one.number}_{line}(y)" for line in range(4)) if one.number % 2 else ""

    def template(one: Post) -> str:
        spans = "".join(f"<span>{line}\n</span>" for line in code(one).split("\n"))
        listing = form.format(f"<pre><code>{spans}</code></pre>") if one.number % 2 else ""
        first, *rest = one.body.split("\n")
        return framed("\n".join([first, listing, *rest]))

    wrapper = learn(summaries(template))
    for one in OLD:
        first, *rest = one.paragraphs
        assert words(extracted(wrapper, template, one)) == " ".join([first, *code(one).split(), *rest])


def recipe(one: Post, every: int = 3, ending: str = "<p>Enjoy your meal, and until next week!</p>") -> str:
    """A post with headings, items and a last line that the author repeats on most posts, in the text and behind it."""
    first, *rest = (f"<p>{paragraph}</p>" for paragraph in one.paragraphs)
    if one.number % every == every - 1:
        return framed(first + "".join(rest))
    parts = f"<h2 id='ing'>What you need</h2><ul><li>500 g of flour</li><li>{one.number} eggs</li><li>a pinch of salt</li></ul>"
    return framed(f"{first}{parts}<h2 id='how'>What you do</h2>{''.join(rest)}{ending}{SHARE}")


@pytest.mark.parametrize("every", [2, 3])
def test_what_an_author_repeats_on_many_posts_stays_where_the_feed_has_summaries(every: int) -> None:
    wrapper = learn(summaries(lambda one: recipe(one, every)))
    for one in OLD:
        found = words(extracted(wrapper, lambda one: recipe(one, every), one))
        for text in ("What you need", "500 g of flour", "a pinch of salt", "What you do", "until next week"):
            assert (text in found) == (one.number % every != every - 1)
        assert "Tweet this note" not in found


def in_parts(one: Post) -> str:
    """Headings and a note's name that all posts have, in the text or in sections, boxes below and amid it."""
    first, second, third, *_ = (f"<p>{paragraph}</p>" for paragraph in one.paragraphs)
    note = f"<div class='note'><p class='name'>Mind this</p>{second}</div>"
    letter = (
        "<div class='letter'><h3>Get the letter</h3><p>One letter a month.</p><form><input name='mail'></form></div>"
    )
    return framed(
        f"{first}<h2 class='part'>The beginning</h2>{note}{letter}<section><h2 class='part'>The end</h2>{third}</section>"
        f"{SHARE}<div class='author'><h4>About me</h4><p>Somebody who binds books by the sea.</p></div>"
    )


def test_what_all_posts_say_amid_their_text_stays_where_the_feed_has_summaries() -> None:
    wrapper = learn(summaries(in_parts))
    for one in OLD:
        first, second, third, *_ = one.paragraphs
        expected = f"{first} The beginning Mind this {second} The end {third}"
        assert words(extracted(wrapper, in_parts, one)) == expected


@pytest.mark.parametrize("opening", ['<div class="modal fade" id="source">', '<div role="dialog">', "<dialog>"])
@pytest.mark.parametrize("blog", [examples, summaries])
def test_a_dialog_with_the_source_of_the_article_is_no_part_of_it(opening: str, blog: Callable[..., Any]) -> None:
    def template(one: Post) -> str:
        source = f'<pre><code><span>title: "{one.title}"</span>\n<span>{one.paragraphs[0]}</span></code></pre>'
        return framed(f"{one.body}{opening}<h5>Source</h5>{source}{opening.split()[0].replace('<', '</').rstrip('>')}>")

    wrapper = learn(blog(template))
    for one in OLD:
        assert words(extracted(wrapper, template, one)) == article(one)
