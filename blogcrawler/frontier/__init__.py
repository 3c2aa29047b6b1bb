"""Which page next: the permalink pattern, the estimate of link yields, the queue. Works on URLs and numbers alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from blogcrawler.frontier.features import MOST_MARKS, has_number, marks_of, names_a_time
from blogcrawler.frontier.journal import Command, Journal, JournalledStore
from blogcrawler.frontier.lesson import Lesson
from blogcrawler.frontier.link import Link
from blogcrawler.frontier.permalink import PermalinkPattern
from blogcrawler.frontier.queue import Frontier
from blogcrawler.frontier.ranking import YieldEstimator
from blogcrawler.frontier.shared import SharedFrontier
from blogcrawler.frontier.stopping import Harvest, Progress, Stop, StopRules
from blogcrawler.frontier.store import Candidate, FrontierStore, MemoryStore, Status
from blogcrawler.frontier.traps import BarrenShapes, TrapBounds, is_paged, is_told_by_numbers
from blogcrawler.frontier.variants import is_filter

if TYPE_CHECKING:
    from blogcrawler.frontier.knn import LinkYieldEstimator

__all__ = [
    "MOST_MARKS",
    "BarrenShapes",
    "Candidate",
    "Command",
    "Frontier",
    "FrontierStore",
    "Harvest",
    "Journal",
    "JournalledStore",
    "Lesson",
    "Link",
    "LinkYieldEstimator",
    "MemoryStore",
    "PermalinkPattern",
    "Progress",
    "SharedFrontier",
    "Status",
    "Stop",
    "StopRules",
    "TrapBounds",
    "YieldEstimator",
    "has_number",
    "is_filter",
    "is_paged",
    "is_told_by_numbers",
    "marks_of",
    "names_a_time",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name == "LinkYieldEstimator":  # scikit-learn takes a second to load
        from blogcrawler.frontier.knn import LinkYieldEstimator

        return LinkYieldEstimator
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
