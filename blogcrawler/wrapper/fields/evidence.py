"""Score how well the nodes of a page match the content of its entry.

There are three cases, which depend on the entries:

- `full`: entries hold complete articles, and on most pages one element holds the same text. Its score is the Dice
  similarity, as in the paper, times the agreement of the lengths.
- `spread`: entries hold complete articles, but no element holds just that: the article is loose between the title and
  the readers' comments. The smallest element with all of it is taken, and cleaning does the rest.
- `summary`: entries hold the beginning of an article, or a description of it. The element is taken that holds the
  summary and most text of this page only: no links, and no text of other pages.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile
from statistics import median
from typing import TYPE_CHECKING

from blogcrawler.dom.tags import SILENT
from blogcrawler.similarity import dice
from blogcrawler.wrapper.core.induce import NodeScores
from blogcrawler.wrapper.core.thresholds import MOST
from blogcrawler.wrapper.core.training import SHOWN, file_name
from blogcrawler.wrapper.refinements.own_text import Mode, PageComparison, compare_pages, own_sizes, own_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.core.profile import Profile
    from blogcrawler.wrapper.core.training import DateReader, ProfiledPage

NO_ARTICLE = SILENT | {
    "a", "p", "h1", "h2", "h3", "h4", "h5", "h6", "li", "ul", "ol", "pre", "blockquote", "figure", "span", "em",
    "strong", "b", "i", "time", "html", "title", "img",
}  # fmt: skip
"""Elements that are no article; one that seems to be an article is a part of it (AdaptivePost, section III-D2)."""
JUNK = 1.5
"""Weight of text in links or on other pages, relative to text of this page only."""
LONG = 2
"""Number of blocks at or above which an entry is more than a summary."""
SENTENCE = 40
"""Number of characters of a text at or above which it is no heading or name."""
SHELL = 0.005
"""Deduction for an element that holds the same text as an element inside of it."""
NEAR = 0.03
"""Containers whose score is below the best score by at most this share are equally good; the smallest of them wins."""


@dataclass(frozen=True)
class Evidence:
    """The evidence of pages about their articles, before rules are learned from all or some of them."""

    mode: Mode
    #: scores of the pages whose entries have text; of all pages if entries hold summaries
    scores: Mapping[ProfiledPage, NodeScores]
    comparison: PageComparison


def gather_evidence(pages: Sequence[ProfiledPage], reader: DateReader) -> Evidence:
    """Score how well the nodes of each page match its entry. O(n) in the size of the pages and entries. Texts of posts
    on list pages never count as whole articles, since they include bylines and similar texts."""
    is_listed = any(page.entry.is_synthetic for page in pages)
    with_text = [page for page in pages if page.size and not is_listed]
    full = {page: full_scores(page) for page in with_text}
    silent = sum(not page.size and not page.media for page in pages)
    comparison = None
    if len(with_text) > silent:
        whole = [page for page, scores in full.items() if _is_whole(page, scores)]
        if 2 * len(whole) > len(full):
            parts, telling = _parts(whole, full, None)
            if parts:
                comparison = compare_pages(pages, reader)
                parts, telling = _parts(whole, full, comparison)
            if 2 * len(parts) <= telling:
                return Evidence("full", {page: full[page] for page in with_text if page not in parts}, PageComparison())
        elif median(page.blocks for page in with_text) >= LONG:
            spread = {page: spread_scores(page) for page in with_text}
            if median(scores.best for scores in spread.values()) > MOST:
                return Evidence("spread", spread, PageComparison())
    comparison = comparison or compare_pages(pages, reader)
    return Evidence("summary", {page: summary_scores(page, comparison) for page in pages}, comparison)


def best_node(scores: NodeScores) -> HtmlElement:
    """The node with the best score."""
    return max(scores.of, key=scores.of.__getitem__)[0]


def _is_whole(page: ProfiledPage, scores: NodeScores) -> bool:
    """True if the best element holds the entry's text, and not only a text of equal length with the same letters."""
    if scores.best < MOST:
        return False
    profile = page.profile
    pieces = (piece for at in profile.subtree(profile.positions[best_node(scores)]) for piece in profile.pieces[at])
    return 2 * sum(len(piece) for piece in pieces if page.shingles.hold(piece)) > page.size


