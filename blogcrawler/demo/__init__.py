"""A small demonstration blog that ships with the package, to be crawled on any machine.

`build` creates its pages in memory; `DemoServer` serves them on the loopback interface.
"""

from __future__ import annotations

from blogcrawler.demo.server import DemoServer
from blogcrawler.demo.site import build

__all__ = ["DemoServer", "build"]
