from __future__ import annotations

import time

import pytest

from blogcrawler.dom import fragment, lowest_common_ancestor, parse

PAGE = "<!DOCTYPE html><div><p id=a>x<b id=b>y</b></p><!-- c --></div>"
PAGE += "<div><p id=c>z</p><p id=d>w</p><o:p id=e>v</o:p></div>"


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
