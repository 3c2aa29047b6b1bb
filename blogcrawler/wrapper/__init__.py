"""From (page, entry) pairs to a wrapper, and from a page to the fields of a post: pure functions over trees.

>>> from blogcrawler.dom import parse
>>> from blogcrawler.wrapper import Example, learn
>>> wrapper = learn([Example(parse(html), entry) for html, entry in pairs])  # doctest: +SKIP
>>> wrapper.extract(parse(another_page)).title  # doctest: +SKIP
"""

from __future__ import annotations

from blogcrawler.wrapper.learning import learn, learn_lines, refine
from blogcrawler.wrapper.older import learn_older
from blogcrawler.wrapper.training import Example
from blogcrawler.wrapper.wrapper import Extraction, Wrapper

__all__ = ["Example", "Extraction", "Wrapper", "learn", "learn_lines", "learn_older", "refine"]
