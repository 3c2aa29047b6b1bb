"""`blogcrawler deposit invenio|dspace --url URL`: deposit the posts of the archive in a repository. Exit codes: 0 all
selected posts are deposited; 1 some are not, with one sentence for each; 2 wrong usage."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from blogcrawler.backend import Archive
from blogcrawler.command import ArchiveCommand
from blogcrawler.crawl.update.since import parse_since
from blogcrawler.deposit import MOST_IN_VAIN, Delivery, Depositor, repository_of
from blogcrawler.errors import DepositRefused
from blogcrawler.export import Selection
from blogcrawler.file_store import file_store
from blogcrawler.pipelines.propagate import pace_of
from blogcrawler.reporting import FAILED, advancing, exit_on_error, interruptible, say
from blogcrawler.usage.commands import REPOSITORIES

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator
    from datetime import datetime

    from scrapy.settings import BaseSettings

    from blogcrawler.backend import BlogRow, KeptPost
    from blogcrawler.deposit import Outcome


class Command(ArchiveCommand):
    """Deposits posts of the archive."""

    def check(self, args: list[str], opts: argparse.Namespace) -> None:  # noqa: ARG002
        self._since = None if opts.since is None else parse_since(opts.since)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Deposit the posts, and exit with 1 if a deposit failed."""
        place = getattr(opts, REPOSITORIES[args[0]])
        target = " ".join(filter(None, [args[0], opts.url.strip(), place]))
        with exit_on_error(), interruptible("Interrupted. Run the same command again to continue."):
            has_failed = _deposit(self.settings, target, opts, self._since)
        if has_failed:
            raise SystemExit(FAILED)


def _deposit(settings: BaseSettings, target: str, opts: argparse.Namespace, since: datetime | None) -> bool:
    """Deposit the selected posts and report the outcome; return True if a deposit failed."""
    repository = repository_of(target, pace_of(settings))
    with closing(repository), Archive.open(settings["DATABASE_URL"], make=False) as archive:
        selection = Selection.of(archive, opts.blog, since=since)
        files = None if opts.no_media else file_store(settings)
        depositor = Depositor(archive, repository, files, is_draft=opts.draft)
        if opts.dry_run:
            return _print_plan(selection, depositor, target, opts.limit)
        _warn(opts.url)
        with advancing("posts looked at", selection.count()) as advance:
            delivery = Delivery(settings["DATABASE_URL"], repository, depositor, say)
            chosen = _with_needs(selection, depositor, opts.limit, advance)
            delivery.bring(_lacking(chosen, delivery.outcome))
        return _print_outcome(delivery)


def _warn(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme == "http" and parts.hostname not in {"localhost", "127.0.0.1", "::1"}:
        say(f"{url} is not encrypted, so others on the network can read the token or password. Use https if you can.")


def _with_needs(
    selection: Selection, depositor: Depositor, limit: int | None, advance: Callable[..., None]
) -> Iterator[tuple[BlogRow, KeptPost, str]]:
    """Yield all posts, each with its need of a deposit ("same" for none), until `limit` posts need one."""
    left = limit
    for blog in selection.blogs:
        for post in selection.posts(blog):
            need = depositor.need(post)
            advance()
            if need != "same" and left is not None:
                if not left:
                    return
                left -= 1
            yield blog, post, need


def _lacking(chosen: Iterable[tuple[BlogRow, KeptPost, str]], outcome: Outcome) -> Iterator[tuple[BlogRow, KeptPost]]:
    """Yield the posts that the repository lacks or has in an older version; count the others."""
    for blog, post, need in chosen:
        if need == "same":
            outcome.stages[need] += 1
        else:
            yield blog, post


def _print_plan(selection: Selection, depositor: Depositor, target: str, limit: int | None) -> bool:
    """Print what would be deposited; return True if a post could not be."""
    counts: Counter[str] = Counter()
    size, has_failed = 0, False
    for blog, post, need in _with_needs(selection, depositor, limit, lambda: None):
        counts[need] += 1
        if need == "same":
            continue
        try:
            one = depositor.size(post, blog)
        except DepositRefused as error:
            say(f"{post.record.url} cannot be deposited: {error}")
            has_failed = True
            continue
        size += one
        print(f"{need}: {post.record.url} ({one} bytes)")
    parts = [f"{counts[need]} {need}" for need in ("new", "changed", "unfinished") if counts[need]]
    print(f"{', '.join(parts) or 'nothing'} to deposit in {target} ({size} bytes), {counts['same']} already there.")
    return has_failed


def _print_outcome(delivery: Delivery) -> bool:
    """Print the outcome; return True if a deposit failed."""
    outcome = delivery.outcome
    if delivery.in_vain == MOST_IN_VAIN:
        say(f"{MOST_IN_VAIN} posts in a row failed. Run the same command again to continue.")
    names = {"deposited": "deposited", "submitted": "submitted for review", "kept as draft": "drafts"}
    parts = [f"{outcome.stages[stage]} {name}" for stage, name in names.items() if outcome.stages[stage]]
    failed = f", {outcome.failed} failed" if outcome.failed else ""
    there = f", {outcome.stages['same']} already there" if outcome.stages["same"] else ""
    print(f"{outcome.name}: {', '.join(parts) or 'nothing new'}{there}{failed}.")
    return outcome.failed > 0
