"""Profiles: what one traversal gathers is what asking each node anew would tell."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml.html import HtmlElement

from blogcrawler.dom import inline_text, parse
from blogcrawler.similarity import Alphabet, fold
from blogcrawler.wrapper.core.profile import SHORT, SILENT, Profile
from tests.wrapper import generated, reference
from tests.wrapper.pages import POSTS, classic, modern

RELAXED = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def check(tree: HtmlElement) -> None:
    alphabet = Alphabet()
    profile = Profile(tree, alphabet)
    assert profile.nodes == list(tree.iter("*"))
    for position, node in enumerate(profile.nodes):
        pieces = reference.pieces(node)
        assert profile.sizes[position] == sum(map(len, pieces)), node.tag
        union = 0
        for piece in pieces:
            union |= alphabet.bigrams(piece)
        assert profile.bigrams[position] == union
        links = [one for one in node.iterdescendants("a") if not any(up.tag == "a" for up in above(one, node))]
        expected = sum(len(piece) for one in links for piece in reference.pieces(one))
        if node.tag not in SILENT and not any(up.tag in SILENT for up in node.iterancestors()):
            assert profile.link_sizes[position] == expected
        parent = node.getparent()
        assert profile.parents[position] == (profile.nodes.index(parent) if parent is not None else -1)
        inside = [profile.nodes[number] for number in profile.subtree(position)]
        assert inside == list(node.iter("*"))


def above(node: HtmlElement, top: HtmlElement) -> list[HtmlElement]:
    found = []
    for one in node.iterancestors():
        if one is top:
            break
        found.append(one)
    return found


@RELAXED
@given(generated.pages)
def test_sizes_bigrams_and_subtrees(html: str) -> None:
    check(parse(html))


@RELAXED
@given(generated.hostile_pages)
def test_hostile_markup(html: str) -> None:
    check(parse(html))


@pytest.mark.parametrize("template", [classic, modern])
def test_pages_of_blogs(template) -> None:
    check(parse(template(POSTS[0])))


def test_comments_in_the_markup_end_no_text() -> None:
    check(parse("<p>Hello<!-- name --> reader<!-- end -->, <b>come</b><!----> in</p>"))


@RELAXED
@given(generated.pages)
def test_texts_are_those_that_a_reader_sees(html: str) -> None:
    tree = parse(html)
    profile = Profile(tree)
    for position, node in enumerate(profile.nodes):
        text = profile.texts[position]
        if profile.sizes[position] and text is not None:
            assert text == inline_text(node)


@pytest.mark.parametrize(
    "markup",
    [
        "One <b>bold</b>face",
        "one<br>two",
        "one<p>two</p>three",
        "a <label>b</label> c",
        "<h1>a<wbr>b<sup>2</sup></h1>",
        "a <script>var x</script> b<style>p{}</style>",
    ],
)
def test_a_text_is_the_one_that_extraction_gives(markup: str) -> None:
    node = parse(f"<div>{markup}</div>").find(".//div")
    assert Profile(node).texts[0] == inline_text(node)


@pytest.mark.parametrize(
    "markup", ["one<img src=x>two", "a <button>press</button> b", "a <label>b</label>c", "a<script>var x</script>b"]
)
def test_a_text_is_the_one_that_extraction_gives_in_rare_markup(markup: str) -> None:
    node = parse(f"<div>{markup}</div>").find(".//div")
    assert Profile(node).texts[0] == inline_text(node)


def test_long_texts_are_not_kept() -> None:
    profile = Profile(parse(f"<div><p>{'word ' * SHORT}</p><p>short</p></div>").find(".//div"))
    assert profile.texts == [None, None, "short"]
    assert profile.sizes[0] == profile.sizes[1] + len("short")


def test_what_no_reader_sees_counts_for_nothing() -> None:
    profile = Profile(parse("<body><script>var a = 'text'</script><style>p{}</style><p>seen</p><template>b</template>"))
    assert profile.sizes[0] == len("seen")


@RELAXED
@given(generated.pages, st.data())
def test_distances_are_those_of_a_search_in_breadth(html: str, data: st.DataObject) -> None:
    profile = Profile(parse(html))
    start = data.draw(st.integers(0, len(profile) - 1))
    found, edge, steps = {start: 0}, [start], 0
    while edge:
        steps += 1
        near = [n for n in range(len(profile)) if n not in found and any(_touch(profile, n, one) for one in edge)]
        found.update(dict.fromkeys(near, steps))
        edge = near
    assert profile.distances(start) == [found[number] for number in range(len(profile))]


def _touch(profile: Profile, one: int, other: int) -> bool:
    return profile.parents[one] == other or profile.parents[other] == one


def test_shells() -> None:
    profile = Profile(parse("<div><div><p>a</p><p>b</p></div></div>").find(".//div"))
    assert [profile.is_shell(position) for position in range(len(profile))] == [True, False, False, False]


def test_pieces_are_what_stands_in_the_node_itself() -> None:
    profile = Profile(parse("<div> One <b>two</b> THREE <p>four</p></div>").find(".//div"))
    assert profile.pieces == [["one", "three"], ["two"], ["four"]]
    assert fold(" THREE ") == "three"
