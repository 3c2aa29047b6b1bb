"""Places where pages come from when the web does not answer: WARC and WACZ files, and web archives.

Each place lists the captures of an address, and reads one of them. Everything above works with captures like with
responses of the live web.
"""

from __future__ import annotations

from blogcrawler.sources.capture import Capture, CapturedResponse, Captures
from blogcrawler.sources.captured_blog import CapturedBlog
from blogcrawler.sources.opening import forget_copies, open_captures
from blogcrawler.sources.period import Period

__all__ = ["Capture", "CapturedBlog", "CapturedResponse", "Captures", "Period", "forget_copies", "open_captures"]
