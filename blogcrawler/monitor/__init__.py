"""The monitor starts crawls that are due, each in its own process, and waits for them."""

from __future__ import annotations

from blogcrawler.monitor.child import Child, Starter
from blogcrawler.monitor.crawl_loop import LOOK_S, CrawlLoop, new_posts, note_failure
from blogcrawler.monitor.monitor import Monitor
from blogcrawler.monitor.report import Report
from blogcrawler.monitor.signals import Signals

__all__ = ["LOOK_S", "Child", "CrawlLoop", "Monitor", "Report", "Signals", "Starter", "new_posts", "note_failure"]
