"""The features of a line of a page, of its neighbours and of the blocks around it.

The first five are DGWC's (section III). The others were added because measurements showed a benefit: see `model`. No
feature depends on a language, nor on the names that themes use; names of published vocabularies count (schema.org,
microformats).
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from blogcrawler.dom.tags import HEADINGS
from blogcrawler.lazy import LazyModule
from blogcrawler.similarity import fold

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from lxml.html import HtmlElement
    from numpy.typing import NDArray

    from blogcrawler.wrapper.fallback.lines import Block, Lines
else:
    np = LazyModule("numpy")

Column = "NDArray[np.float64]"

PUNCTUATION = re.compile(r"[.,;:!?…。、，！？；：।؟،]")
SENTENCE_END = re.compile(r"[.!?:;,…。！？：।؟”»）)」』]$")
KINDS: dict[str, frozenset[str]] = {
    "paragraph": frozenset(["p"]),
    "item": frozenset(["li", "dt", "dd"]),
    "heading": HEADINGS,
    "preformatted": frozenset(["pre", "listing", "xmp", "textarea"]),
    "cell": frozenset(["td", "th", "caption"]),
    "quote": frozenset(["blockquote"]),
}
AROUND = ("nav", "aside", "footer", "header", "form", "table", "article", "main", "figure", "ul")
ROLES = {
    "navigation": "nav", "complementary": "aside", "contentinfo": "footer", "banner": "header", "main": "main",
    "search": "form", "article": "article",
}  # fmt: skip
"""Landmark roles of ARIA, and the equivalent elements."""
ARTICLE_CLASSES = frozenset(["e-content", "entry-content"])
COMMENT_CLASSES = frozenset(["h-cite", "u-comment", "p-comment"])
"""Classes of articles in h-entry and hAtom, and of comments in h-entry."""
REPEATED = frozenset(["div", "article", "section", "li", "dl"])
"""Elements that lists of comments or posts consist of."""
LONG = 80
"""Number of characters outside of links at or above which a line belongs to a paragraph."""
DATED = 0.08
"""Share of digits at or above which a short line may be a date or a number of comments."""
DESCRIBED = 40
"""Number of leading characters of a description that are searched for in the text."""
NEIGHBOURS = (-2, -1, 1, 2)
WINDOW = 5


def raw_features(page: Lines) -> dict[str, NDArray[np.float64]]:
    """TextLength, OutputTextLength (outside of links), Density, LinkNum and ImgNum of each line, in this order. Density
    is the share of text in the line's HTML; the paper's definition of it is lost."""
    lines = page.lines
    text = np.array([len(line.text) for line in lines], float)
    output = text - np.minimum([line.link_size for line in lines], text)
    return {
        "text_length": text,
        "output_text_length": output,
        "density": text / np.maximum([line.html_size for line in lines], text),
        "link_num": np.array([line.links for line in lines], float),
        "img_num": np.array([line.images for line in lines], float),
    }


def features(page: Lines, root: HtmlElement) -> dict[str, NDArray[np.float64]]:
    """All features of the lines of a page, by name; an array holds one value for each line. O(n). The page must have a
    line."""
    values = raw_features(page)
    text, output = values["text_length"], values["output_text_length"]
    for name in ("text_length", "output_text_length", "link_num"):
        values[name] = np.log1p(values[name])
    values |= _own(page, text, output)
    values |= _surroundings(page, text, output)
    values |= _form_features(page, text, output)
    values |= _sections(page, text, output)
    values |= _neighbours(values)
    values |= _claims(page, root, output)
    return values


def _own(page: Lines, text: NDArray[np.float64], output: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """Features of the line itself and of its position."""
    texts = [line.text for line in page.lines]
    count = len(texts)
    digits = [sum(map(str.isdigit, line[:100])) / min(100, len(line)) for line in texts]
    dated = ((np.array(digits) > DATED) & (text < LONG)).astype(float)
    values = {
        "link_share": 1 - output / text,
        "punctuation": np.log1p([len(PUNCTUATION.findall(line)) for line in texts]),
        "ends_sentence": np.array([SENTENCE_END.search(line) is not None for line in texts], float),
        "digits": np.array(digits),
        "position": np.arange(count) / count,
        "output_before": _sums(output)[:-1] / max(1.0, output.sum()),
        "lines": np.full(count, np.log1p(count)),
        "dated": dated,
        "dated_before": np.log1p(_sums(dated)[:-1]),
    }
    tags = [page.blocks[line.block].element.tag for line in page.lines]
    for kind, members in KINDS.items():
        values[f"is_{kind}"] = np.array([tag in members for tag in tags], float)
    return values


def _sums(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sums of the first 0, 1, ... n values."""
    return np.concatenate([[0.0], np.cumsum(values)])


