"""What training posts have at a place may be something else on other posts: there it must show that it is junk."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from blogcrawler.dom import parse
from blogcrawler.serialise import dump, load
from blogcrawler.wrapper import Example, Wrapper, learn, refine
from blogcrawler.wrapper.exclusions import Exclusion, Exclusions, clean
from blogcrawler.wrapper.signs import Signs, common_signs
from tests.wrapper.pages import (
    OLD,
    POSTS,
    Post,
    Template,
    article,
    extracted,
    layout,
    learned,
    links_to_others,
    others,
    prose,
    summaries,
    words,
)

Box = Callable[[Post], str]


def related(one: Post) -> str:
    return f"<h3>Related</h3><ul>{links_to_others(one)}</ul>"


def related_in_two_languages(one: Post) -> str:
    return f"<h3>{('Related', 'Ähnliches')[one.number % 2]}</h3><ul>{links_to_others(one)}</ul>"


def related_by_title(one: Post) -> str:
    """No two posts have the same heading."""
    return f"<h3>More like {one.title}</h3><ul>{links_to_others(one)}</ul>"


def letter(one: Post) -> str:
    return f"<hr><p>Subscribe to the letter, as {100 + 7 * one.number} readers did.</p><p>{prose(f'ad {one.number}', 20)}</p>"


def sections(one: Post) -> str:
    """Two of them, as many of the old posts have."""
    parts = [
        f"<h3>{prose(f'head {one.number}/{n}', 3)}</h3><p>{prose(f'part {one.number}/{n}', 60)}</p>" for n in (1, 2)
    ]
    return "<hr>".join(parts)


def with_sections(box: Box, *, boxed: bool = True) -> Template:
    """New posts have a box; old posts have sections of their own, and may have the box."""

    def template(one: Post) -> str:
        is_old = one in OLD
        end = box(one) if boxed or not is_old else ""
        return layout(f'<h1>{one.title}</h1><div class="text">{one.body}{sections(one) if is_old else ""}{end}</div>')

    return template


def whole(one: Post) -> str:
    own = " ".join(" ".join(parse(f"<div>{sections(one)}</div>").itertext()).split())
    return f"{article(one)} {own}"


def squeezed(text: str) -> str:
    return text.replace(" ", "")


def assert_clean(wrapper: Wrapper, template: Template, text: Callable[[Post], str]) -> None:
    for one in OLD:
        assert squeezed(words(extracted(wrapper, template, one))) == squeezed(text(one)), wrapper.article


@pytest.mark.parametrize("boxed", [True, False])
@pytest.mark.parametrize("box", [related, related_in_two_languages, related_by_title, letter])
def test_an_old_post_keeps_its_sections(box: Box, boxed: bool) -> None:
    template = with_sections(box, boxed=boxed)
    assert_clean(learned(template), template, whole)


def test_they_stay_when_the_wrapper_has_seen_old_posts() -> None:
    template = with_sections(related)
    training = [Example(parse(template(one)), one.entry(), one.url) for one in POSTS]
    wrapper = refine(learn(training), training, [(parse(template(one)), one.url) for one in OLD[:4]])
    assert_clean(Wrapper.from_dict(wrapper.to_dict()), template, whole)


def with_card(one: Post) -> str:
    """A post in which the author quotes an older one, as some do."""
    other = others(one)[0]
    card = f'<blockquote class="card"><a href="{other.path}">{other.title}</a></blockquote>'
    return one.body + (card if one.number % 4 == 0 or one in OLD else "")


def test_cards_that_the_feed_has_stay_when_the_wrapper_has_seen_old_posts() -> None:
    def template(one: Post) -> str:
        return layout(f'<h1>{one.title}</h1><div class="text">{with_card(one)}</div>')

    training = [Example(parse(template(one)), one.entry(content_html=with_card(one)), one.url) for one in POSTS]
    shown = [(parse(template(one)), one.url) for one in (*OLD, *(others(one)[0] for one in OLD))]
    wrapper = refine(learn(training), training, shown)
    for one in OLD:
        assert words(extracted(wrapper, template, one)) == f"{article(one)} {others(one)[0].title}"


def test_headings_that_recur_stay_where_the_feed_has_summaries() -> None:
    """Nobody tells whether they are the articles' own."""

    def template(one: Post) -> str:
        head = ("Conclusion", "Method", prose(f"own {one.number}", 2))[one.number % 3]
        ending = f"<h3>{head}</h3><p>{prose(f'part {one.number}', 60)}</p>"
        return layout(f'<h1>{one.title}</h1><div class="text">{one.body}{ending}</div>')

    wrapper = learn(summaries(template))
    for one in OLD:
        head = ("Conclusion", "Method", prose(f"own {one.number}", 2))[one.number % 3]
        assert head in words(extracted(wrapper, template, one))


def test_a_byline_without_names_goes_and_no_first_paragraph() -> None:
    def template(one: Post) -> str:
        byline = f"<p>{one.published:%d %B %Y}, {one.author}</p>" if one not in OLD or one.number % 2 else ""
        return layout(f'<h1>{one.title}</h1><div class="text">{byline}{one.body}</div>')

    assert_clean(learned(template), template, article)


@pytest.mark.parametrize(
    ("exclusion", "left"),
    [
        (Exclusion("./h3", "after", Signs(frozenset(["related"]))), "Own more"),
        (Exclusion("./h3", "after", Signs(has_links=True)), "Own more"),
        (Exclusion("./h3", "after", Signs(frozenset(["else"]))), "Own more Related link"),
        (Exclusion("./h3", "before", Signs(frozenset(["own"]))), "more Related link"),
        (Exclusion("./p"), "Own Related"),
    ],
)
def test_an_exclusion_drops_what_shows_its_signs(exclusion: Exclusion, left: str) -> None:
    container = parse("<div><h3>Own</h3><p>more</p><h3>Related</h3><p><a>link</a></p></div>").find(".//div")
    assert load(Exclusion, dump(exclusion)) == exclusion
    clean(container, Exclusions((exclusion,)))
    assert " ".join(container.itertext()) == left


def test_signs_recur() -> None:
    pages = [Signs(frozenset(["share this", name]), name != "two") for name in ("one", "two", "three")]
    assert common_signs(pages) == Signs(frozenset(["share this"]), has_links=True)
