from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.dom import (
    absolute_path,
    absolute_paths,
    depth,
    distances_to,
    fragment,
    lowest_common_ancestor,
    parse,
    tree_distance,
)
from tests.dom.soup import any_soup, html_soup

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
    paths = absolute_paths(root)
    for element in root.iter("*"):
        assert absolute_path(element) == paths[element]
        assert root.getroottree().xpath(paths[element]) == [element]


def test_distances() -> None:
    root = parse(PAGE)
    by_id = {element.get("id"): element for element in root.iter("*")}
    distances = distances_to(by_id["b"])
    assert [distances[by_id[name]] for name in "abcde"] == [1, 0, 5, 5, 5]
    assert distances[root] == depth(by_id["b"]) == 4
    assert set(distances) == set(root.iter("*"))


@given(html_soup, st.data())
def test_all_distances_agree(html: str, data: st.DataObject) -> None:
    elements = list(parse("<body>" + html).iter("*"))
    one, other = data.draw(st.sampled_from(elements)), data.draw(st.sampled_from(elements))
    common = lowest_common_ancestor([one, other])
    want = depth(one) + depth(other) - 2 * depth(common)
    assert distances_to(one)[other] == distances_to(other)[one] == tree_distance(one, other) == want


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
        tree_distance(root, fragment("x"))


def test_deep_and_wide_trees() -> None:
    begin = time.process_time()
    for html in ("<div>" * 2_000, "<p>x" * 20_000):
        root = parse(html)
        elements = list(root.iter("*"))
        assert distances_to(elements[-1])[root] == depth(elements[-1])
        lowest_common_ancestor(elements[-200:])
        assert len(absolute_paths(root)) == len(elements)
    assert time.process_time() - begin < 3
