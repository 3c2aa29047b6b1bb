"""Cache the nodes that rules select in a page, and the rules of its nodes, since most are requested repeatedly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.wrapper.core.rules import rules_of, select

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.core.rules import Prefixes, Rule


class Lookup:
    """Selects nodes in one page like `rules.select`, as long as the page does not change. O(n) in its nodes."""

    def __init__(self, root: HtmlElement, prefixes: Prefixes = frozenset()) -> None:
        """`prefixes` are those of names that only this page has, see `prefixes.learn_prefixes`."""
        self._root = root
        self._prefixes = prefixes
        self._known: dict[str, Sequence[HtmlElement]] = {}
        self._rules: dict[tuple[HtmlElement, str], tuple[Rule, ...]] = {}

    def select(self, xpath: str) -> Sequence[HtmlElement]:
        """The nodes that an expression selects, in document order."""
        nodes = self._known.get(xpath)
        if nodes is None:
            nodes = self._known[xpath] = select(self._root, xpath)
        return nodes

    def rules_of(self, node: HtmlElement, attribute: str = "") -> tuple[Rule, ...]:
        """The possible rules for a node, see `rules.rules_of`."""
        rules = self._rules.get((node, attribute))
        if rules is None:
            rules = self._rules[node, attribute] = tuple(rules_of(node, attribute, self._prefixes))
        return rules
