"""What a crawl tells people: counts in Scrapy's stats, a live progress line, and one summary at the end."""

from __future__ import annotations

from blogcrawler.reporting.logs import new_log
from blogcrawler.reporting.progress import Progress
from blogcrawler.reporting.sentences import BEGINNING, FAILED, WRONG_USAGE, end, say, told
from blogcrawler.reporting.summary import Summary
from blogcrawler.reporting.tally import Tally

__all__ = [
    "BEGINNING",
    "FAILED",
    "WRONG_USAGE",
    "Progress",
    "Summary",
    "Tally",
    "end",
    "new_log",
    "say",
    "told",
]
