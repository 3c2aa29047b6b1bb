"""Metrics for Prometheus: of an archive and its queue, of a worker, and of a monitor.

They need `blogcrawler[metrics]`, which is imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.errors import BlogcrawlerError

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["PORT", "library"]

PORT = 9464
"""Default port of the `metrics` command, the usual port of OpenTelemetry's Prometheus exporter."""


def library() -> ModuleType:
    """Import and return the modules that need optional packages. Raises BlogcrawlerError if a package is missing."""
    try:
        from blogcrawler.metrics import exposed
    except ImportError as error:
        raise BlogcrawlerError(
            f"Metrics need the Python package \"{error.name}\"; install it: pip install 'blogcrawler[metrics]'."
        ) from error
    return exposed
