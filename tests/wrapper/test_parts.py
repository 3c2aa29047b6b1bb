"""Entries that bring a part of the article, and that part has an element of its own on the post's page."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING

import pytest

from blogcrawler.dom import parse
from blogcrawler.wrapper import Example, Wrapper, learn
from tests.wrapper.pages import (
    OLD,
    POSTS,
    Post,
    Template,
    article,
    examples,
    extracted,
    layout,
    post,
    prose,
    recent,
    words,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from blogcrawler.items import Entry

TAGGED = "<p class='tagged'>Filed under notes</p>"


def page(one: Post, text: str) -> str:
    body = f'<div class="entry">{text}</div>{TAGGED}'
    return layout(f'<h1>{escape(one.title)}</h1><p class="by">{one.published:%d %B %Y}</p>{body}', side=recent())


def wrapped(one: Post) -> str:
    """Each paragraph in an element of its own, as AsciiDoc has it."""
    return page(one, "".join(f'<div class="paragraph"><p>{text}</p></div>' for text in one.paragraphs))


def sections(one: Post) -> str:
    """The same in sections, of which the first has no heading."""
    first, *rest = (f'<div class="paragraph"><p>{text}</p></div>' for text in one.paragraphs)
    parts = [
        f'<div class="part"><h2>Number {n}</h2><div class="body">{text}</div></div>' for n, text in enumerate(rest)
    ]
    return page(one, f'<div id="preamble"><div class="body">{first}</div></div>' + "".join(parts))


def led_in(one: Post) -> str:
    """A first paragraph that stands out from the rest."""
    first, *rest = one.paragraphs
    text = "".join(f"<p>{text}</p>" for text in rest)
    return page(one, f'<div class="lead">{first}</div><div class="text">{text}</div>')


TEMPLATES = pytest.mark.parametrize("template", [wrapped, sections, led_in])


def first_paragraphs(template: Template, told: int = len(POSTS), *, is_summary: bool = True) -> list[Example]:
    """Training pages whose entries bring the first paragraph, or nothing but for the first `told` of them."""
    return [
        Example(
            parse(template(one)),
            one.entry(content_html=f"<p>{one.paragraphs[0]}</p>" if number < told else None, is_summary=is_summary),
            one.url,
        )
        for number, one in enumerate(POSTS)
    ]


def assert_whole(wrapper: Wrapper, template: Template) -> None:
    for one in OLD:
        found = words(extracted(wrapper, template, one))
        assert all(paragraph in found for paragraph in one.paragraphs)
        assert "Filed under" not in found
        assert one.title not in found


@TEMPLATES
def test_a_first_paragraph_is_not_the_article(template: Template) -> None:
    assert_whole(learn(first_paragraphs(template)), template)


def test_nor_is_it_where_the_feed_calls_it_the_content() -> None:
    assert_whole(learn(first_paragraphs(wrapped, is_summary=False)), wrapped)


@TEMPLATES
def test_nor_is_it_where_few_entries_bring_any_text(template: Template) -> None:
    assert_whole(learn(first_paragraphs(template, 3)), template)


def test_short_articles_under_long_discussions_stay_whole_articles() -> None:
    def talked_about(one: Post) -> str:
        comments = "".join(
            f'<li class="comment"><b>{prose(f"{one.number}/{n}", 1)[:-1]}</b> says:'
            f"<p>{prose(f'{one.number}/{n}', 90)}</p></li>"
            for n in range(one.number % 4 + 2)
        )
        comments = f'<h3>What readers say</h3><ol class="comments">{comments}</ol>'
        return layout(f'<h1>{one.title}</h1><div class="note">{one.body}</div>{comments}', side=recent())

    wrapper = learn([Example(parse(talked_about(one)), one.entry(is_summary=True), one.url) for one in POSTS])
    assert wrapper.article.mode == "full"
    for one in OLD:
        assert words(extracted(wrapper, talked_about, one)) == " ".join(one.paragraphs)


def test_the_end_of_a_trail_to_the_page_is_no_part_of_the_article() -> None:
    def trailed(one: Post) -> str:
        trail = f'You are here: <a href="/">Home</a> / <a href="/news/">News</a> / {escape(one.title)}'
        text = f'<div class="trail">{trail}</div><h1>{escape(one.title)}</h1>{one.body}{TAGGED}'
        return layout(f'<div class="entry">{text}</div>', side=recent())

    assert_whole(learn(first_paragraphs(trailed)), trailed)


def test_nor_is_it_where_most_posts_have_no_more() -> None:
    short = [replace(one, paragraphs=one.paragraphs[: 1 if one.number % 3 else 4]) for one in POSTS]
    entries = [one.entry(content_html=f"<p>{one.paragraphs[0]}</p>", is_summary=True) for one in short]
    pages = [parse(wrapped(one)) for one in short]
    assert_whole(learn(map(Example, pages, entries)), wrapped)


def test_the_container_of_posts_of_one_paragraph_is_that_of_longer_posts() -> None:
    """Where most posts are short, the element of their one paragraph is in the container all alone."""
    short = [replace(one, paragraphs=one.paragraphs[: 1 if one.number % 4 else 3]) for one in POSTS]
    wrapper = learn([Example(parse(wrapped(one)), one.entry(content_html=None), one.url) for one in short])
    assert not wrapper.templates
    assert_whole(wrapper, wrapped)


def test_listings_whose_lines_other_posts_have_too_are_the_articles() -> None:
    """More of the text may recur in them than does not; still it is no frame around one of the paragraphs."""

    def coded(one: Post) -> str:
        names = [prose(f"name {number}", 1)[:-1] for number in range(60)]
        lines = "".join(f"<span>import</span> <span>{name}</span>\n" for name in names)
        cells = "".join(f'<div class="cell"><p>{text}</p></div>' for text in one.paragraphs)
        return page(one, f'<div class="cell"><pre>{lines * 3}</pre></div>{cells}')

    wrapper = learn([Example(parse(coded(one)), one.entry(content_html=None), one.url) for one in POSTS])
    assert_whole(wrapper, coded)


def test_cells_below_what_stands_on_all_pages_are_no_discussion_where_no_entry_brings_text() -> None:
    """Notebooks: cells of one form, some posts have many; the head line is text, but not the beginning of the post."""

    def notebook(one: Post) -> str:
        cells = "".join(f'<div class="cell"><div>Cell</div><div>{text}</div></div>' for text in outputs(one))
        return page(one, f"<p>Made with the notebook</p>{one.body}{cells}")

    def outputs(one: Post) -> list[str]:
        return [prose(f"{one.number}/output {number}", 60) for number in range(one.number % 3 * 4)]

    wrapper = learn([Example(parse(notebook(one)), one.entry(content_html=None), one.url) for one in POSTS])
    assert not wrapper.templates
    for one in OLD:
        text = words(extracted(wrapper, notebook, one))
        assert all(output in text for output in (*one.paragraphs, *outputs(one)))


def signed(one: Post, text: str) -> str:
    return f"<p>{text}</p><p>{one.author} of York</p>"


def spoken(one: Post, text: str) -> str:
    return f"<p><b>{one.author}</b> {text}</p>"


def said(_: Post, text: str) -> str:
    return f"<p>{text}</p>"


@pytest.mark.parametrize("every", [2, 3])
@pytest.mark.parametrize("say", [signed, spoken, said])
def test_what_readers_say_beside_the_articles_of_some_posts_is_no_part_of_them(
    say: Callable[[Post, str], str], every: int
) -> None:
    def answered(one: Post) -> str:
        count = 0 if one.number % every else one.number % 5 + 1
        readers = "".join(say(one, prose(f"{one.number}/{n}", 40)) for n in range(count))
        readers = f'<div class="readers">{readers}</div>' if count else ""
        text = f'<div class="text">{one.body}</div>{readers}{TAGGED}'
        return layout(f'<div class="post"><h1>{escape(one.title)}</h1>{text}</div>', side=recent())

    wrapper = learn(examples(answered))
    for one in OLD:
        assert words(extracted(wrapper, answered, one)) == article(one)


def test_a_standfirst_that_is_the_summary_is_the_article_too() -> None:
    def standfirst(one: Post) -> str:
        return prose(f"{one.number}/standfirst", 14)

    def led(one: Post) -> str:
        text = f'<p class="lead">{standfirst(one)}</p><div class="text">{one.body}</div>'
        return layout(f'<div class="post"><h1>{escape(one.title)}</h1>{text}{TAGGED}</div>', side=recent())

    entries = [one.entry(content_html=standfirst(one), is_summary=True) for one in POSTS]
    wrapper = learn(map(Example, [parse(led(one)) for one in POSTS], entries))
    for one in OLD:
        assert words(extracted(wrapper, led, one)) == f"{standfirst(one)} {article(one)}"


def picture(one: Post) -> str:
    return f'<img src="/photos/{one.slug}.jpg" alt="">'


def line(one: Post) -> str:
    """A few words that every other picture has."""
    return f"<p>{prose(one.number, 9)}</p>" if one.number % 2 else ""


def info(one: Post) -> str:
    table = f'<table class="exif"><tr><td>Camera</td><td>Lens {one.number % 3}</td></tr></table>'
    thumb = f'<div class="nav"><a href="/older/"><img src="/t/{post(one.number + 1).slug}.jpg">Older</a></div>'
    title = f'<h2>{escape(one.title)}</h2><p class="by">{one.published:%d %B %Y}</p>'
    return f'{title}<div class="line">{line(one)}</div>{table}{thumb}'


def photo(one: Post) -> str:
    """A picture in one element, the words in another."""
    return layout(f'<div class="photo">{picture(one)}</div><div class="info">{info(one)}</div>', side=recent())


def bare_photo(one: Post) -> str:
    """The same, and no element around both."""
    head, foot = '<div id="top"><a href="/">Silver</a></div>', '<div id="bottom">All pictures are free to share</div>'
    return f'<body>{head}<div class="photo">{picture(one)}</div><div class="info">{info(one)}</div>{foot}</body>'


@pytest.mark.parametrize("template", [photo, bare_photo])
def test_pictures_that_stand_in_an_element_beside_their_words_are_the_articles(template: Template) -> None:
    """Posts without any words are posts, too."""
    told = [
        Example(parse(template(one)), one.entry(content_html=f"<p>{picture(one)}</p>{line(one)}"), one.url)
        for one in POSTS
    ]
    wrapper = learn(told)
    for one in OLD:
        found = extracted(wrapper, template, one)
        assert wrapper.is_post(parse(template(one)), one.url)
        assert found.article is not None
        assert [node.get("src") for node in found.article.iter("img")] == [f"/photos/{one.slug}.jpg"]
        assert words(found) == (prose(one.number, 9) if one.number % 2 else "")


def test_a_picture_above_the_article_comes_without_what_stands_between() -> None:
    def topped(one: Post) -> str:
        ad = f'<div class="c{one.number}"><p>{prose(f"{one.number}/ad", 30)}</p></div>'
        text = f'<div class="top">{picture(one)}</div>{ad}<div class="text">{one.body}</div>'
        return layout(f'<div class="post"><h1>{escape(one.title)}</h1>{text}</div>', side=recent())

    told = [
        Example(parse(topped(one)), one.entry(content_html=f"<p>{picture(one)}</p>{one.body}"), one.url)
        for one in POSTS
    ]
    wrapper = Wrapper.from_dict(learn(told).to_dict())
    for one in OLD:
        found = extracted(wrapper, topped, one)
        assert found.article is not None
        assert [node.get("src") for node in found.article.iter("img")] == [f"/photos/{one.slug}.jpg"]
        assert words(found) == article(one)


def test_pictures_that_few_entries_have_outside_of_the_article_are_not_looked_for() -> None:
    def topped(one: Post) -> str:
        top = f'<div class="top">{picture(one)}</div>'
        return layout(f'{top}<div class="post"><h1>{escape(one.title)}</h1><div class="text">{one.body}</div></div>')

    told = [
        Example(parse(topped(one)), one.entry(content_html=f"{picture(one) if one.number < 4 else ''}{one.body}"))
        for one in POSTS
    ]
    assert learn(told).article.picture is None


def boxed(one: Post) -> str:
    """The summary in an element of its own, and the article below."""
    rest = "".join(f"<p>{text}</p>" for text in one.paragraphs[1:])
    return page(one, f'<div class="lead"><p>{one.paragraphs[0]}</p></div><div class="text">{rest}</div>')


def headed(one: Post) -> str:
    """The summary in the head of the article, above the byline."""
    rest = "".join(f"<p>{text}</p>" for text in one.paragraphs[1:])
    head = f'<header><h1>{escape(one.title)}</h1><div class="lead">{one.paragraphs[0]}</div></header>'
    by = f'<p class="by">{one.author}, {one.published:%d %B %Y}</p>'
    return layout(f'<article>{head}{by}<div class="text">{rest}</div></article>', side=recent())


def apart(one: Post) -> str:
    """The summary in an element far from the article."""
    rest = "".join(f"<p>{text}</p>" for text in one.paragraphs[1:])
    lead = f'<div class="hero"><h1>{escape(one.title)}</h1><div class="lead"><p>{one.paragraphs[0]}</p></div></div>'
    by = f'<p class="by">{one.author}, {one.published:%d %B %Y}</p>'
    return layout(f'{lead}<div class="row">{by}<div class="text">{rest}</div></div>', side=recent())


def discussed(template: Template) -> Template:
    """With what readers say below, on most posts."""

    def page_of(one: Post) -> str:
        said = "".join(
            f'<div class="said"><b>{prose(f"{one.number}c{n}", 1)[:-1]}</b> <i>{one.published:%d %B %Y}</i>'
            f"<p>{prose(f'{one.number}c{n}', 60)}</p></div>"
            for n in range(one.number % 4)
        )
        talk = f'<section id="talk"><h3>What readers say</h3>{said}</section>'
        return template(one).replace('<div id="sidebar">', f'{talk}<div id="sidebar">')

    return page_of


def cut(text: str) -> str:
    return " ".join(text.split()[:20])


SUMMARIES: dict[str, Callable[[Post], str]] = {
    "text": lambda one: one.paragraphs[0],
    "paragraph": lambda one: f"<p>{one.paragraphs[0]}</p>",
    "cut": lambda one: f"{cut(one.paragraphs[0])}…",
    "read more": lambda one: f'<p>{cut(one.paragraphs[0])} […]</p><p><a href="{one.url}">Read more</a></p>',
    "whole, read more": lambda one: f'<p>{one.paragraphs[0]}</p><p><a href="{one.path}#more">Weiterlesen</a></p>',
    "lines": lambda one: f'<div>{one.paragraphs[0]}<br><br><a href="{one.url}?utm_source=rss">続きを読む</a></div>',
    "in elements": lambda one: (
        f'<p><a href="{one.url}"><img src="{one.number}.jpg"></a></p><div><p>{one.paragraphs[0]}</p><p>[…]</p>'
        f'<div class="more"><a href="{one.url.replace("http:", "https:").rstrip("/")}">Leer más</a> →</div></div>'
    ),
    "read more, first on": lambda one: (
        f'<p>{one.paragraphs[0]}</p><p class="more"><a href="{one.url}">Lire la suite</a></p>'
        f'<p>The post <a href="{one.url}">{one.title}</a> first appeared on <a href="/">The quiet blog</a>.</p>'
    ),
}


@pytest.mark.parametrize("is_summary", [True, False])
@pytest.mark.parametrize("form", SUMMARIES)
@pytest.mark.parametrize("template", [boxed, headed, apart, discussed(boxed), discussed(headed), discussed(apart)])
def test_what_equals_the_summary_is_not_the_article_where_that_goes_on(
    template: Template, form: str, is_summary: bool
) -> None:
    told = [
        Example(parse(template(one)), one.entry(content_html=SUMMARIES[form](one), is_summary=is_summary), one.url)
        for one in POSTS
    ]
    wrapper = learn(told)
    for one in OLD:
        found = words(extracted(wrapper, template, one))
        assert all(paragraph in found for paragraph in one.paragraphs)
        assert len(found) < 1.1 * len(article(one))


@pytest.mark.parametrize("every", [2, 3, 4])
@pytest.mark.parametrize("template", [boxed, headed, discussed(headed), discussed(apart)])
def test_nor_where_the_feed_cuts_some_entries(template: Template, every: int) -> None:
    told = [
        Example(
            parse(template(one)),
            one.entry(content_html=f"<p>{one.paragraphs[0]}</p>" if number % every else one.body),
            one.url,
        )
        for number, one in enumerate(POSTS)
    ]
    wrapper = learn(told)
    for one in OLD:
        assert all(paragraph in words(extracted(wrapper, template, one)) for paragraph in one.paragraphs)


def test_a_summary_that_is_shown_above_the_whole_article_is_no_second_beginning() -> None:
    def twice(one: Post) -> str:
        return page(one, f'<div class="lead"><p>{one.paragraphs[0]}</p></div><div class="text">{one.body}</div>')

    for wrapper in (learn(first_paragraphs(twice)), learn(first_paragraphs(twice, is_summary=False))):
        for one in OLD:
            assert words(extracted(wrapper, twice, one)) == article(one)


@pytest.mark.parametrize("every", [1, 2])
@pytest.mark.parametrize("is_summary", [True, False])
def test_posts_of_one_paragraph_are_whole_articles(every: int, is_summary: bool) -> None:
    def short(one: Post) -> Post:
        return replace(one, paragraphs=one.paragraphs[:1])

    template = discussed(lambda one: page(one, one.body))
    posts = [short(one) if number % every == 0 else one for number, one in enumerate(POSTS)]
    wrapper = learn(Example(parse(template(one)), one.entry(is_summary=is_summary), one.url) for one in posts)
    for one in map(short, OLD):
        assert words(extracted(wrapper, template, one)) == article(one)


def test_what_list_pages_show_of_posts_is_not_taken_for_whole_articles() -> None:
    """It has the byline and the foot of each post in it, as an entry that was read from a list has."""

    def template(one: Post) -> str:
        by = f'<div class="meta">By {one.author} on {one.published:%A, %d %B}</div>'
        foot = f"Filed under: <a href='/c/'>Notes</a> — Comments off on {escape(one.title)}"
        text = f'<h3 class="head">{escape(one.title)}</h3>{by}<div class="text">{one.body}</div>{foot}'
        return layout(f'<div class="post">{text}</div>', side=recent())

    def listed(one: Post) -> Entry:
        by = f"<p>By {one.author} on {one.published:%A, %d %B}</p>"
        foot = f"<p>Filed under: Notes — Comments off on {escape(one.title)}</p>"
        return one.entry(content_html=by + one.body + foot, authors=(), is_summary=True, is_synthetic=True)

    wrapper = learn(Example(parse(template(one)), listed(one), one.url) for one in POSTS)
    for one in OLD:
        assert words(extracted(wrapper, template, one)) == article(one)


def _hidden_days(one: Post) -> tuple[str, str]:
    return "".join(f'<meta itemprop="{name}" content="{one.published:%Y-%m-%d}">' for name in ("issued", "changed")), ""


def _empty_times(one: Post) -> tuple[str, str]:
    return f'<time datetime="{one.published:%Y-%m-%d}"></time>' * 2, ""


def _two_lines(one: Post) -> tuple[str, str]:
    return f'<p class="day">Issued {one.published:%d %B %Y}</p><p class="day">Changed {one.published:%d %B %Y}</p>', ""


def _around(one: Post) -> tuple[str, str]:
    links = "".join(f'<a href="{post(at).path}">{post(at).title}</a>' for at in (one.number - 1, one.number + 1))
    return f'<p class="day">{one.published:%d %B %Y}</p>', f'<p class="day">Changed {one.published:%d %B %Y}</p>{links}'


@pytest.mark.parametrize("is_summary", [True, False])
@pytest.mark.parametrize("days", [_hidden_days, _empty_times, _two_lines, _around])
def test_a_summary_in_the_page_head_is_not_the_article_where_the_article_has_two_dates(
    days: Callable[[Post], tuple[str, str]], is_summary: bool
) -> None:
    def headed(one: Post) -> str:
        first, *rest = one.paragraphs
        above, below = days(one)
        text = "".join(f"<p>{text}</p>" for text in rest)
        lead = f'<div class="head"><div class="inner"><h1>{escape(one.title)}</h1><p>{first}</p></div></div>'
        return layout(
            f'{lead}<article>{above}<div><section class="text">{text}</section></div>{below}{TAGGED}</article>'
        )

    wrapper = learn(first_paragraphs(headed, is_summary=is_summary))
    for one in OLD:
        found = words(extracted(wrapper, headed, one))
        assert all(paragraph in found for paragraph in one.paragraphs[1:])
        assert "Filed under" not in found


@pytest.mark.parametrize("name", ['id="{id}"', ""])
@pytest.mark.parametrize("heading", ["Summary", "Podsumowanie", "まとめ"])
def test_a_last_heading_that_all_posts_have_above_their_own_words_is_kept(heading: str, name: str) -> None:
    def summed_up(one: Post) -> str:
        *first, last = (f"<p>{text}</p>" for text in one.paragraphs)
        end = f"<h2 {name.format(id=heading.lower())}>{heading}</h2>{last}"
        text = "".join(f"<h2>{prose(text, 2)}</h2>{text}" for text in first)
        return layout(
            f'<div><div><div><h1>{escape(one.title)}</h1><div class="text">{text}{end}</div></div></div></div>'
        )

    wrapper = learn(first_paragraphs(summed_up))
    for one in OLD:
        found = words(extracted(wrapper, summed_up, one))
        assert f"{heading} {one.paragraphs[-1]}" in found
