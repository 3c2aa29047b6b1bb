"""Checks of the values of settings, before a command begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from blogcrawler import settings as defaults
from blogcrawler.browser import check_rendering
from blogcrawler.configuration import GivenSetting, problem_of, removed_settings
from blogcrawler.downloader import AddressPolicy
from blogcrawler.errors import BadArgument
from blogcrawler.file_store import file_store
from blogcrawler.pipelines.propagate import check_repositories
from blogcrawler.sentences import say
from blogcrawler.shared import check_address

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scrapy.settings import BaseSettings


def check_settings(settings: BaseSettings) -> None:
    """Raise UsageError for the first setting with an invalid value; warn of removed settings."""
    removed = removed_settings()
    for name in sorted(name for name in removed if name in settings):
        say(f"The setting {name} no longer exists and is ignored: {removed[name]}.")
    for problem in setting_problems(settings):
        raise UsageError(problem)


def setting_problems(settings: BaseSettings) -> Iterator[str]:
    """Return a message for each setting with an invalid value."""
    problems = {name: problem_of(GivenSetting(name, settings[name])) for name in filter(str.isupper, dir(defaults))}
    wrong = {name: problem for name, problem in problems.items() if problem is not None}
    yield from wrong.values()
    for check, names in CHECKS.items():
        if wrong.keys().isdisjoint(names):
            try:
                check(settings)
            except (BadArgument, UsageError) as error:
                yield str(error)


def _check_patience(settings: BaseSettings) -> None:
    patience_s, lost_after_s = settings.getfloat("BACKEND_PATIENCE"), settings.getfloat("WORKER_LOST_AFTER")
    if settings["FRONTIER_URL"] and lost_after_s <= patience_s:
        raise UsageError("The setting WORKER_LOST_AFTER must be more than BACKEND_PATIENCE.")


def _check_intervals(settings: BaseSettings) -> None:
    if settings.getfloat("UPDATE_INTERVAL_MIN") > settings.getfloat("UPDATE_INTERVAL_MAX"):
        raise UsageError("The setting UPDATE_INTERVAL_MIN must not be more than UPDATE_INTERVAL_MAX.")


def _check_hosts(settings: BaseSettings) -> None:
    AddressPolicy(allowed=settings.getlist("ALLOWED_PRIVATE_HOSTS"))


def _check_servers(settings: BaseSettings) -> None:
    for name in ("GATE_URL", "FRONTIER_URL"):
        if settings[name]:
            check_address(settings[name], name)


def _check_store(settings: BaseSettings) -> None:
    if settings.getbool("MEDIA"):
        file_store(settings)


_STORE = ("MEDIA", "FILES_STORE", "ARCHIVE")
CHECKS: dict[Callable[[BaseSettings], None], tuple[str, ...]] = {
    _check_patience: ("FRONTIER_URL", "WORKER_LOST_AFTER", "BACKEND_PATIENCE"),
    _check_intervals: ("UPDATE_INTERVAL_MIN", "UPDATE_INTERVAL_MAX"),
    _check_hosts: ("ALLOWED_PRIVATE_HOSTS",),
    check_rendering: ("RENDER_BLOCKED", "RENDER_BROWSER"),
    _check_servers: ("GATE_URL", "FRONTIER_URL"),
    _check_store: _STORE,
    check_repositories: (*_STORE, "PROPAGATE_TO"),
}
"""Checks beyond the type of a value, each with the settings that it reads; it runs only if these have the right
types."""
