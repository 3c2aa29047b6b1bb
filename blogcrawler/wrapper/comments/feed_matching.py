"""Match the comments of a page with those of a feed, so that each is kept once, although their ids may differ.

This is maximum weighted matching in a bipartite graph. The weight of an edge is the Sørensen-Dice similarity of two
texts (Blanvillain, Kasioumis and Banos, "BlogForever Crawler", section 3.5), whose bigram sets share an alphabet.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from blogcrawler.lazy import LazyModule
from blogcrawler.similarity import CAPACITY, Alphabet, dice, fold

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray
    from scipy import optimize, sparse

    from blogcrawler.items import Comment
else:
    np, optimize, sparse = map(LazyModule, ("numpy", "scipy.optimize", "scipy.sparse"))

LIKE = 0.8
"""Minimum similarity of two forms of one text: pages and feeds write quotes, smilies and links differently."""
ALIKE = 0.4
"""Minimum similarity of two texts with the same id: only a clear difference contradicts the id."""
_NUMBER = re.compile(r"\d{1,25}$")
LONG = 60
"""Number of characters at or above which two people do not write the same text."""
HINT = 1e-4
"""Deduction for different names or times, which decides between comments with the same text."""
DAY = 1
"""Number of days by which two time zones may differ."""
COMPARED = 0.5
"""Similarity at or above which two texts are examined further."""
MOST = 1000
"""Maximum number of texts on a side, since the matching is cubic in the worst case."""


class Aligned(NamedTuple):
    """The comments of a page, with the ids of the feed's comments that they match, and the share of these that were
    matched."""

    comments: list[Comment]
    share: float


def align(page_comments: Sequence[Comment], announced: Sequence[Comment]) -> Aligned:
    """Find the feed's comments among those of a page: by id, else by text, author and day. O(n) apart from the
    matching."""
    by_id = {comment.id: comment for comment in announced if comment.id}
    alphabet = Alphabet()
    pairs: dict[int, Comment] = {}
    for number, comment in enumerate(page_comments):
        fed = by_id.get(comment.id or "")
        if fed is not None and _likeness(alphabet, comment, fed) >= ALIKE:
            pairs[number] = by_id.pop(comment.id or "")
    for key in (_text, _name_of_pingback):
        _pair(page_comments, announced, pairs, alphabet, key)
    names = {own: fed.id for number, fed in pairs.items() if (own := page_comments[number].id) and fed.id}
    names = _renumbered(page_comments, names) | names
    comments = [_with_feed_ids(comment, pairs.get(number), names) for number, comment in enumerate(page_comments)]
    return Aligned(comments, len(pairs) / len(announced) if announced else 1.0)


def _likeness(alphabet: Alphabet, page_comment: Comment, fed: Comment) -> float:
    """Dice similarity of two texts; 1 if a text is unknown."""
    if not page_comment.content_text or not fed.content_text:
        return 1.0
    (first, bits), (second, more) = (alphabet.read(it.content_text or "") for it in (page_comment, fed))
    return 1.0 if first == second else dice(bits, more)


def _pair(
    page_comments: Sequence[Comment],
    announced: Sequence[Comment],
    pairs: dict[int, Comment],
    alphabet: Alphabet,
    by: Callable[[Comment], str],
) -> None:
    """Pair comments without a partner by the text that `by` returns for each, if the texts are similar enough."""
    taken = set(map(id, pairs.values()))
    left = [
        (number, key) for number, comment in enumerate(page_comments) if number not in pairs and (key := by(comment))
    ]
    others = [(comment, key) for comment in announced if id(comment) not in taken and (key := by(comment))]
    if not left or not others:
        return
    nodes, comments = ([alphabet.read(key)[1] for _, key in side] for side in (left, others))

    def may_be(node: int, place: int) -> float:
        return _agreement(page_comments[left[node][0]], others[place][0])

    for node, place, weight in match(nodes, comments, may_be):
        if weight >= LIKE:
            pairs[left[node][0]] = others[place][0]


def _text(comment: Comment) -> str:
    return comment.content_text or "-"


def _name_of_pingback(comment: Comment) -> str:
    """The author of a pingback: pages often show only the name of the site, and feeds an excerpt."""
    return comment.author or "" if comment.kind == "pingback" else ""


def _agreement(page_comment: Comment, fed: Comment) -> float:
    """A factor of about 1 if two comments with similar texts may be the same, higher for equal names and times;
    otherwise 0."""
    if not _may_be_same(page_comment, fed):
        return 0.0
    is_other_time = bool(page_comment.published and fed.published) and page_comment.published != fed.published
    return 1 - HINT * (2 * _names_differ(page_comment, fed) + is_other_time)


def _may_be_same(page_comment: Comment, fed: Comment) -> bool:
    """False for two comments with different ids of one format, different authors or different days."""
    if (
        page_comment.id
        and fed.id
        and page_comment.id != fed.id
        and _NUMBER.sub("", page_comment.id) == _NUMBER.sub("", fed.id)
    ):
        return False
    if (
        _names_differ(page_comment, fed)
        and page_comment.kind == "comment"
        and not _are_same_long_text(page_comment, fed)
    ):
        return False
    first, second = (_day(it.published) for it in (page_comment, fed))
    return first is None or second is None or abs((first - second).days) <= DAY


def _names_differ(page_comment: Comment, fed: Comment) -> bool:
    return bool(page_comment.author and fed.author) and fold(page_comment.author or "") != fold(fed.author or "")


def _are_same_long_text(page_comment: Comment, fed: Comment) -> bool:
    """True for equal texts that are too long for two people to write; a missing name has a placeholder in each
    language."""
    first, second = (fold(comment.content_text or "") for comment in (page_comment, fed))
    return first == second and len(first) >= LONG


def _day(published: str | None) -> date | None:
    try:
        return date.fromisoformat(published[:10]) if published else None
    except ValueError:
        return None


def _renumbered(page_comments: Sequence[Comment], names: Mapping[str, str]) -> dict[str, str]:
    """Map ids that pages write as a word with a number to ids of the feed with another word and the same number ("c12",
    "comment-12")."""
    words = {(_NUMBER.sub("", own), _NUMBER.sub("", other)) for own, other in names.items()}
    numbers = [_NUMBER.search(name) for pair in names.items() for name in pair]
    if len(words) != 1 or not all(numbers):
        return {}
    if any(
        number and feed_number and number[0] != feed_number[0]
        for number, feed_number in zip(numbers[::2], numbers[1::2], strict=True)
    ):
        return {}
    ((word, feed_word),) = words
    ids = [comment.id for comment in page_comments if comment.id and _NUMBER.sub("", comment.id) == word]
    return {own: f"{feed_word}{own[len(word) :]}" for own in ids}


def _with_feed_ids(comment: Comment, fed: Comment | None, names: Mapping[str, str]) -> Comment:
    """The comment with the feed's ids for itself and for the comment that it answers."""
    own = fed.id if fed is not None and fed.id else names.get(comment.id or "", comment.id)
    return replace(comment, id=own, parent=names.get(comment.parent or "", comment.parent))


