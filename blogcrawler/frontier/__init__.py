"""Choose which page is fetched next: the permalink pattern, the yield estimate and the queue. Uses URLs and numbers
only."""

from __future__ import annotations

from blogcrawler.frontier.address_differences import is_filter
from blogcrawler.frontier.features import MOST_MARKS, Link, has_number, marks_of, names_a_time
from blogcrawler.frontier.kinds import is_numbered_url, is_paged
from blogcrawler.frontier.observation import Observation
from blogcrawler.frontier.permalink import PermalinkPattern
from blogcrawler.frontier.queue import Frontier
from blogcrawler.frontier.stop_rules import Progress, Stop, StopReason, StopRules
from blogcrawler.frontier.store import Candidate, FrontierStore, MemoryStore, Status

__all__ = [
    "MOST_MARKS",
    "Candidate",
    "Frontier",
    "FrontierStore",
    "Link",
    "MemoryStore",
    "Observation",
    "PermalinkPattern",
    "Progress",
    "Status",
    "Stop",
    "StopReason",
    "StopRules",
    "has_number",
    "is_filter",
    "is_numbered_url",
    "is_paged",
    "marks_of",
    "names_a_time",
]
