"""Learn rules for the comments of a blog from pages and their comment feeds, and extract comments from a page.

>>> from blogcrawler.wrapper.comments import CommentExample, learn_comments
>>> rules = learn_comments([CommentExample(tree, url) for tree, url in pages], wrapper)  # doctest: +SKIP
>>> rules.extract(another_tree, another_url)[0].author  # doctest: +SKIP
"""

from __future__ import annotations

from blogcrawler.wrapper.comments.counts import announced
from blogcrawler.wrapper.comments.feed_matching import align
from blogcrawler.wrapper.comments.learn import CommentExample, ShownDays, dates_shown, learn_comments
from blogcrawler.wrapper.comments.lists import Key
from blogcrawler.wrapper.comments.rules import CommentRules

__all__ = ["CommentExample", "CommentRules", "Key", "ShownDays", "align", "announced", "dates_shown", "learn_comments"]
