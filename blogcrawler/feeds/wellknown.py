"""Addresses at which blog software puts feeds, for blogs that link to none."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from .conventions import conventions
from .model import FeedCandidate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

_FIRST = 100.0
#: after the candidates of the blog's own folder come those of the site's root, interleaved from this place on
_ROOT_LATER = 4.5
_SUBFOLDER_LATER = 8.25
_MAX_ANCHORS = 2_000


def well_known(tree: HtmlElement, url: str, language: str | None = None) -> Iterator[FeedCandidate]:
    """The conventional addresses for a page, in its folder and above; those of the software that made it first."""
    known = conventions()
    paths = dict.fromkeys([*_of_generator(tree), *known.paths])
    for folder, later in _folders(tree, url):
        place = 0
        for path in paths:
            if "{language}" in path and not language:
                continue
            address = urljoin(folder, path.replace("{language}", (language or "").partition("-")[0]))
            yield FeedCandidate(
                address, "well-known", _FIRST + later + place, f"where blog software puts feeds: {path}"
            )
            place += 1


def home_of_usual(url: str) -> str | None:
    """The home page below which an address is one at which blog software puts feeds; None where it is none. O(n)."""
    start = url.rstrip("/")
    found = [path.rstrip("/") for path in conventions().paths if start.endswith("/" + path.rstrip("/"))]
    if not found:
        return None
    home = start[: -max(map(len, found))]
    return home if urlsplit(home).netloc else None


def _of_generator(tree: HtmlElement) -> tuple[str, ...]:
    for node in tree.iter("meta"):
        if str(node.get("name", "")).lower() != "generator":
            continue
        said = str(node.get("content", ""))[:200].lower()
        for name, paths in conventions().generators.items():
            if name in said:
                return paths
    return ()


def _folders(tree: HtmlElement, url: str) -> list[tuple[str, float]]:
    """The folders where the blog may stand, and how much later each is tried than the first."""
    parts = urlsplit(url)
    root = f"{parts.scheme}://{parts.netloc}/"
    path = [part for part in parts.path.split("/") if part]
    if path and "." in path[-1] and not parts.path.endswith("/"):
        path = path[:-1]
    dated = next((index for index, part in enumerate(path) if part.isdigit()), len(path))
    path = path[:dated]  # below a year stand posts
    found = [
        root + "".join(f"{part}/" for part in path[:length]) for length in (len(path), 1, 0) if length <= len(path)
    ]
    folders = {folder: place * _ROOT_LATER for place, folder in reversed(list(enumerate(dict.fromkeys(found))))}
    for folder in _linked_folders(tree, root):
        folders.setdefault(folder, _SUBFOLDER_LATER)
    return sorted(folders.items(), key=lambda item: item[1])


def _linked_folders(tree: HtmlElement, root: str) -> list[str]:
    """Folders with a blog's usual name that the page links to."""
    names = conventions().folders
    found: dict[str, None] = {}
    for number, node in enumerate(tree.iter("a")):
        if number >= _MAX_ANCHORS:
            break
        href = str(node.get("href", ""))
        try:
            address = urljoin(root, href) if href and len(href) < 2000 else ""
        except ValueError:
            continue
        first = address[len(root) :].partition("/")[0] if address.startswith(root) else ""
        if first in names:
            found[f"{root}{first}/"] = None
    return list(found)[:2]
