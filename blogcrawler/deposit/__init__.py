"""Deposit of the archive's posts in institutional repositories, each post as one record with its files.

with Archive.open("sqlite:///archive/archive.db", make=False) as archive:
    depositor = Depositor(archive, repository_of("invenio https://repository.example.org my-community"))
    for blog in archive.blogs():
        for post in archive.posts(blog.home):
            print(post.record.url, depositor.bring(post, blog).stage)
"""

from __future__ import annotations

from blogcrawler.deposit.client import Pace
from blogcrawler.deposit.courier import Courier
from blogcrawler.deposit.delivery import MOST_IN_VAIN, Delivery, Outcome
from blogcrawler.deposit.depositing import Depositor
from blogcrawler.deposit.registry import repository_of
from blogcrawler.deposit.repository import Repository

__all__ = ["MOST_IN_VAIN", "Courier", "Delivery", "Depositor", "Outcome", "Pace", "Repository", "repository_of"]