def _parts(
    pages: Sequence[ProfiledPage], scores: Mapping[ProfiledPage, NodeScores], comparison: PageComparison | None
) -> tuple[set[ProfiledPage], int]:
    """The pages whose entries bring only a part of the article, which has its own element; and the number of pages that
    could show this. O(n).

    The rest of the article is in other elements of the same form; or, if the entries are short, around this element.
    Without `comparison` all text outside of links counts as the post's.
    """
    are_short = median(page.blocks for page in pages) < LONG
    parts, telling = set(), 0
    for page in pages:
        position = page.profile.positions[best_node(scores[page])]
        telling += not _is_alone(page.profile, position)
        gains, own = _gains(page, comparison)
        alike = sum(own[at] for at in _nodes_of_form(page.profile, position))
        around = page.profile.around(position) if are_short else ()
        if max(alike, *(gains[at] for at in around), 0) > 2 * own[position]:
            parts.add(page)
    return (parts if len(parts) >= min(len(pages), 2) else set()), telling


def _is_alone(profile: Profile, position: int) -> bool:
    """True if a node has the same text as its parent, or as its first child."""
    return profile.sizes[profile.parents[position]] == profile.sizes[position] or profile.is_shell(position)


def _nodes_of_form(profile: Profile, position: int) -> list[int]:
    """All nodes of the same form as a node; of nested ones, the outermost."""
    form, at = profile.form_of(position), 1
    positions: list[int] = []
    while at < len(profile):
        is_alike = profile.nodes[at].tag == form[2] and profile.form_of(at) == form
        positions += [at] if is_alike else []
        at = profile.ends[at] if is_alike else at + 1
    return positions


def full_scores(page: ProfiledPage) -> NodeScores:
    """Scores against a complete article: Dice similarity, and agreement of the lengths. Long texts of one language have
    the same bigrams; the length distinguishes an article from the page around it."""
    profile, scores = page.profile, {}
    for position, node in enumerate(profile.nodes):
        size = profile.sizes[position]
        if size * 3 < page.size or node.tag in NO_ARTICLE:
            continue
        agreement = min(size, page.size) / max(size, page.size)
        likeness = dice(profile.bigrams[position], page.bigrams) * (0.5 + 0.5 * agreement)
        scores[node, ""] = likeness - SHELL * profile.is_shell(position)
    return NodeScores(page.lookup, scores)


def spread_scores(page: ProfiledPage) -> NodeScores:
    """Scores of the nodes that hold all of a complete article: the less other text they hold, the better."""
    profile, scores = page.profile, {}
    own, known = own_sizes(profile, page.shingles.hold, "text")
    for position, node in enumerate(profile.nodes):
        if own[position] * 2 >= page.size and node.tag not in NO_ARTICLE and own[position]:
            recall = min(1.0, own[position] / page.size)
            share = own[position] / known[position]
            scores[node, ""] = recall * (0.8 + 0.2 * share) - SHELL * profile.is_shell(position)
    return NodeScores(page.lookup, scores)


def summary_scores(page: ProfiledPage, comparison: PageComparison) -> NodeScores:
    """Score nodes that contain the summary by how much more of the post's text they contain. Of containers that are
    nearly as good, the smallest scores highest, followed by those with the same text."""
    profile, scores = page.profile, {}
    gains, own = _gains(page, comparison)
    holders = _holders(page)
    best = max((gains[position] for position in holders), default=0.0)
    if best <= 0 and not (page.size and any(own[position] for position in holders)):
        return media_scores(page)
    near = [position for position in holders if gains[position] >= best - NEAR * abs(best)]
    smallest = min(near, key=lambda position: (profile.sizes[position], -position))
    for position in holders:
        if best > 0:  # otherwise the post is shorter than what recurs around it
            scores[profile.nodes[position], ""] = 0.97 * max(0.0, gains[position] / best)
    for level, position in enumerate(_with_same_text(profile, smallest)):
        scores[profile.nodes[position], ""] = 1 - SHELL * level
    return NodeScores(page.lookup, scores)


