"""Scrapy commands, one file each; `crawl` stands in for Scrapy's own."""

from __future__ import annotations

import sys
from pathlib import Path

from blogcrawler.early_signals import heed_early_signals

if "scrapy.cmdline" in sys.modules and Path(__file__).with_name(f"{''.join(sys.argv[1:2])}.py").exists():
    heed_early_signals()  # `scrapy` imports all commands first, which takes a second or more