def _surroundings(
    page: Lines, text: NDArray[np.float64], output: NDArray[np.float64]
) -> dict[str, NDArray[np.float64]]:
    """Features of the blocks around a line and of their other content."""
    blocks = page.blocks
    inner = np.array([line.block for line in page.lines])
    held = {name: np.array(column)[inner] for name, column in _inherited(blocks).items()}
    held |= {f"page_has_{name}": np.full(len(inner), float(held[f"in_{name}"].any())) for name in ("main", "article")}
    held["page_is_marked"] = np.full(len(inner), float(held["in_marked_article"].any()))
    held["page_has_field"] = np.full(len(inner), float(any(block.element.tag == "textarea" for block in blocks)))
    start, end = np.array([block.start for block in blocks]), np.array([block.end for block in blocks])
    parents = np.maximum([block.parent for block in blocks], 0)
    sums = {"text": _sums(text), "output": _sums(output), "long": _sums((output >= LONG).astype(float))}
    inside = {name: column[end] - column[start] for name, column in sums.items()}
    for level in range(4):
        held[f"share_{level}"] = inside["output"][inner] / max(1.0, output.sum())
        held[f"link_share_{level}"] = 1 - inside["output"][inner] / np.maximum(1.0, inside["text"][inner])
        held[f"long_{level}"] = np.log1p(inside["long"][inner])
        held[f"lines_{level}"] = np.log1p((end - start)[inner])
        if level <= 1:
            held[f"place_{level}"] = (np.arange(len(inner)) - start[inner]) / (end - start)[inner]
        inner = parents[inner]
    return held


def _form_features(
    page: Lines, text: NDArray[np.float64], output: NDArray[np.float64]
) -> dict[str, NDArray[np.float64]]:
    """Features of elements with the same tags and classes: an article's paragraphs are alike, and so are teasers."""
    forms = [(block.element.tag, block.element.get("class") or "") for block in page.blocks]
    paths: list[tuple[tuple[str, str], ...]] = []
    for block, form in zip(page.blocks, forms, strict=True):
        paths.append((form, *paths[block.parent][:2]) if block.parent >= 0 else (form,))
    kinds: dict[str, Sequence[object]] = {
        "path": paths,
        "form": forms,
        "tags": [tuple(tag for tag, _ in path) for path in paths],
    }
    values = {}
    for name, keys in kinds.items():
        numbers: dict[object, int] = {}
        kind = np.array([numbers.setdefault(keys[line.block], len(numbers)) for line in page.lines])
        count, own, whole = (np.bincount(kind, weights) for weights in (None, output, text))
        values[f"{name}_share"] = own[kind] / max(1.0, output.sum())
        values[f"{name}_mean"] = np.log1p(own / count)[kind]
        values[f"{name}_count"] = np.log1p(count)[kind]
        values[f"{name}_links"] = (1 - own / np.maximum(1.0, whole))[kind]
    return values


