"""Modules that are imported when they are first used: libraries that many crawls never need, or need late."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any


class LazyModule(ModuleType):
    """Stands for a module, which is imported when anything of it is first asked for."""

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        value = getattr(import_module(self.__name__), name)
        setattr(self, name, value)
        return value
