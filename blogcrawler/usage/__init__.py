"""How each command is called, apart from what it does: help and refusals import nothing else."""

from __future__ import annotations

from blogcrawler.usage.commands import NAMES_WITH_VALUE, USAGES
from blogcrawler.usage.usage import Usage

__all__ = ["NAMES_WITH_VALUE", "USAGES", "Usage"]
