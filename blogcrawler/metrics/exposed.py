"""The public names of this package whose modules need optional packages."""

from __future__ import annotations

from blogcrawler.metrics.endpoint import Endpoint
from blogcrawler.metrics.status_metrics import StatusCollector
from blogcrawler.metrics.work import RoundMetrics, WorkMetrics

__all__ = ["Endpoint", "RoundMetrics", "StatusCollector", "WorkMetrics"]
