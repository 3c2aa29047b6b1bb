"""Lines of a page, and their features."""

from __future__ import annotations

import math

import pytest
from hypothesis import given

from blogcrawler.dom import inline_text, parse
from blogcrawler.similarity import fold
from blogcrawler.wrapper.fallback.features import features, raw_features
from blogcrawler.wrapper.fallback.lines import Lines
from tests.wrapper.generated import hostile_pages, pages


def lines_of(body: str) -> Lines:
    return Lines(parse(f"<!DOCTYPE html><title>A page</title><body>{body}"))


def texts(body: str) -> list[str]:
    return [line.text for line in lines_of(body).lines]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<p>one</p><p>two</p>", ["one", "two"]),
        ("<div>a<p>b</p>c</div>", ["a", "b", "c"]),
        ("one<br>two<br><br>three", ["one", "two", "three"]),
        ("<p>in <b>one</b>\n  <a href=/>line</a>!</p>", ["in one line!"]),
        ("<script>no</script>a<!-- no -->b<style>no</style>", ["ab"]),
        ("<p> </p><p><img src=a></p>", []),
        ("<ul><li>x<li>y</ul>z", ["x", "y", "z"]),
    ],
)
def test_a_line_ends_where_a_browser_begins_a_new_one(body: str, expected: list[str]) -> None:
    assert texts(body) == expected


def test_the_five_features_of_the_paper() -> None:
    page = lines_of('<p>Hello <a href="/x">you</a> all<img src="i"></p>')
    found = {name: values.tolist() for name, values in raw_features(page).items()}
    # <p>, <a href="/x">, </a>, <img src="i"> and </p> are 3, 13, 4, 13 and 4 characters; runs count without white
    # space at their ends: Hello, you, all
    source = 3 + 13 + 4 + 13 + 4 + 5 + 3 + 3
    assert found == {
        "text_length": [13.0],
        "output_text_length": [10.0],
        "density": [pytest.approx(13 / source)],
        "link_num": [1.0],
        "img_num": [1.0],
    }


def test_features_of_the_surroundings() -> None:
    page = lines_of(f"<nav><a href=/>Home</a></nav><article><h1>A page</h1><p>{'word ' * 20}.</p></article>")
    root = page.blocks[0].element
    found = {name: values.tolist() for name, values in features(page, root).items()}
    assert found["in_nav"] == [1, 0, 0]
    assert found["in_article"] == [0, 1, 1]
    assert found["is_heading"] == [0, 1, 0]
    assert found["is_paragraph"] == [0, 0, 1]
    assert found["link_share"] == [1, 0, 0]
    assert found["is_title"] == [0, 1, 0]
    assert found["after_title"] == [0, 0, 1]
    assert found["position"] == [0, pytest.approx(1 / 3), pytest.approx(2 / 3)]
    assert found["link_share_+1"] == [0, 0, 0]
    assert found["link_share_-1"] == [0, 1, 0]
    assert found["text_length"][1] == pytest.approx(math.log(7))


@given(pages)
def test_lines_hold_all_text_once_and_in_order(html: str) -> None:
    root = parse(html)
    read = " ".join(line.text for line in Lines(root).lines)
    assert fold(read).split() == fold(inline_text(root)).split()


@given(hostile_pages)
def test_features_are_numbers_and_lines_lie_in_their_blocks(html: str) -> None:
    root = parse(html)
    page = Lines(root)
    for number, line in enumerate(page.lines):
        block = page.blocks[line.block]
        assert block.start <= number < block.end
    if page.lines:
        for values in features(page, root).values():
            assert len(values) == len(page.lines)
            assert all(math.isfinite(value) for value in values)
