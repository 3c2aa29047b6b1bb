"""Keep pictures and films of an article, and their captions, which many feeds omit.

A picture belongs to the article if the entry has it; or if no other page has it, it is no link to another page, and it
is amid the article's text. A few words in the smallest box around it are its caption.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import islice, takewhile
from typing import TYPE_CHECKING

from blogcrawler.dom.lazy import file_of
from blogcrawler.wrapper.refinements.recurring import template_form

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.core.profile import Profile
    from blogcrawler.wrapper.refinements.container import Container

MEDIA = frozenset(["img", "iframe", "video", "audio", "embed", "object"])
WORTH = 200
"""Number of characters of text as which a picture or film counts."""
CAPTION = 400
"""Maximum length, in characters, of a caption."""
LEVELS = 12
"""Maximum number of levels of elements around a picture that are examined."""


def files_of(nodes: Iterable[HtmlElement]) -> frozenset[str]:
    """The files that pictures and films show, or may show after scripts have run."""
    return frozenset(file for node in nodes if node.tag in MEDIA for file in _files(node))


def illustrate(pages: Sequence[Container], entry_files: Sequence[frozenset[str]]) -> list[Container]:
    """Containers that count pictures and captions as their text; `entry_files` are those of each page's entry. O(n)."""
    files = [_files_in(page) for page in pages]
    counts = Counter(file for shown in files for file in frozenset().union(*shown.values()))
    boxes = [_boxes(page, shown, own, counts) for page, shown, own in zip(pages, files, entry_files, strict=True)]
    written = Counter(text for page, held in zip(pages, boxes, strict=True) for text in _texts(page, held))
    return [_with_pictures(page, held, written) for page, held in zip(pages, boxes, strict=True)]


def _files(node: HtmlElement) -> set[str]:
    """The files that a node may show, without the sizes in their names."""
    values = [value for name, value in node.items() if "src" in name or name.startswith("data-")]
    files = {file for value in values if (file := file_of(value))}
    source = node.get("src") or node.get("data") or ""
    return files or ({source.partition("://")[2] or source} if source else set())


def _files_in(page: Container) -> dict[int, set[str]]:
    nodes = page.profile.nodes
    return {at: _files(nodes[at]) for at in page.profile.subtree(page.position) if nodes[at].tag in MEDIA}


def _boxes(
    page: Container, files: Mapping[int, set[str]], entry_files: frozenset[str], counts: Counter[str]
) -> set[int]:
    """The boxes of the article's pictures and of their captions."""
    first, last = page.extent if files else (0, 0)
    amid = {at for at in files if first < at < last and not _leads_away(page.profile, at)}
    own = {
        at
        for at, shown in files.items()
        if shown & entry_files or (at in amid and any(counts[file] == 1 for file in shown))
    }
    return {box for box in (_box(page, at) for at in own) if not page.own[box]}


def _box(page: Container, position: int) -> int:
    """The outermost element around a picture with few words, most of them outside of links, and none of the feed's."""
    profile, box = page.profile, position
    for parent in islice(profile.around(position), 1, LEVELS):
        size = profile.sizes[parent]
        if parent <= page.position or page.own[parent] or size > CAPTION or 2 * profile.link_sizes[parent] > size:
            break
        box = parent
    return box


def _leads_away(profile: Profile, position: int) -> bool:
    """True if a picture is a link, unless it leads to a larger version of it."""
    above = next(profile.nodes[position].iterancestors("a"), None)
    return above is not None and bool(above.get("href")) and not file_of(above.get("href") or "")


def _texts(page: Container, boxes: Collection[int]) -> set[str]:
    """The texts in boxes."""
    profile = page.profile
    return {template_form(text) for box in boxes for at in profile.subtree(box) for text in profile.pieces[at]}


def _with_pictures(page: Container, boxes: Collection[int], written: Counter[str]) -> Container:
    """A container that counts pictures, and texts beside them that no other page has, as the article's."""
    profile, own, known = page.profile, list(page.own), list(page.known)
    for box in boxes:
        for at in takewhile(page.position.__le__, profile.around(box)):
            own[at] += WORTH
            known[at] += WORTH
        for at in profile.subtree(box):
            if at == box or not any(written[template_form(text)] > 1 for text in profile.pieces[at]):
                own[at] = known[at] = max(known[at], WORTH)
    return replace(page, own=own, known=known)