def _sections(page: Lines, text: NDArray[np.float64], output: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """Features of the heading above a line, and of the lines between it and the next heading."""
    tags, places = [page.blocks[line.block].element.tag for line in page.lines], np.arange(len(text))
    headings = np.array([tag in HEADINGS for tag in tags])
    last = np.maximum.accumulate(np.where(headings, places, -1))
    levels = np.array([int(tag[1]) if tag in HEADINGS else 0 for tag in tags], float)
    ends = np.append(np.flatnonzero(headings), len(text))
    end, start = ends[np.searchsorted(ends, places, side="right")], np.maximum(last, 0)
    own, whole = (sums[end] - sums[start] for sums in (_sums(output), _sums(text)))
    long = np.where(output >= LONG, output, 0)
    return {
        "section_level": np.where(last >= 0, levels[start], 0),
        "section_heading_links": np.where(last >= 0, (1 - output / text)[start], 0),
        "since_heading": np.log1p(places - last),
        "section_output": np.log1p(own),
        "section_links": 1 - own / np.maximum(1.0, whole),
        "long_before": _sums(long)[:-1] / max(1.0, long.sum()),
        "page_output": np.full(len(text), np.log1p(output.sum())),
        "page_links": np.full(len(text), 1 - output.sum() / max(1.0, text.sum())),
    }


def _inherited(blocks: list[Block]) -> dict[str, list[float]]:
    """Features that a block has itself or inherits from a block around it."""
    names = [f"in_{tag}" for tag in AROUND]
    flags = ["in_marked_article", "in_marked_comment", "twins", "namesakes", "depth"]
    values: dict[str, list[float]] = {name: [0.0] * len(blocks) for name in (*names, *flags, "after_field")}
    tokens = [(block.element.get("class") or "").split()[:6] for block in blocks]
    twins = Counter((block.parent, block.element.tag) for block in blocks)
    namesakes = Counter(
        (block.parent, block.element.tag, token)
        for block, known in zip(blocks, tokens, strict=True)
        for token in set(known)
    )
    field_seen = False
    for place, (block, classes) in enumerate(zip(blocks, tokens, strict=True)):
        element, parent = block.element, block.parent
        if parent >= 0:
            for name in (*names, *flags):
                values[name][place] = values[name][parent]
            values["depth"][place] += 1
        tag = ROLES.get(element.get("role") or "", element.tag)
        # the form may hold the whole page
        if tag in AROUND and not (tag == "form" and element.find(".//h1") is not None):
            values[f"in_{tag}"][place] += 1
        properties = (element.get("itemprop") or "").split()
        if "articleBody" in properties or not ARTICLE_CLASSES.isdisjoint(classes):
            values["in_marked_article"][place] = 1.0
        if "comment" in properties or not COMMENT_CLASSES.isdisjoint(classes):
            values["in_marked_comment"][place] = 1.0
        if element.tag in REPEATED:
            same = max((namesakes[parent, element.tag, token] for token in classes), default=0)
            values["namesakes"][place] = max(values["namesakes"][place], float(np.log1p(same)))
            values["twins"][place] = max(values["twins"][place], float(np.log1p(twins[parent, element.tag])))
        values["after_field"][place] = float(field_seen)
        field_seen = field_seen or element.tag == "textarea"
    return values


def _neighbours(own: dict[str, NDArray[np.float64]]) -> dict[str, NDArray[np.float64]]:
    """The features of neighbouring lines, and their means over windows before, behind and around the line."""
    values = {}
    for name in ("output_text_length", "link_share", "ends_sentence", "is_paragraph", "is_heading"):
        for apart in NEIGHBOURS:
            values[f"{name}_{apart:+}"] = _shifted(own[name], apart)
    for name in ("output_text_length", "link_share", "ends_sentence", "digits"):
        sums, places = _sums(own[name]), np.arange(len(own[name]))
        first, last = np.maximum(0, places - WINDOW), np.minimum(len(places), places + WINDOW + 1)
        values[f"{name}_around"] = (sums[last] - sums[first]) / (last - first)
        values[f"{name}_before"] = (sums[places] - sums[first]) / WINDOW
        values[f"{name}_behind"] = (sums[last] - sums[places + 1]) / WINDOW
    return values


def _shifted(values: NDArray[np.float64], apart: int) -> NDArray[np.float64]:
    """The value of the line `apart` lines on; 0 if there is none."""
    shifted = np.zeros_like(values)
    if apart > 0:
        shifted[:-apart] = values[apart:]
    else:
        shifted[-apart:] = values[:apart]
    return shifted


def _claims(page: Lines, root: HtmlElement, output: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """Features of the positions of two texts that the page's head declares: its title and its description."""
    count = len(page.lines)
    texts = [fold(line.text[:300]) for line in page.lines]
    heading = np.array([page.blocks[line.block].element.tag in HEADINGS for line in page.lines])
    is_title = np.array(_are_title(texts, root))
    title = _first(is_title & heading if (is_title & heading).any() else is_title)
    is_description = np.array(_are_description(texts, root))
    description = _first(is_description)
    behind = np.arange(count)
    sums, described = _sums(output), _sums(is_description.astype(float))
    start, end = np.array([block.start for block in page.blocks]), np.array([block.end for block in page.blocks])
    inner = np.array([line.block for line in page.lines])
    parents = np.maximum([block.parent for block in page.blocks], 0)
    holds = (described[end] - described[start] > 0).astype(float)
    return {
        "is_title": is_title.astype(float),
        "after_title": ((title >= 0) & (behind > title)).astype(float),
        "page_has_title": np.full(count, float(title >= 0)),
        "output_since_title": (sums[:-1] - sums[title + 1]) / max(1.0, output.sum()),
        "is_description": is_description.astype(float),
        "page_has_description": np.full(count, float(description >= 0)),
        "since_description": ((description >= 0) & (behind >= description)).astype(float),
        "beside_description": holds[parents[inner]],
        "near_description": holds[parents[parents[inner]]],
    }


def _first(flags: NDArray[np.bool_]) -> int:
    return int(flags.argmax()) if flags.any() else -1


def _are_title(texts: list[str], root: HtmlElement) -> list[bool]:
    """For each line, True if it is the page's title, or most of it (themes add the site's name)."""
    node = root.find(".//title")
    title = fold((node.text or "")[:300]) if node is not None else ""
    return [len(text) > 3 and text in title and len(text) >= 0.4 * len(title) for text in texts]


def _are_description(texts: list[str], root: HtmlElement) -> list[bool]:
    descriptions = [
        fold((node.get("content") or "")[:300]) for node in root.iterfind(".//meta") if _is_description(node)
    ]
    begins = {text[:DESCRIBED] for text in descriptions if len(text) >= DESCRIBED // 2}
    return [
        any(begin in text or (len(text) >= DESCRIBED // 2 and begin.startswith(text)) for begin in begins)
        for text in texts
    ]


def _is_description(node: HtmlElement) -> bool:
    name = (node.get("property") or node.get("name") or "").lower()
    return name in {"description", "og:description", "twitter:description"}
