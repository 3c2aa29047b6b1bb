"""Extract posts again from archived pages, without requests.

outcome = renew("sqlite:///archive/archive.db", "http://blog.example.org/", Path("archive/warc"))
"""

from __future__ import annotations

from blogcrawler.reextraction.archived import ArchivedPages
from blogcrawler.reextraction.correct import PostPage, correct, propose, take_back, wrapper_of
from blogcrawler.reextraction.posts import LEAST, Outcome, renew

__all__ = ["LEAST", "ArchivedPages", "Outcome", "PostPage", "correct", "propose", "renew", "take_back", "wrapper_of"]
