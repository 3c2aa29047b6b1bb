"""The report of a crawl: an HTML file for people, and the same as JSON for programs."""

from __future__ import annotations

from blogcrawler.report.extension import FOLDER, CrawlReport

__all__ = ["FOLDER", "CrawlReport"]
