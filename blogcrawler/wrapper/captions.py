"""Pictures and films of an article, and what is written below them, which many feeds leave out.

A picture is the article's if the entry has it; or if no other page has it, it leads nowhere, and it is amid the
article's text, or in a figure with a caption above it. A few words in the smallest box around it are its caption.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from blogcrawler.dom.lazy import file_of
from blogcrawler.wrapper.recurring import template_form

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.container import Container
    from blogcrawler.wrapper.profile import Profile

MEDIA = frozenset(["img", "iframe", "video", "audio", "embed", "object"])
WORTH = 200
"""Characters of text that one of them counts for."""
CAPTION = 400
"""Characters of a caption, at most."""
LEVELS = 12
"""Elements around a picture that are looked at."""
ICON = 100
"""Pixels below which a picture is none of an article's, unless the entry has it."""


def files_of(nodes: Iterable[HtmlElement]) -> frozenset[str]:
    """The files that pictures and films show, or might show once scripts have run."""
    return frozenset(file for node in nodes if node.tag in MEDIA for file in _files(node))


def illustrate(pages: Sequence[Container], told: Sequence[frozenset[str]]) -> list[Container]:
    """Containers with pictures and captions in their text; `told` are the files of each page's entry. O(n)."""
    files = [_files_in(page) for page in pages]
    counts = Counter(file for shown in files for file in frozenset().union(*shown.values()))
    boxes = [_boxes(page, shown, own, counts) for page, shown, own in zip(pages, files, told, strict=True)]
    recurring = _recurring(pages, boxes)
    return [_with_pictures(page, held, recurring) for page, held in zip(pages, boxes, strict=True)]


def _files(node: HtmlElement) -> set[str]:
    """The files that a node may show, without the sizes in their names."""
    values = [value for name, value in node.items() if "src" in name or name.startswith("data-")]
    found = {file for value in values if (file := file_of(value))}
    source = node.get("src") or node.get("data") or ""
    return found or ({source.partition("://")[2] or source} if source else set())


def _files_in(page: Container) -> dict[int, frozenset[str]]:
    profile = page.profile
    places = [at for at in profile.subtree(page.position) if profile.nodes[at].tag in MEDIA]
    return {at: frozenset(_files(profile.nodes[at])) for at in places}


def _boxes(
    page: Container, files: dict[int, frozenset[str]], told: frozenset[str], counts: Counter[str]
) -> dict[int, int]:
    """The article's pictures, each with the box that holds it and its caption."""
    if not files:
        return {}
    profile = page.profile
    first, last = _extent(page)
    found = {}
    captioned: dict[int, bool] = {}
    for position, shown in files.items():
        box, is_whole = _box(page, position)
        if shown & told:
            found[position] = box
        elif is_whole and position < last and any(counts[file] == 1 for file in shown):
            if box not in captioned:
                captioned[box] = profile.nodes[box].find(".//figcaption") is not None
            is_amid = position > first or captioned[box]
            if is_amid and not _leads_away(profile, position) and not _is_icon(profile.nodes[position]):
                found[position] = box
    return found


def _extent(page: Container) -> tuple[int, int]:
    """Positions of the first and last node with text of the article in itself."""
    inside = page.profile.subtree(page.position)
    rest = {at: page.own[at] for at in inside}
    for at in inside[1:]:
        rest[page.profile.parents[at]] -= page.own[at]
    places = [at for at in inside if rest[at] > 0]
    return (places[0], places[-1]) if places else (len(page.profile), -1)


def _box(page: Container, position: int) -> tuple[int, bool]:
    """The outermost element around a picture with few words and none of the feed's; True if it is in the article."""
    profile, box = page.profile, position
    for parent in islice(profile.around(position), 1, LEVELS):
        if parent <= page.position or page.own[parent]:
            return box, True
        size = profile.sizes[parent]
        if size > CAPTION or 2 * profile.link_sizes[parent] > size:
            break
        box = parent
    return box, False


def _leads_away(profile: Profile, position: int) -> bool:
    """True if a picture is a link to anything but a larger one of itself."""
    above = next(profile.nodes[position].iterancestors("a"), None)
    return above is not None and bool(above.get("href")) and not file_of(above.get("href") or "")


def _is_icon(node: HtmlElement) -> bool:
    sizes = ((node.get(name) or "").strip().removesuffix("px") for name in ("width", "height"))
    return any(size.isdecimal() and int(size) < ICON for size in sizes if len(size) < ICON)


def _recurring(pages: Sequence[Container], boxes: Sequence[dict[int, int]]) -> frozenset[str]:
    """What is written in the boxes of more than one page."""
    counts: Counter[str] = Counter()
    for page, held in zip(pages, boxes, strict=True):
        profile = page.profile
        inside = {at for box in set(held.values()) for at in profile.subtree(box)}
        counts.update({template_form(piece) for at in inside for piece in profile.pieces[at]})
    return frozenset(text for text, count in counts.items() if count > 1)


def _with_pictures(page: Container, boxes: dict[int, int], recurring: frozenset[str]) -> Container:
    profile = page.profile
    own, known, shows = list(page.own), list(page.known), [False] * len(profile)
    gained, more = dict.fromkeys(boxes, WORTH), dict.fromkeys(boxes, WORTH)
    for at in {at for box in set(boxes.values()) for at in profile.subtree(box)}:
        is_caption = profile.nodes[at].tag == "figcaption"
        pieces = (piece for piece in profile.pieces[at] if is_caption or template_form(piece) not in recurring)
        gained[at] = gained.get(at, 0) + sum(len(piece) for piece in pieces if page.holds(piece) is False)
    for at in sorted(boxes):
        for around in profile.around(at):
            if shows[around]:
                break
            shows[around] = True
    for at in reversed(profile.subtree(page.position)[1:]):
        for column, gain in ((own, gained), (known, more)):
            if size := gain.get(at):
                column[at] += size
                gain[profile.parents[at]] = gain.get(profile.parents[at], 0) + size
    own[page.position] += gained.get(page.position, 0)
    known[page.position] += more.get(page.position, 0)
    return replace(page, own=own, known=known, illustrated=shows)
