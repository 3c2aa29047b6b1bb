"""A small blog that ships with the package: something to crawl on any machine, with the truth beside it.

`build` makes its pages in memory, `DemoServer` serves them on loopback, `truth` tells what a crawl of it should find.
"""

from __future__ import annotations

from blogcrawler.demo.content import truth
from blogcrawler.demo.server import DemoServer
from blogcrawler.demo.site import build

__all__ = ["DemoServer", "build", "truth"]