def media_scores(page: ProfiledPage) -> NodeScores:
    """Scores of the nodes that hold all media of an entry without text: the smaller, the better."""
    media_nodes = [node for node in page.profile.nodes if node.tag in SHOWN and file_name(node) in page.media]
    first: dict[str, HtmlElement] = {}
    for node in media_nodes:
        first.setdefault(file_name(node), node)
    if not first or len(first) < len(page.media):
        return NodeScores(page.lookup, {})
    above = [set(node.iterancestors()) for node in first.values()]
    common = [node for node in next(iter(first.values())).iterancestors() if all(node in others for others in above)]
    holders = [node for node in common if node.tag not in NO_ARTICLE and node.tag != "body"]
    return NodeScores(page.lookup, {(node, ""): 1 - SHELL * level for level, node in enumerate(holders)})


def _with_same_text(profile: Profile, position: int) -> Iterator[int]:
    """A node and those of its ancestors that have no other text, innermost first. Other pages show which of them is the
    container."""
    size = profile.sizes[position]
    return takewhile(lambda at: profile.sizes[at] == size, profile.around(position))


def _holders(page: ProfiledPage) -> list[int]:
    """Nodes that hold the summary; all nodes if the summary is not found."""
    profile, wanted = page.profile, page.bigrams.bit_count()
    recalls = [(bigrams & page.bigrams).bit_count() / wanted if wanted else 1.0 for bigrams in profile.bigrams]
    limit = MOST * max(recalls)
    holders = [
        position
        for position, node in enumerate(profile.nodes)
        if recalls[position] >= limit and node.tag not in NO_ARTICLE
    ]
    beginnings = _around_beginnings(page)
    return [position for position in holders if position in beginnings] or holders


def _around_beginnings(page: ProfiledPage) -> set[int]:
    """Nodes that hold the words at the start of the summary: a long text has the letters of any summary."""
    profile, beginning, positions = page.profile, page.shingles.beginning, set[int]()
    for position, pieces in enumerate(profile.pieces if beginning else ()):
        if any(beginning in piece for piece in pieces):
            positions.update(takewhile(lambda at: at not in positions, profile.around(position)))
    return positions


def _gains(page: ProfiledPage, comparison: PageComparison | None) -> tuple[list[float], list[int]]:
    """For each node, the characters of the page's own text in its subtree minus the weighted rest; and the same without
    the deduction.

    Readers' comments, and text that is repeated further down, count as nothing, since they can be dropped.
    """
    profile, foreign = page.profile, comparison.foreign[page] if comparison else ()
    holds = own_text(page, "summary", comparison) if comparison else bool
    own, known = own_sizes(profile, holds, page.shingles, foreign)
    said, repeated, latest = [0] * len(profile), [0] * len(profile), dict[str, int]()
    for position, pieces in enumerate(profile.pieces):
        if foreign and foreign[position]:
            said[position] = sum(map(len, pieces))
            continue
        for piece in pieces:
            if len(piece) >= SENTENCE and holds(piece):
                repeated[latest.get(piece, 0)] += len(piece) * (piece in latest)
                latest[piece] = position
    for position in range(len(profile) - 1, 0, -1):
        said[profile.parents[position]] += said[position]
        repeated[profile.parents[position]] += repeated[position]
    sizes = zip(own, known, said, repeated, strict=True)
    return [held - again - JUNK * (size - held - talk) for held, size, talk, again in sizes], own
