"""What Prometheus is told, on request: of an archive and its queue, of a worker, of a monitor.

It needs `blogcrawler[metrics]`, which is imported when it is asked for, and not before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.errors import BlogcrawlerError

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["PORT", "library"]

PORT = 9464
"""Where `metrics` listens if nothing else is said: the port that exporters of OpenTelemetry use for Prometheus."""


def library() -> ModuleType:
    """The modules of this room that need what may not be installed. Raises BlogcrawlerError where it is not."""
    try:
        from blogcrawler.metrics import exposed
    except ImportError as error:
        raise BlogcrawlerError(
            f'The Python package "{error.name}" that metrics need is missing; install it: pip install '
            "'blogcrawler[metrics]'."
        ) from error
    return exposed
