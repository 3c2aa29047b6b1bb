"""`blogcrawler reextract URL`: extract a blog's posts again from their archived pages."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from lxml import etree

from blogcrawler.backend import Archive
from blogcrawler.backend.warc import WARC_FOLDER
from blogcrawler.command import ArchiveCommand
from blogcrawler.errors import BadArgument
from blogcrawler.export import Selection
from blogcrawler.reextraction import ArchivedPages, PostPage, correct, propose, renew, take_back
from blogcrawler.reporting import advancing, exit_on_error, interruptible
from blogcrawler.time_limit import set_time_limit
from blogcrawler.urls import parse_start_url
from blogcrawler.wrapper import path_of

if TYPE_CHECKING:
    import argparse

    from lxml.html import HtmlElement

    from blogcrawler.items import Record
    from blogcrawler.reextraction import Outcome


class Command(ArchiveCommand):
    """Learns a blog's rules again and extracts its posts again, without fetching anything."""

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Save the corrections, learn the rules, and extract all posts again."""
        settings = self.settings
        warcs = Path(settings["ARCHIVE"]) / WARC_FOLDER
        set_time_limit(settings.getfloat("PAGE_TIME_LIMIT"))
        with exit_on_error():
            with Archive.open(settings["DATABASE_URL"], make=False) as archive:
                (blog,) = Selection.of(archive, args).blogs
                home = blog.home
                _take_in(archive, home, warcs, opts)
                count = archive.count(home)
            with (
                interruptible("Interrupted. Run the same command again to continue."),
                advancing("posts", count) as advance,
            ):
                outcome = renew(
                    settings["DATABASE_URL"],
                    home,
                    warcs,
                    learns=not opts.keep_rules,
                    least=settings.getfloat("CONFIDENCE_MINIMUM"),
                    keeps_files=settings.getbool("MEDIA"),
                    on_post=advance,
                )
            _print_outcome(outcome)


def _take_in(archive: Archive, home: str, warcs: Path, opts: argparse.Namespace) -> None:
    """Save all corrections in one transaction."""
    with ArchivedPages(archive, home, warcs) as archived, archive.transaction():
        for address, field in opts.forget:
            take_back(archive, _record(archive, home, address), field)
        for address, field, xpath in opts.correct:
            record = _record(archive, home, address)
            post = PostPage.of(archive, archived, record)
            correct(archive, propose(post, field, _path(post.tree, xpath, address)))


def _record(archive: Archive, home: str, address: str) -> Record:
    record = archive.record(home, parse_start_url(address))
    if record is None:
        raise BadArgument(f"The archive has no post of {home} at {address}.")
    return record


def _path(tree: HtmlElement, xpath: str, address: str) -> str:
    """Return the path of the single element that an expression selects. Raises BadArgument."""
    try:
        elements = tree.xpath(xpath)
    except etree.XPathError as error:
        raise BadArgument(f"{xpath!r} is not a valid XPath expression ({error}).") from error
    nodes = [node for node in elements if isinstance(node, etree.ElementBase)] if isinstance(elements, list) else []
    if len(nodes) != 1:
        raise BadArgument(f"{xpath!r} selects {len(nodes)} elements of the page {address}; it must select one.")
    return path_of(nodes[0])


def _print_outcome(outcome: Outcome) -> None:
    print(f"{outcome.changed} changed, {outcome.same} unchanged; nothing was fetched.")
    if outcome.new_files:
        files = "1 file" if outcome.new_files == 1 else f"{outcome.new_files} files"
        print(f"The next update will fetch {files} that the new records contain.")
    reasons = Counter(why.replace(url, "…") for url, why in outcome.left.items())
    for why, count in reasons.most_common():
        print(f"{count} not extracted again: {why}")
