"""Makes a crawl break: a function of the program, or of any module, raises an error when it is called for the N-th time."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from functools import wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.settings import BaseSettings

ADDON = f"{__name__}.Break"
SAID = "this was broken on purpose"


def breaking(place: str, *, call: int = 1, always: bool = False) -> list[str]:
    """Options with which a crawl breaks in `place` ("module:Class.method"), at a call, or at each from that one on."""
    told = broken_by(place, call=call, always=always)
    return [part for name, value in told.items() for part in ("-s", f"{name}={value}")]


def broken_by(place: str, *, call: int = 1, always: bool = False) -> dict[str, object]:
    """The same as settings."""
    return {"ADDONS": f'{{"{ADDON}": 0}}', "BREAK": place, "BREAK_AT": call, "BREAK_ALWAYS": always}


class Break:
    """Patches a function before the spider is made, whose methods then hear signals."""

    @classmethod
    def update_pre_crawler_settings(cls, settings: BaseSettings) -> None:
        module, _, path = settings["BREAK"].partition(":")
        *parents, name = path.split(".")
        holder: Any = import_module(module)
        for parent in parents:
            holder = getattr(holder, parent)
        countdown = _Countdown(settings.getint("BREAK_AT"), settings.getbool("BREAK_ALWAYS"))
        setattr(holder, name, _broken(getattr(holder, name), countdown))


@dataclass
class _Countdown:
    """Raises when so many calls are left no more."""

    left: int
    is_always: bool

    def __call__(self) -> None:
        self.left -= 1
        if self.left == 0 or (self.is_always and self.left < 0):
            raise RuntimeError(SAID)


def _broken(function: Callable[..., Any], countdown: _Countdown) -> Callable[..., Any]:
    signature = inspect.signature(function)
    takes_all = any(one.kind is one.VAR_KEYWORD for one in signature.parameters.values())

    def check(named: dict[str, Any]) -> dict[str, Any]:
        """What the function takes of what a signal tells; raises when it is time."""
        countdown()
        return {name: value for name, value in named.items() if takes_all or name in signature.parameters}

    @wraps(function)
    async def waits(*given: Any, **named: Any) -> Any:
        return await function(*given, **check(named))

    @wraps(function)
    def yields(*given: Any, **named: Any) -> Any:
        yield from function(*given, **check(named))

    @wraps(function)
    def returns(*given: Any, **named: Any) -> Any:
        return function(*given, **check(named))

    if inspect.iscoroutinefunction(function):
        return waits
    return yields if inspect.isgeneratorfunction(function) else returns
