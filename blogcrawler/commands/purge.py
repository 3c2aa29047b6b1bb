"""`blogcrawler purge URL`: remove a post or a blog permanently, and never archive it again."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from blogcrawler.backend import COMMENT_FEED, Archive, FeedState, Hold
from blogcrawler.backend.passages import person_of
from blogcrawler.backend.purges import RevokedPurge
from blogcrawler.backend.warc import WARC_FOLDER, size_of_warcs
from blogcrawler.command import ArchiveCommand
from blogcrawler.errors import BadArgument, NotArchived
from blogcrawler.file_store import file_store
from blogcrawler.purge import BlogRemoval, CommentsRemoval, Places, PostRemoval, Removal
from blogcrawler.reporting import advancing, exit_on_error, interruptible, plain_console, printable, table
from blogcrawler.urls import parse_start_url, site
from blogcrawler.usage.suggestion import did_you_mean

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Sequence

    from blogcrawler.backend.purges import Kind, PurgeRow
    from blogcrawler.purge import Plan

HEADINGS = ("removed", "URL", "asked for", "done", "reason")
_AFTER_NOUN = re.compile(r"(?= (?:of|in|used|with|that)\b|,)")
NEAR = 0.9
"""Lowest similarity (0 to 1) of an address that is suggested in place of an unknown one."""
KINDS = {"post": "post", "blog": "blog", "comments": "comments of one person"}


class Command(ArchiveCommand):
    """Removes a post or a blog, revokes a removal, or lists removals."""

    def check(self, args: list[str], opts: argparse.Namespace) -> None:  # noqa: ARG002
        for url in args:
            parse_start_url(url)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Remove a post or a blog, revoke a removal, or list removals."""
        url = parse_start_url(args[0]) if args else None
        with exit_on_error(), interruptible("Interrupted. Run the same command again to continue."):
            with Archive.open(self.settings["DATABASE_URL"], make=False) as archive:
                if url is None or opts.list:
                    _list(archive, url)
                    return
            hold = Hold(self.settings["DATABASE_URL"])
            try:
                if opts.forget:
                    _revoke(hold, url, opts)
                else:
                    self._purge(hold, url, opts)
            finally:
                hold.close()

    def _purge(self, hold: Hold, url: str, opts: argparse.Namespace) -> None:
        folder = Path(self.settings["ARCHIVE"])
        places = Places(file_store(self.settings), folder, folder / WARC_FOLDER)
        is_of_blog = opts.blog or opts.comments_by is not None
        homes = (_blogs if is_of_blog else _homes)(hold.archive, url, opts)
        if opts.blog:
            _check_alone(hold.archive, homes)
        for home in homes:
            hold.take(home)
        removals = [_removal(hold.archive, places, home, url, opts) for home in homes]
        plans = [_read(places, removal) for removal in removals if opts.dry_run or _is_doubtful(removal, opts)]
        _refuse_unknown(hold.archive, homes, plans, opts)
        _refuse_names(plans, opts)
        plans = plans if opts.dry_run else [_read(places, removal, is_trial=False) for removal in removals]
        for plan in plans:
            _report(plan, opts)
        if hold.archive.file is None and not opts.dry_run:
            print("Deleted rows stay in PostgreSQL until its administrator runs VACUUM FULL; see docs/takedown.md.")


def _read(places: Places, removal: Removal, *, is_trial: bool = True) -> Plan:
    with advancing("bytes of WARC files", size_of_warcs(places.warcs)) as advance:
        return removal.plan(advance) if is_trial else removal.carry_out(advance)


def _removal(archive: Archive, places: Places, home: str, url: str, opts: argparse.Namespace) -> Removal:
    if opts.comments_by is not None:
        comments = CommentsRemoval(archive, places, home, home, opts.reason, name=opts.comments_by)
        if not (comments.finds_any or opts.in_advance):
            raise NotArchived(f"No post of {home} has a comment by {printable(opts.comments_by)}.", url=url)
        return comments
    return (
        BlogRemoval(archive, places, home, home, opts.reason)
        if opts.blog
        else PostRemoval(archive, places, home, url, opts.reason)
    )


