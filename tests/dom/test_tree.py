from __future__ import annotations

import time

import pytest
from hypothesis import given

from blogcrawler.dom import absolute_path, fragment, lowest_common_ancestor, parse
from tests.dom.soup import any_soup

PAGE = "<!DOCTYPE html><div><p id=a>x<b id=b>y</b></p><!-- c --></div>"
PAGE += "<div><p id=c>z</p><p id=d>w</p><o:p id=e>v</o:p></div>"


def test_paths() -> None:
    root = parse(PAGE)
    paths = {element.get("id"): absolute_path(element) for element in root.iter("*") if element.get("id")}
    assert paths == {
        "a": "/html/body/div[1]/p",
        "b": "/html/body/div[1]/p/b",
        "c": "/html/body/div[2]/p[1]",
        "d": "/html/body/div[2]/p[2]",
        "e": "/html/body/div[2]/*[3]",
    }
    assert absolute_path(root) == "/html"


@given(any_soup)
def test_a_path_finds_its_element_alone(html: str) -> None:
    root = parse("<body>" + html)
    for element in root.iter("*"):
        assert root.getroottree().xpath(absolute_path(element)) == [element]


def test_lowest_common_ancestor() -> None:
    root = parse(PAGE)
    by_id = {element.get("id"): element for element in root.iter("*")}
    assert lowest_common_ancestor([by_id["a"], by_id["b"]]) is by_id["a"]
    assert lowest_common_ancestor([by_id["c"], by_id["d"], by_id["e"]]).tag == "div"
    assert lowest_common_ancestor([by_id["b"], by_id["c"]]).tag == "body"
    assert lowest_common_ancestor([by_id["b"]]) is by_id["b"]
    with pytest.raises(ValueError, match="no nodes"):
        lowest_common_ancestor([])
    with pytest.raises(ValueError, match="one tree"):
        lowest_common_ancestor([root, fragment("x")])


def test_deep_and_wide_trees() -> None:
    begin = time.process_time()
    for html in ("<div>" * 2_000, "<p>x" * 20_000):
        root = parse(html)
        elements = list(root.iter("*"))
        lowest_common_ancestor(elements[-200:])
    assert time.process_time() - begin < 3
