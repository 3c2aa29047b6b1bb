"""Shares and numbers of training pages from which something is taken to hold, and what is claimed of the confidence in
values that no feed has proved: numbers that several modules have in common."""

from __future__ import annotations

NEARLY_ALL = 0.9
"""Share of the pages on which a thing holds that holds for all posts, but for a few odd ones."""
MOST = 0.8
"""Share of the pages from which a rule is believed, though it finds something else on the others; and of an entry's
text from which an element holds the entry."""
CHANCE = 0.25
"""Share of the pages below which a rule is right by chance, as where readers' comments have a post's day or author."""
SEVERAL = 4
"""Number of pages, or of entries, from which what they have in common is not chance."""
PARAGRAPH = 80
"""Characters of a block that is an article's text, and no byline."""

BELOW_PROOF = 0.85
"""Confidence, at most, in what no feed has proved, but its own pages agree on."""
STATED = 0.8
"""Confidence in what one page states in the place for it."""
ASSUMED = 0.7
"""Confidence in what is taken to hold for all posts of a blog; and, at least, in main text that shows a page to be a
post."""
GUESSED = 0.6
"""Confidence in what stands where a field might be, and from which a page is taken to say it."""
LEAST = 0.4
"""Confidence, at least, in an article or a title that is found at all, whatever the tests say."""
