"""Modules that are imported when they are first used: libraries that many crawls never need, or need late."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class LazyModule(ModuleType):
    """Stands for a module, which is imported when anything of it is first asked for."""

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        value = getattr(import_module(self.__name__), name)
        setattr(self, name, value)
        return value


class _Functions(ModuleType):
    """Stands for a module of which nothing but functions is used: each imports it when it is called."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *args, **kwargs: getattr(import_module(self.__name__), name)(*args, **kwargs)


@contextmanager
def functions_later(name: str) -> Iterator[None]:
    """Within, a module that was not imported yet is not, though a library says so: its functions are when called."""
    if name in sys.modules:
        yield
        return
    sys.modules[name] = stand_in = _Functions(name)
    stand_in.__path__ = []
    try:
        yield
    finally:
        del sys.modules[name]
