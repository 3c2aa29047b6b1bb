"""Posts read again from the pages that the archive has of them: nothing is fetched.

outcome = renew("sqlite:///archive/archive.db", "http://blog.example.org/", Path("archive/warc"))
"""

from __future__ import annotations

from blogcrawler.reextraction.archived import ArchivedPages
from blogcrawler.reextraction.correct import Proposal, correct, propose, take_back
from blogcrawler.reextraction.posts import LEAST, Outcome, reextract, reextracted
from blogcrawler.reextraction.relearn import relearn
from blogcrawler.reextraction.renew import renew

__all__ = [
    "LEAST",
    "ArchivedPages",
    "Outcome",
    "Proposal",
    "correct",
    "propose",
    "reextract",
    "reextracted",
    "relearn",
    "renew",
    "take_back",
]
