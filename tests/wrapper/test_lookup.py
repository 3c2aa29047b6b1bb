"""A lookup selects what XPath selects."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.dom import parse
from blogcrawler.wrapper.core.lookup import Lookup
from blogcrawler.wrapper.core.rules import rules_of

NAMES = st.sampled_from(["entry", "post title", " post\ttitle  post", "post", "a'b", "x and y", "", "side [bar]"])
ATTRIBUTES = st.dictionaries(st.sampled_from(["id", "class", "rel", "itemprop"]), NAMES, max_size=3)
TREES = st.recursive(
    st.tuples(st.sampled_from(["p", "span", "b"]), ATTRIBUTES, st.just(())),
    lambda below: st.tuples(st.sampled_from(["div", "section"]), ATTRIBUTES, st.lists(below, max_size=4)),
    max_leaves=12,
)


def _markup(node):
    tag, attributes, below = node
    told = "".join(f' {name}="{value}"' for name, value in attributes.items())
    return f"<{tag}{told}>{''.join(map(_markup, below))}</{tag}>"


@given(st.lists(TREES, max_size=4))
def test_every_rule_of_every_node_selects_what_xpath_selects(nodes):
    tree = parse(f"<body>text {''.join(map(_markup, nodes))}")
    lookup = Lookup(tree)
    for node in list(tree.iter()):
        for rule in rules_of(node):
            assert list(lookup.select(rule.xpath)) == tree.xpath(rule.xpath)


@pytest.mark.parametrize(
    "xpath",
    [
        '//div[contains(concat(" ",normalize-space(@class)," ")," a ")]/p',  # nested ones: in document order
        '//div[@id="x"]/div/p[1]',
        "//div[@id='x']",
        '//div[contains(concat(" ",normalize-space(@class)," ")," a ") and @id="x"]',
        '//p[@id=""]',
        '//div[@id="no"]/p',
        '//div[@id="x"]//p',
        '//p[starts-with(@id,"s")]',
        "//div//p",
        '//div[contains(concat(" ",normalize-space(@rel)," ")," a ")]',
        '//*[@id="x"]',
    ],
)
def test_other_forms(xpath):
    tree = parse(
        '<div class=a id=x><div class=" b a"><p>1</p><p id="s-1">2</p></div><p id="">3</p></div><div class=ab rel=a></div>'
    )
    assert list(Lookup(tree).select(xpath)) == tree.xpath(xpath)


def test_what_is_asked_twice_is_the_same():
    lookup = Lookup(parse('<p class="a">1</p><p class="a">2</p>'))
    xpath = '//p[contains(concat(" ",normalize-space(@class)," ")," a ")]'
    assert [node.text for node in lookup.select(xpath)] == ["1", "2"]
    assert lookup.select(xpath) == lookup.select(xpath)
