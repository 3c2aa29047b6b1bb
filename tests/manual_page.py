"""Writes docs/blogcrawler.1 from what the commands take: python -m tests.manual_page"""

from __future__ import annotations

from pathlib import Path

from blogcrawler import __version__
from blogcrawler.usage.completion import manual_page

PAGE = Path(__file__).parents[1] / "docs" / "blogcrawler.1"

if __name__ == "__main__":
    PAGE.write_text(manual_page(__version__), "utf-8")