def weights(nodes: Sequence[int], comments: Sequence[int]) -> NDArray[np.float64]:
    """Dice similarities of sets of bigrams of one alphabet: a row for each node, a column for each comment."""
    node_matrix, comment_matrix = _matrix(nodes), _matrix(comments)
    shared = (node_matrix @ comment_matrix.T).toarray().astype(np.float64)
    sizes = np.array([bits.bit_count() for bits in nodes])[:, None] + np.array([it.bit_count() for it in comments])
    similarities: NDArray[np.float64] = 2 * shared / np.maximum(sizes, 1)
    return similarities


def match(
    nodes: Sequence[int], comments: Sequence[int], may_be: Callable[[int, int], float] | None = None
) -> list[tuple[int, int, float]]:
    """The pairs of a node and a comment that maximise the sum of similarities, each with its similarity.

    `may_be` is called with the numbers of a similar node and comment, and returns a factor: 0 if they cannot be the
    same, 1 if all other data agrees, slightly less if it does not. Only the first `MOST` of each side are matched.
    O(n³) in the worst case, about O(n²) on real pages.
    """
    nodes, comments = nodes[:MOST], comments[:MOST]
    if not nodes or not comments:
        return []
    likeness = weights(nodes, comments)
    if may_be is not None:
        for row, column in np.argwhere(likeness >= COMPARED).tolist():
            likeness[row, column] *= may_be(row, column)
    rows, columns = optimize.linear_sum_assignment(likeness, maximize=True)
    return [(int(row), int(column), float(likeness[row, column])) for row, column in zip(rows, columns, strict=True)]


def _matrix(sets: Sequence[int]) -> sparse.csr_array[np.int32, tuple[int, int]]:
    columns = [_places(bits) for bits in sets]
    ends = np.concatenate([[0], np.cumsum([len(places) for places in columns])])
    ones = np.ones(int(ends[-1]), dtype=np.int32)
    places = np.concatenate(columns) if columns else np.zeros(0, dtype=np.int64)
    return sparse.csr_array((ones, places, ends), shape=(len(sets), CAPACITY))


def _places(bits: int) -> NDArray[np.int64]:
    raw = np.frombuffer(bits.to_bytes(CAPACITY // 8, "little"), dtype=np.uint8)
    return np.flatnonzero(np.unpackbits(raw, bitorder="little"))