def _homes(archive: Archive, url: str, opts: argparse.Namespace) -> list[str]:
    """The blogs that have or had a post at a URL, or whose site includes the URL. Raises BadArgument."""
    homes, before = archive.homes_of(url), archive.purges.find("post", archive.key_of(url))
    if homes and opts.in_advance:
        raise BadArgument(f"{url} is in the archive. To remove it, leave --in-advance out.")
    homes = homes or ([before.blog] if before is not None else [])
    if homes:
        return homes
    known = [blog.home for blog in archive.blogs()]
    homes = [home for home in known if site(home) == site(url)]
    if not homes:
        raise BadArgument(
            f"The archive has no blog on the site of {url}.{did_you_mean(site(url), map(site, known), NEAR)} "
            "blogcrawler blogs lists its blogs."
        )
    if archive.key_of(url) in map(archive.key_of, homes):
        raise BadArgument(f"{url} is a blog, not a post; --blog removes the whole blog.")
    return homes


def _blogs(archive: Archive, url: str, opts: argparse.Namespace) -> list[str]:
    """The blog at a URL, also a removed one. Raises BadArgument."""
    home, key = archive.find_blog(url), archive.key_of(url)
    if home is not None and opts.blog and opts.in_advance:
        raise BadArgument(f"{url} is in the archive. To remove it, leave --in-advance out.")
    if home is not None:
        return [home]
    before = [row.blog for row in archive.purges.all() if row.kind == "blog" and key in row.addresses]
    if before or (opts.blog and opts.in_advance):
        return before or [url]
    for home in archive.homes_of(url):
        option = "--blog" if opts.blog else f"--comments-by {shlex.quote(printable(opts.comments_by))}"
        raise BadArgument(f"{url} is a post. Give the address of its blog: blogcrawler purge {home} {option}")
    like = did_you_mean(url, (blog.home for blog in archive.blogs()), NEAR)
    raise BadArgument(f"The archive has no blog at {url}.{like} blogcrawler blogs lists its blogs.")


def _check_alone(archive: Archive, homes: Iterable[str]) -> None:
    """Raise BadArgument if another blog is in the folder of a blog to be removed: it would be removed, too."""
    for home in homes:
        folder = f"{archive.key_of(home).rstrip('/')}/"
        inside = [blog.home for blog in archive.blogs() if blog.home != home]
        inside = [other for other in inside if archive.key_of(other).startswith(folder)]
        if inside:
            raise BadArgument(
                f"{home} cannot be removed alone, since the archive has other blogs below that address: "
                f"{', '.join(inside)}. Remove those first, or single posts."
            )


def _is_doubtful(removal: Removal, opts: argparse.Namespace) -> bool:
    """True if the data must be listed before its removal, since the URL may be mistyped or only a name is given."""
    is_wanted = opts.yes if removal.kind == "comments" else opts.in_advance
    return not (is_wanted or removal.is_certain)


def _refuse_unknown(archive: Archive, homes: Iterable[str], plans: Sequence[Plan], opts: argparse.Namespace) -> None:
    """Raise BadArgument for the URL of an unknown post."""
    if plans and not opts.in_advance and all(plan.is_empty and plan.row.kind == "post" for plan in plans):
        url = plans[0].row.url
        known = [post.url for home in homes for post in archive.known_posts(home).values()]
        raise BadArgument(
            f"The archive has no data of {url}.{did_you_mean(url, known, NEAR)} "
            "To keep crawls from archiving it, add --in-advance."
        )


def _refuse_names(plans: Iterable[Plan], opts: argparse.Namespace) -> None:
    """Raise BadArgument, with a list, if captures with only the name but no comment under it would be removed."""
    for plan in plans:
        if plan.by_name_only and not (opts.dry_run or opts.yes):
            _report(plan, opts, is_trial=True)
            raise BadArgument(f"{_by_name_only(plan)} --yes removes these, too.")


def _by_name_only(plan: Plan) -> str:
    count, total = len(plan.by_name_only), sum(capture.has_body for capture in plan.captures)
    return f"{count:,} of {total:,} captured pages have the name, but no extracted comment under it."


def _report(plan: Plan, opts: argparse.Namespace, *, is_trial: bool = False) -> None:
    is_trial |= opts.dry_run
    what = _what(plan.row)
    if plan.is_empty:
        print(f"Not archived: {what}")
        if not is_trial:
            print("Crawls will leave this out from now on.")
        return
    print(f"{what}: {'would be removed' if is_trial else 'removed'}")
    for line in _lines(plan, is_listed=opts.verbose or plan.row.kind == "post"):
        print(f"  {printable(line)}")
    if opts.dry_run:
        if plan.by_name_only:
            print(f"{_by_name_only(plan)} To remove these, too, --yes is needed.")
        print("Nothing was changed. The same command without --dry-run removes it for good.")
    elif not is_trial:
        print("Crawls leave this out from now on. Backups and exports that were made before still have it.")


