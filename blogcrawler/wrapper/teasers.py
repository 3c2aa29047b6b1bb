"""Lists of other posts with the beginnings of their texts, which the template shows below a heading of its own.

The beginnings pass for the article's text. But they are siblings of one form, each headed by a link to a page of the
blog, and what is before the first of them is the template's, where an author's own list comes after own words.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from blogcrawler.wrapper.profile import Form
    from blogcrawler.wrapper.training import TrainingPage

LONGEST = 600
"""Characters of a teaser, at most."""
SHARE = 0.2
"""Share of the pages that have such a list, and two of them at least."""


def teasers(pages: Sequence[TrainingPage], is_own: Callable[[TrainingPage, str], bool]) -> list[list[tuple[int, int]]]:
    """For each page, where the teasers of its lists begin and end; `is_own` tests texts for being the post's. O(n)."""
    found = [list(_lists(page, is_own)) for page in pages]
    counts = Counter(form for lists in found for form in {form for form, _ in lists})
    least = max(2, SHARE * len(pages))
    return [
        [(at, page.profile.ends[at]) for form, positions in lists if counts[form] >= least for at in positions]
        for page, lists in zip(pages, found, strict=True)
    ]


def _lists(page: TrainingPage, is_own: Callable[[TrainingPage, str], bool]) -> Iterator[tuple[Form, list[int]]]:
    profile, host = page.profile, _host(page.url)
    groups: dict[tuple[int, Form], list[int]] = defaultdict(list)
    #: the last text before each teaser
    before: dict[int, str] = {}
    last, waiting = "", []
    first_texts: dict[int, tuple[int, str]] = {}
    inside: list[int] = []
    for position, (node, parent) in enumerate(zip(profile.nodes, profile.parents, strict=True)):
        link = position if node.tag == "a" else inside[parent] if parent >= 0 else -1
        inside.append(link)
        waiting.append(position)
        for piece in profile.pieces[position]:
            for opened in waiting:
                first_texts[opened] = link, last
            waiting.clear()
            last = piece
    for position, (link, text) in first_texts.items():
        node, size = profile.nodes[position], profile.sizes[position]
        is_headed = link > position and profile.link_sizes[position] < size <= LONGEST
        if is_headed and profile.parents[position] >= 0 and _leads_within(profile.nodes[link].get("href") or "", host):
            groups[profile.parents[position], profile.form_of(position)].append(position)
            before[position] = text
    for (_, form), positions in groups.items():
        heading = before[positions[0]]
        if len(positions) > 1 and heading and not is_own(page, heading):
            yield form, positions


def _host(url: str) -> str:
    return urlsplit(url).netloc.removeprefix("www.")


def _leads_within(reference: str, host: str) -> bool:
    """True for a link to a page of the blog, and not just to a place in this one."""
    try:
        parts = urlsplit(reference.strip())
    except ValueError:
        return False
    is_here = not parts.netloc or parts.netloc.removeprefix("www.") == host
    return is_here and parts.scheme in ("", "http", "https") and bool(parts.path or parts.query)
