"""The names of this room, whose modules import what may not be installed."""

from __future__ import annotations

from blogcrawler.metrics.endpoint import Endpoint
from blogcrawler.metrics.standing import StandingCollector
from blogcrawler.metrics.work import RoundMetrics, WorkMetrics

__all__ = ["Endpoint", "RoundMetrics", "StandingCollector", "WorkMetrics"]
