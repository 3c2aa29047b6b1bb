"""Constants that several modules share: shares and numbers of training pages at or above which a finding is general,
and the confidence in values that no feed has confirmed."""

from __future__ import annotations

NEARLY_ALL = 0.9
"""Share of the pages with a property at or above which all posts are taken to have it, apart from exceptions."""
MOST = 0.8
"""Share of the pages at or above which a rule is trusted, though it finds other values on the rest; also the share of
an entry's text at or above which an element holds the entry."""
CHANCE = 0.25
"""Share of the pages below which a rule is right by chance, as when readers' comments have a post's day or author."""
SEVERAL = 4
"""Number of pages, or of entries, at or above which common properties are no coincidence."""
PARAGRAPH = 80
"""Number of characters of a block at or above which it is text of an article, and no byline."""

BELOW_PROOF = 0.85
"""Highest confidence in values that no feed has confirmed, but on which the blog's pages agree."""
STATED = 0.8
"""Confidence in a value that one page states in the place for it."""
ASSUMED = 0.7
"""Confidence in a property that all posts of a blog are taken to have; also the minimum confidence in main text that
makes a page a post."""
GUESSED = 0.6
"""Confidence in a value at a likely place of a field, at or above which the page is taken to state it."""
LEAST = 0.4
"""Minimum confidence in an article or title that was found, whatever the tests show."""
