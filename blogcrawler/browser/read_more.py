"""Decides whether a page has the rest of an article, after the feed's summary, behind a control.

The summary is searched in the page's text. A "Read more" control in the element around it or directly after it, which
is not a link to another page, may show the rest; rendering shows whether it does, see `unfolds`.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate, chain, islice
from typing import TYPE_CHECKING

from lxml import etree

from blogcrawler.browser import says_all, says_rest
from blogcrawler.browser.growing import is_control, leads_on
from blogcrawler.dom import inline_text, iter_text_nodes, lowest_common_ancestor
from blogcrawler.similarity import squeezed

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from blogcrawler.dom import TextNode

PROOF = 30
"""Number of characters, without spaces, by which a position in a text is found."""
FAR, NEAR = 2_000, 100
"""Number of characters after the summary, and after the element around it, in which a control is searched."""
LONGER = 200
"""Minimum number of characters that an article must gain, in addition to half the length of its summary."""
TRIES = 20
"""Maximum number of positions after a control that are tried to find where the article continues."""
LONGEST = 4_000
"""Number of characters of a summary that are compared."""
LABEL = 80
"""Maximum length of a control's text."""
MOST_CONTROLS = 10
"""Maximum number of texts that are examined."""
MOST_INSIDE, MOST_AROUND = 20, 8
"""Maximum number of descendants of a control, and of elements around a text that may be the control."""
BLOCKS = frozenset({"div", "section", "article", "main", "td", "li", "body"})
TITLES = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "label", "summary", "figcaption"})


@dataclass(frozen=True)
class _Text:
    """The text of a page, without spaces, and the elements that contain it."""

    whole: str
    nodes: list[TextNode]
    #: positions at which the texts begin, and at which the last one ends
    starts: list[int]

    @classmethod
    def of(cls, tree: HtmlElement) -> _Text:
        body = tree.find("body")
        nodes = iter_text_nodes(body) if body is not None else iter(())
        texts = [(node, text) for node in nodes if (text := squeezed(node.text))]
        starts = [0, *accumulate(len(text) for _, text in texts)]
        return cls("".join(text for _, text in texts), [node for node, _ in texts], starts)

    def place_of(self, summary: str) -> tuple[int, int] | None:
        """Positions where a summary begins, and where its longest matching part ends; None if it is not in the text."""
        is_one = 2 * PROOF <= len(summary) <= LONGEST
        begin = self.whole.find(summary[:PROOF]) if is_one else -1
        if begin < 0:
            return None
        for cut in range(len(summary) - PROOF, PROOF, -PROOF):
            position = self.whole.find(summary[cut : cut + PROOF], begin, begin + 2 * len(summary))
            if position >= 0:
                return begin, position + PROOF
        return begin, begin + PROOF

    def node_at(self, position: int) -> int:
        """The number of the node with the text at a position."""
        return min(bisect_right(self.starts, position), len(self.nodes)) - 1


def waits_unfolded(tree: HtmlElement, summary: str) -> bool:
    """True if a page has a control near the feed's summary that may show the rest. O(n).

    `summary` is squeezed.
    """
    return _control(_Text.of(tree), summary) is not None


def unfolds(before: HtmlElement, after: HtmlElement, summary: str) -> bool:
    """True if the rendered page has clearly more text where the page as sent has a control. O(n)."""
    sent, shown = _Text.of(before), _Text.of(after)
    sent_place, control, shown_place = sent.place_of(summary), _control(sent, summary), shown.place_of(summary)
    if sent_place is None or control is None or shown_place is None:
        return False
    begun = shown_place[1] + sent.starts[control] - sent_place[1]
    behind = sent.starts[control + 1]
    cuts = range(behind, len(sent.whole) - PROOF + 1, PROOF)
    ends = (
        shown.whole.find(sent.whole[cut : cut + PROOF], shown_place[1]) - (cut - behind) for cut in islice(cuts, TRIES)
    )
    end = next((position for position in ends if position >= shown_place[1]), len(shown.whole) if not cuts else begun)
    return end - begun >= max(LONGER, len(summary) // 2)


def _control(text: _Text, summary: str) -> int | None:
    """The first control that may show the rest of an article, as the number of its text."""
    summary_place = text.place_of(summary)
    if summary_place is None:
        return None
    first, last = text.node_at(summary_place[0]), text.node_at(summary_place[1] - 1)
    window = range(first + 1, text.node_at(summary_place[1] + FAR) + 1)
    saying = (index for index in window if len(text.nodes[index].text) <= LABEL and says_rest(text.nodes[index].text))
    controls = [index for index in islice(saying, MOST_CONTROLS) if _says_rest(text.nodes[index].parent)]
    if not controls:
        return None
    around = lowest_common_ancestor([text.nodes[first].parent, text.nodes[last].parent])
    while around.tag not in BLOCKS and (parent := around.getparent()) is not None:
        around = parent
    inside = set(around.iter(etree.Element))
    outside = (index for index in range(last + 1, controls[0]) if text.nodes[index].parent not in inside)
    between = sum(text.starts[index + 1] - text.starts[index] for index in outside)
    return controls[0] if between <= NEAR else None


def _says_rest(element: HtmlElement) -> bool:
    """True if an element, a control or an element without other text, says that it shows the rest."""
    own_text = inline_text(element, most_nodes=MOST_INSIDE)
    around = list(islice(chain([element], element.iterancestors()), MOST_AROUND))
    if len(own_text) > LABEL or any(leads_on(ancestor) or ancestor.tag in TITLES for ancestor in around):
        return False
    control = next((ancestor for ancestor in around if is_control(ancestor)), None)
    if control is None:
        return says_all(own_text, "rest")
    return says_rest(inline_text(control, most_nodes=MOST_INSIDE))
