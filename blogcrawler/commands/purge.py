"""`blogcrawler purge URL`: remove a post, or a blog, from the archive for good, and do not take it in again."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from blogcrawler.backend import Archive, Hold
from blogcrawler.backend.passages import person_of
from blogcrawler.backend.warc import WARC_FOLDER, size_of_warcs
from blogcrawler.command import ArchiveCommand
from blogcrawler.errors import BadArgument, NotArchived
from blogcrawler.file_store import file_store
from blogcrawler.purge import BlogRemoval, CommentsRemoval, Places, PostRemoval, Removal
from blogcrawler.reporting import advancing, exit_on_error, interruptible, plain_console, printable, table
from blogcrawler.urls import parse_start_url, site

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from blogcrawler.purge import Plan

HEADINGS = ("what", "of", "asked for", "done", "reason")
KINDS = {"post": "post", "blog": "blog", "comments": "comments of one person"}


class Command(ArchiveCommand):
    """Removes a post or a blog."""

    def check(self, args: list[str], opts: argparse.Namespace) -> None:  # noqa: ARG002
        for url in args:
            parse_start_url(url)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Remove a post or a blog, or list what would go, or what was removed."""
        with exit_on_error(), interruptible("Interrupted; the same command goes on from here."):
            if opts.list:
                with Archive.open(self.settings["DATABASE_URL"], make=False) as archive:
                    _list(archive)
                return
            self._purge(parse_start_url(args[0]), opts)

    def _purge(self, url: str, opts: argparse.Namespace) -> None:
        folder = Path(self.settings["ARCHIVE"])
        places = Places(file_store(self.settings), folder, folder / WARC_FOLDER)
        Archive.open(self.settings["DATABASE_URL"], make=False).close()
        hold = Hold(self.settings["DATABASE_URL"])
        try:
            is_of_blog = opts.blog or opts.comments_by is not None
            homes = _blog(hold.archive, url) if is_of_blog else _homes(hold.archive, url)
            if opts.blog:
                _check_alone(hold.archive, homes)
            for home in homes:
                hold.take(home)
            for home in homes:
                removal = _removal(hold.archive, places, home, url, opts)
                with advancing("bytes of WARC files", size_of_warcs(places.warcs)) as advance:
                    plan = removal.plan(advance) if opts.dry_run else removal.carry_out(advance)
                _tell(plan, is_trial=opts.dry_run)
            if hold.archive.file is None and not opts.dry_run:
                print("Deleted rows stay in PostgreSQL until its administrator runs VACUUM FULL; see docs/takedown.md.")
        finally:
            hold.close()


def _removal(archive: Archive, places: Places, home: str, url: str, opts: argparse.Namespace) -> Removal:
    if opts.comments_by is not None:
        comments = CommentsRemoval(archive, places, home, home, opts.reason, person=person_of(opts.comments_by))
        if not comments.finds_any:
            raise NotArchived(f"No post of {home} has a comment by {printable(opts.comments_by)}.", url=url)
        return comments
    return (
        BlogRemoval(archive, places, home, home, opts.reason)
        if opts.blog
        else PostRemoval(archive, places, home, url, opts.reason)
    )


def _homes(archive: Archive, url: str) -> list[str]:
    """The blogs that have a post at an address, or had it, or on whose site it would be. Raises NotArchived."""
    before = archive.purges.find("post", archive.key_of(url))
    homes = archive.homes_of(url) or ([before.blog] if before is not None else [])
    homes = homes or [blog.home for blog in archive.blogs() if site(blog.home) == site(url)]
    if not homes:
        raise NotArchived(f"The archive has no post at {url}, and no blog on its site; see: blogs", url=url)
    if archive.key_of(url) in map(archive.key_of, homes) and not archive.homes_of(url):
        raise NotArchived(f"{url} is a blog, and no post; --blog removes all of it.", url=url)
    return homes


def _blog(archive: Archive, url: str) -> list[str]:
    """The blog at an address, also one that was removed. Raises NotArchived."""
    home, key = archive.find_blog(url), archive.key_of(url)
    if home is not None:
        return [home]
    before = [row.blog for row in archive.purges.all() if row.kind == "blog" and key in row.addresses]
    if not before:
        raise NotArchived(f"The archive has no blog at {url}; blogcrawler blogs lists those that it has.", url=url)
    return before


def _check_alone(archive: Archive, homes: Iterable[str]) -> None:
    """Raise BadArgument where another blog is in the folder of one that is to be removed: it would go, too."""
    for home in homes:
        folder = f"{archive.key_of(home).rstrip('/')}/"
        inside = [blog.home for blog in archive.blogs() if blog.home != home]
        inside = [other for other in inside if archive.key_of(other).startswith(folder)]
        if inside:
            raise BadArgument(
                f"{home} cannot be removed alone, since the archive has other blogs below that address: "
                f"{', '.join(inside)}. Remove those first, or single posts."
            )


def _tell(plan: Plan, *, is_trial: bool) -> None:
    if not any((plan.rows, plan.files, plan.captures, plan.cached)):
        print(f"The archive has nothing at {plan.row.url}.")
        if not is_trial:
            print("Crawls will leave this address out from now on.")
        return
    what = f"comments on {plan.row.url}" if plan.row.kind == "comments" else plan.row.url
    print(f"{what}: {'would be removed' if is_trial else 'removed'}")
    for line in _lines(plan):
        print(f"  {printable(line)}")
    if is_trial:
        print("Nothing was changed. The same command without --dry-run removes it for good.")
        return
    print("Crawls leave this out from now on. Backups and exports that were made before still have it.")


def _lines(plan: Plan) -> Iterator[str]:
    """What goes, a line for each kind and address."""
    yield from (f"{count} × {kind}" for kind, count in plan.rows.items())
    yield from (f"file {file.path}, of {file.url}" for file in plan.files if file.path is not None)
    yield from _counted("captures of", (capture.url for capture in plan.captures))
    yield from _counted("cached answers of", plan.cached)
    for page in plan.deposits:
        yield f"not removed: the deposit at {page}; ask that repository to withdraw it"


def _counted(what: str, urls: Iterable[str]) -> Iterator[str]:
    for url, count in Counter(urls).items():
        yield f"{count} × {what} {url}"


def _list(archive: Archive) -> None:
    rows = [
        (
            KINDS[row.kind],
            printable(row.url),
            f"{row.asked:%Y-%m-%d %H:%M}",
            f"{row.finished:%Y-%m-%d %H:%M}" if row.finished is not None else f"no; run: {row.command}",
            printable(row.reason or ""),
        )
        for row in archive.purges.all()
    ]
    plain_console().print(table(HEADINGS, rows))
