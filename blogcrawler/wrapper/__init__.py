"""Learn a wrapper from (page, entry) pairs, and extract the fields of a post from a page: pure functions over trees.

>>> from blogcrawler.dom import parse
>>> from blogcrawler.wrapper import Example, learn
>>> wrapper = learn([Example(parse(html), entry) for html, entry in pairs])  # doctest: +SKIP
>>> wrapper.extract(parse(another_page)).title  # doctest: +SKIP
"""

from __future__ import annotations

from blogcrawler.wrapper.core.extraction import Extraction
from blogcrawler.wrapper.core.training import Example
from blogcrawler.wrapper.corrections.correcting import Corrected, learn_corrected
from blogcrawler.wrapper.corrections.element_values import Correction, element_value, node_at, path_of
from blogcrawler.wrapper.corrections.places import SHOWN_FIELDS, Place, find_places
from blogcrawler.wrapper.learning import learn, learn_lines, refine
from blogcrawler.wrapper.older_templates import learn_older
from blogcrawler.wrapper.wrapper import Wrapper

__all__ = [
    "SHOWN_FIELDS",
    "Corrected",
    "Correction",
    "Example",
    "Extraction",
    "Place",
    "Wrapper",
    "element_value",
    "find_places",
    "learn",
    "learn_corrected",
    "learn_lines",
    "learn_older",
    "node_at",
    "path_of",
    "refine",
]
