"""The extractors that this project is measured beside: how each is called, and under which licence it is.

They are an extra of the project (`pip install '.[benchmark]'`) and no dependencies. Each gets a page's text, decoded as a
browser does, and its URL, through the call that its documentation gives for one page, with metadata where it has them.
"""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

Extract = Callable[[str, str], Mapping[str, Any]]
"""From a URL and a page's text to a record: `title`, `authors`, `published`, `tags`, and `content_text` or
`content_html`, as far as the extractor looks for them."""


@dataclass(frozen=True)
class Tool:
    """An extractor. `make` raises ImportError where it is not installed."""

    name: str
    licence: str
    call: str
    #: what it looks for, of `scoring.FIELDS`
    fields: frozenset[str]
    make: Callable[[], Extract]


@contextmanager
def silence() -> Iterator[None]:
    """Keep extractors from telling of each page what they could not read."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


def installed() -> list[tuple[Tool, Extract]]:
    """The extractors that are installed; the others are told on stderr."""
    found = []
    for tool in TOOLS:
        try:
            found.append((tool, tool.make()))
        except ImportError as error:
            print(f"{tool.name} is left out: {error}", file=sys.stderr)
    return found


def _trafilatura(**options: Any) -> Extract:
    from trafilatura import bare_extraction

    def extract(url: str, page: str) -> Mapping[str, Any]:
        found = bare_extraction(page, url=url, with_metadata=True, **options)
        if found is None:
            return {}
        return {
            "title": found.title,
            "authors": [name.strip() for name in (found.author or "").split(";") if name.strip()],
            "published": found.date,
            "tags": found.tags or found.categories,
            "content_text": found.text,
        }

    return extract


def _readability() -> Extract:
    from readability import Document

    def extract(url: str, page: str) -> Mapping[str, Any]:
        document = Document(page, url=url)
        return {
            "title": document.short_title(),
            "authors": _known(document.author()),
            "content_html": document.summary(),
        }

    return extract


def _known(author: str) -> list[str]:
    return [] if author == "[no-author]" else [author]


def _newspaper() -> Extract:
    from newspaper import Article

    def extract(url: str, page: str) -> Mapping[str, Any]:
        article = Article(url, fetch_images=False)
        article.download(input_html=page)
        article.parse()
        return {
            "title": article.title,
            "authors": article.authors,
            "published": _iso(article.publish_date),
            "tags": list(article.tags or ()),
            "content_text": article.text,
        }

    return extract


def _goose() -> Extract:
    from goose3 import Goose

    goose = Goose({"enable_image_fetching": False})

    def extract(url: str, page: str) -> Mapping[str, Any]:
        found = goose.extract(url=url, raw_html=page)
        return {
            "title": found.title,
            "authors": found.authors,
            "published": _iso(found.publish_datetime_utc or found.publish_date),
            "tags": found.tags,
            "content_text": found.cleaned_text,
        }

    return extract


def _boilerpy() -> Extract:
    from boilerpy3.extractors import ArticleExtractor

    extractor = ArticleExtractor(raise_on_failure=False)

    def extract(url: str, page: str) -> Mapping[str, Any]:
        document = extractor.get_doc(page)
        return {"title": document.title, "content_text": document.content}

    return extract


def _resiliparse() -> Extract:
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.html import HTMLTree

    def extract(url: str, page: str) -> Mapping[str, Any]:
        tree = HTMLTree.parse(page)
        return {"title": tree.title, "content_text": extract_plain_text(tree, main_content=True, alt_texts=False)}

    return extract


def _iso(value: object) -> str | None:
    return value.isoformat() if isinstance(value, datetime) else value if isinstance(value, str) else None


ALL = frozenset({"content", "title", "published", "authors", "tags"})
TEXT = frozenset({"content", "title"})
TOOLS = [
    Tool("trafilatura", "Apache-2.0", "`bare_extraction(page, url=…, with_metadata=True)`", ALL, _trafilatura),
    Tool(
        "trafilatura, fast",
        "Apache-2.0",
        "the same with `fast=True, include_comments=False`",
        ALL,
        lambda: _trafilatura(fast=True, include_comments=False),
    ),
    Tool(
        "readability-lxml",
        "Apache-2.0",
        "`Document(page, url=…)`: `short_title()`, `author()`, `summary()`",
        TEXT | {"authors"},
        _readability,
    ),
    Tool(
        "newspaper4k",
        "MIT",
        "`Article(url, fetch_images=False)`: `download(input_html=page)`, `parse()`",
        ALL,
        _newspaper,
    ),
    Tool(
        "goose3", "Apache-2.0", "`Goose({'enable_image_fetching': False}).extract(url=…, raw_html=page)`", ALL, _goose
    ),
    Tool("boilerpy3", "Apache-2.0", "`ArticleExtractor(raise_on_failure=False).get_doc(page)`", TEXT, _boilerpy),
    Tool(
        "resiliparse",
        "Apache-2.0",
        "`extract_plain_text(HTMLTree.parse(page), main_content=True, alt_texts=False)`",
        TEXT,
        _resiliparse,
    ),
]