def _what(row: PurgeRow) -> str:
    return f"comments under this name on {row.url}" if row.kind == "comments" else row.url


def _lines(plan: Plan, *, is_listed: bool) -> Iterator[str]:
    """A line for each kind of removed data, and for each URL if `is_listed`."""
    yield from (_counted(count, kind) for kind, count in plan.rows.items())
    files = [file for file in plan.files if file.path is not None]
    if is_listed:
        yield from (f"file {file.path}, of {file.url}" for file in files)
        yield from _by_url("capture of", (capture.url for capture in plan.captures))
        yield from _by_url("capture with only the name, of", (capture.url for capture in plan.by_name_only))
        yield from _by_url("cached answer of", plan.cached)
        yield from (f"file {path}" for path in plan.reports)
        yield from (f"not removed: the deposit at {one}; ask that repository to withdraw it" for one in plan.deposits)
        return
    warcs = len({capture.file for capture in plan.captures})
    totals = {
        "file": len(files),
        f"WARC record, in {warcs:,} file{'s' * (warcs != 1)}": len(plan.captures),
        "cached answer": len(plan.cached),
        "file of reports and logs": len(plan.reports),
        "deposit that only its repository can remove": len(plan.deposits),
    }
    yield from (_counted(count, kind) for kind, count in totals.items() if count)


def _by_url(kind: str, urls: Iterable[str]) -> Iterator[str]:
    return (f"{_counted(count, kind)} {url}" for url, count in Counter(urls).items())


def _counted(count: int, kind: str) -> str:
    """A number and a kind of row or file, with its noun in the plural unless the number is 1."""
    noun, *rest = _AFTER_NOUN.split(kind, maxsplit=1)
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}{'es' if noun.endswith('s') else 's'}"
    return f"{count:,} {noun if count == 1 else plural}{''.join(rest)}"


def _revoke(hold: Hold, url: str, opts: argparse.Namespace) -> None:
    """Let crawls archive removed URLs again. Raises BadArgument."""
    archive, key = hold.archive, hold.archive.key_of(hold.archive.find_blog(url) or url)
    kind: Kind = "comments" if opts.comments_by is not None else "blog" if opts.blog else "post"
    of_kind = [
        row for row in archive.purges.all() if (row.kind, row.person) == (kind, person_of(opts.comments_by or ""))
    ]
    rows = [row for row in of_kind if key in (row.key, *row.addresses)]
    if not rows:
        like = did_you_mean(url, (row.url for row in of_kind), NEAR)
        raise BadArgument(f"No such removal of {url} is recorded.{like} blogcrawler purge --list lists all.")
    for row in rows:
        hold.take(row.blog)
        if row.finished is None:
            raise BadArgument(f"The removal of {row.url} is not finished. Finish it first: {row.command}")
        archive.purges.revoke(row, opts.reason, now=datetime.now(UTC))
        if archive.find_blog(row.blog) is not None:
            _reset_feeds(archive, row.blog)
        print(f"{_what(row)}: crawls may archive this again. What was removed is not restored.")


def _reset_feeds(archive: Archive, home: str) -> None:
    """Let the next update read the feeds of a blog as if they had changed."""
    from blogcrawler.crawl.update.feed_changes import COUNTS

    feed = archive.load_feed_state(home)
    if feed is not None:
        archive.save_feed_state(home, FeedState(feed.url))
    archive.forget_source_states(home, [COMMENT_FEED, COUNTS])


def _list(archive: Archive, url: str | None) -> None:
    """Print all removals, or those of a URL."""
    rows, revoked = archive.purges.all() if url is None else archive.purges.about(url), archive.purges.revoked()
    if url is not None:
        key = archive.key_of(url)
        revoked = [row for row in revoked if archive.key_of(row.url) == key]
        if not rows:
            print(f"{url} is not removed.")
    elif not (rows or revoked):
        print("Nothing was removed on request.")
    if rows or revoked:
        plain_console().print(table(HEADINGS, [*map(_row, rows), *map(_row, revoked)]))


def _row(row: PurgeRow | RevokedPurge) -> tuple[str, ...]:
    done, reason = _time(row.finished), row.reason or ""
    if isinstance(row, RevokedPurge):
        done += f"; revoked {_time(row.revoked)}"
        reason += f"; revoked: {row.revocation_reason}" if row.revocation_reason else ""
    elif row.finished is None:
        done = f"no; run: {row.command}"
    return KINDS[row.kind], printable(row.url), _time(row.asked), printable(done), printable(reason)


def _time(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d %H:%M}" if moment is not None else ""
