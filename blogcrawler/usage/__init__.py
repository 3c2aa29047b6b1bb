"""The usage of each command. Help and argument checks import nothing else, so they are fast."""

from __future__ import annotations

from blogcrawler.usage.commands import USAGES, VALUES
from blogcrawler.usage.usage import Usage

__all__ = ["USAGES", "VALUES", "Usage"]
