"""Modules that are imported on first use: libraries that many crawls need late or never."""

from __future__ import annotations

import sys
from contextlib import ExitStack, contextmanager
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class LazyModule(ModuleType):
    """Placeholder for a module, which is imported when one of its attributes is accessed."""

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        value = getattr(import_module(self.__name__), name)
        setattr(self, name, value)
        return value


class _Functions(ModuleType):
    """Placeholder for a module whose functions alone are used: calling one imports the module."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *args, **kwargs: getattr(import_module(self.__name__), name)(*args, **kwargs)


@contextmanager
def functions_later(*names: str) -> Iterator[None]:
    """Inside this block, imports of these modules are postponed until one of their functions is called."""
    with ExitStack() as stack:
        for name in names:
            if name not in sys.modules:
                stack.enter_context(_stood_for(name))
        yield


@contextmanager
def not_installed(*names: str) -> Iterator[None]:
    """Inside this block, these optional modules cannot be imported, unless they already are."""
    missing = dict.fromkeys(name for name in names if name not in sys.modules)
    sys.modules.update(missing)  # type: ignore[arg-type]  # None is what the import system documents for this
    try:
        yield
    finally:
        for name in missing:
            del sys.modules[name]


@contextmanager
def _stood_for(name: str) -> Iterator[None]:
    sys.modules[name] = stand_in = _Functions(name)
    stand_in.__path__ = []
    package, _, own = name.rpartition(".")
    above = sys.modules.get(package)
    if above is not None:
        setattr(above, own, stand_in)  # NumPy accesses its own missing modules in endless recursion
    try:
        yield
    finally:
        del sys.modules[name]
        if above is not None:
            delattr(above, own)
