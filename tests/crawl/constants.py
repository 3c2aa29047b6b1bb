"""Gives the program's constants other values in a crawl, which is a process of its own."""

from __future__ import annotations

import json
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings


def with_constants(values: dict[str, float]) -> dict[str, str]:
    """Settings of a crawl in which constants ("module:NAME") have these values."""
    return {"ADDONS": json.dumps({f"{__name__}.SetConstants": 0}), "CONSTANTS": json.dumps(values)}


class SetConstants:
    """Sets them before the parts of the crawl are made."""

    @classmethod
    def update_pre_crawler_settings(cls, settings: BaseSettings) -> None:
        for place, value in settings.getdict("CONSTANTS").items():
            module, _, name = place.partition(":")
            assert hasattr(import_module(module), name)
            setattr(import_module(module), name, value)
