"""A small blog that ships with the package: something to crawl on any machine.

`build` makes its pages in memory, `DemoServer` serves them on loopback.
"""

from __future__ import annotations

from blogcrawler.demo.server import DemoServer
from blogcrawler.demo.site import build

__all__ = ["DemoServer", "build"]
