"""`blogcrawler rules URL`: show a blog's learned rules, their confidence, and what each extracts from an example
post."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from blogcrawler.backend import Archive
from blogcrawler.command import ArchiveCommand
from blogcrawler.dom import inline_text, parse
from blogcrawler.errors import BlogcrawlerError, NotAWebPage
from blogcrawler.reporting import exit_on_error, printable
from blogcrawler.routes import out_of_path
from blogcrawler.urls import parse_start_url
from blogcrawler.wrapper import Wrapper

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.core.induce import Learned

EXAMPLE = 100
"""Longest example, in characters."""


class Command(ArchiveCommand):
    """Shows the learned rules of a blog."""

    def run(self, args: list[str], opts: argparse.Namespace) -> None:  # noqa: ARG002
        with exit_on_error():
            show(args[0], self.settings["DATABASE_URL"], Console())


def show(address: str, database_url: str, console: Console) -> None:
    """Print the rules of an archived blog."""
    url = parse_start_url(address)
    with Archive.open(database_url, make=False) as archive:
        home = archive.find_blog(url)
        stored = archive.load_wrapper(home) if home else None
        if home is None or stored is None:
            raise BlogcrawlerError(f"There are no rules of {url} yet. Crawl it first: blogcrawler archive {url}")
        pages = archive.load_training_pages(home)
    wrapper = Wrapper.from_dict(stored)
    example, tree = None, None
    for page, _ in pages:
        try:
            example, tree = page.url, parse(page.body, content_type=page.content_type)
            break
        except NotAWebPage:
            continue
    console.print(Text(f"Rules of {home}, each with its confidence and the share of pages on which it finds something"))
    for number, template in enumerate((wrapper, *wrapper.templates)):
        for name, learned, extracted in _rows(template, tree, example):
            heading = f"{name}, template {number}" if number else name
            console.print(Text(f"\n{heading}: {learned.score:.2f}, {learned.support:.0%}"))
            # on its own line and never wrapped, so that it can be copied
            console.print(Text(f"  {printable(str(learned.rule))}"), soft_wrap=True)
            console.print(Text(f"  extracts: {_short(extracted)}" if extracted else "  extracts nothing here"))
    console.print()
    answers = wrapper.validation.answers
    if answers:
        tested = ", ".join(f"{name} {right} of {tests}" for name, (tests, right) in answers)
        console.print(Text(f"correct on held-out feed entries: {tested}"))
    for exclusion in wrapper.article.exclusions.nodes:
        console.print(Text(f"removed from the article: {exclusion.xpath} ({exclusion.extent})"))
    for phrase in wrapper.article.exclusions.phrases:
        console.print(Text(f"text removed from the article: {phrase}"))
    if wrapper.authors.constant:
        console.print(Text(f"author of all entries of the feed: {wrapper.authors.constant}"))
    if example:
        console.print(Text(f"The examples are from {out_of_path(example)}"))


def _rows(wrapper: Wrapper, tree: HtmlElement | None, url: str | None) -> Iterator[tuple[str, Learned, str]]:
    extraction = wrapper.extract(tree, url) if tree is not None else None
    article = inline_text(extraction.article) if extraction is not None and extraction.article is not None else ""
    for learned in wrapper.article.rules:
        yield "content", learned, article
    for rule in wrapper.title:
        yield "title", rule.learned, (rule.extract(tree) or "") if tree is not None else ""
    for dated in wrapper.dates.rules:
        yield "published", dated.learned, (extraction.published or "") if extraction else ""
    for dated in wrapper.dates.updates.rules:
        yield "updated", dated.learned, (extraction.updated or "") if extraction else ""
    for rule in wrapper.authors.rules:
        yield "authors", rule.learned, (rule.extract(tree) or "") if tree is not None else ""
    for several in wrapper.tags:
        yield "tags", several.learned, ", ".join(extraction.tags) if extraction else ""


def _short(text: str) -> str:
    clean = printable(text, instead=" ")
    return clean if len(clean) <= EXAMPLE else f"{clean[:EXAMPLE]} …"
