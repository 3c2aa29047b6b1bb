"""The usage of each command. Help and argument checks import nothing else, so they are fast."""

from __future__ import annotations

from blogcrawler.usage.commands import MEANT, USAGES, VALUES
from blogcrawler.usage.usage import Usage

__all__ = ["MEANT", "USAGES", "VALUES", "Usage"]
