"""The program `blogcrawler`: Scrapy's command line with this package's settings, from any folder.

Slow imports are in functions, so that the handlers of signals are set first.
"""

from __future__ import annotations

import gc
import os
import signal
import sys

from blogcrawler import __version__
from blogcrawler.early_signals import heed_early_signals, leave

TYPE_CHECKING = False  # `typing` takes longer to import than all of these
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

    from scrapy.settings import Settings

OBJECTS = 10_000
"""Threshold of Python's garbage collector. With the default of 700, collecting takes about a tenth of a crawl's time.
"""

ADDRESS_SPACE = 640 << 20
"""Bytes of address space that a crawl needs. With less, some libraries retry forever or crash."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and exit with its exit code."""
    heed_early_signals()
    from blogcrawler.errors import OutOfMemory, is_lack_of_memory

    out_of_memory = f"blogcrawler: {OutOfMemory()}\n".encode()
    gc.set_threshold(OBJECTS)
    # each of its threads needs 30 MB of address space; without it, the library retries forever
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        try:
            _run(arguments)
        finally:
            sys.stdout.flush()
    except (MemoryError, ImportError, SystemError, RuntimeError) as error:
        if not is_lack_of_memory(error):
            raise
        os.write(2, out_of_memory)
        os._exit(os.EX_TEMPFAIL)  # a regular exit needs memory
    except KeyboardInterrupt:  # a signal may arrive between two handlers of the program
        leave(signal.SIGINT)
    except BrokenPipeError:  # the reader, such as `head`, has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0) from None


def _run(arguments: Sequence[str] | None) -> None:
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["--version"] or given == ["version"]:
        print(f"blogcrawler {__version__}")
        raise SystemExit(0)
    from blogcrawler.usage import MEANT, USAGES

    name, *rest = _command_first(given)
    if name == "help" and not rest:
        print(_help())
        raise SystemExit(0)
    if name == "help":
        name, rest = rest[0], ["--help"]
    if name in USAGES:
        args, settings = USAGES[name].heed(rest)
        if name != "config":  # `config check` lists all problems
            _refuse_unknown(settings)
        if name == "completion":
            from blogcrawler.usage.completion import completion

            sys.stdout.write(completion(args[0]))
            raise SystemExit(0)
    elif name not in _scrapy_commands():
        from blogcrawler.sentences import WRONG_USAGE, end
        from blogcrawler.usage.suggestion import did_you_mean

        help_or_order = (
            " See blogcrawler --help." if not given[0].startswith("-") else " Put the command before its options."
        )
        meant = did_you_mean(MEANT.get(name, name), [*USAGES, *MEANT.values()]) or help_or_order
        end(f"There is no command {name!r}.{meant}", WRONG_USAGE)
    from importlib import import_module

    from scrapy.cmdline import execute

    if name in {"archive", "crawl"}:
        _try_for_memory()
        gc.disable()  # until the spider starts: imported modules are never freed
        # a deprecation warning searches all modules for its caller, so these are imported first, while there are few
        import_module("scrapy.core.downloader.tls")
        import_module("scrapy.core.downloader.contextfactory")
    if name not in USAGES and signal.getsignal(signal.SIGINT) is leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)  # which Scrapy's shell needs
    os.environ.setdefault("SCRAPY_SETTINGS_MODULE", "blogcrawler.settings")
    execute(["blogcrawler", name, *rest], _settings_for(name) if name in USAGES else None)


def _refuse_unknown(settings: Sequence[str]) -> None:
    """End the program if `-s` names an unknown setting. This imports no library."""
    if not settings:
        return
    from blogcrawler.configuration import GivenSetting, unknown_setting
    from blogcrawler.sentences import WRONG_USAGE, end

    for name, sign, value in (setting.partition("=") for setting in settings):
        if sign and (problem := unknown_setting(GivenSetting(name, value))):
            end(problem, WRONG_USAGE)


def _command_first(given: list[str]) -> list[str]:
    """Return the arguments with the command in front. It is `archive` if a URL was given instead of a command or of a
    spider's name, and `help` if help is asked for or nothing was given."""
    places = _arguments(given)
    if not places and (not given or {"-h", "--help"}.intersection(given)):
        return ["help"]
    if not places:
        _refuse_options_alone(given)
    name = given[places[0]]
    if _is_address(name):
        return ["archive", *given]
    others = [*given[: places[0]], *given[places[0] + 1 :]]
    is_spider = len(places) == 1 or not _is_address(given[places[1]])
    return [name if name != "crawl" or is_spider or "-a" in given else "archive", *others]


def _refuse_options_alone(given: list[str]) -> NoReturn:
    from blogcrawler.sentences import WRONG_USAGE, end
    from blogcrawler.usage import VALUES
    from blogcrawler.usage.suggestion import did_you_mean

    option = given[0].partition("=")[0]
    meant = "" if option in VALUES else did_you_mean(option, ["--version", *VALUES])
    example = "Name a command or a blog, as in: blogcrawler archive http://blog.example.org/"
    end(f"There is no option {option}.{meant}" if meant else example, WRONG_USAGE)


def _arguments(given: list[str]) -> list[int]:
    """Return the positions of arguments that are neither options nor their values."""
    from blogcrawler.usage import VALUES

    places, values = [], 0
    for place, argument in enumerate(given):
        if values:
            values -= 1
        elif argument.startswith("-"):
            values = VALUES.get(argument, 0)
        else:
            places.append(place)
    return places


def _is_address(argument: str) -> bool:
    """True for a URL or host name: commands and spiders have no dot, colon or slash in their names."""
    return bool({".", ":", "/"}.intersection(argument))


def _try_for_memory() -> None:
    """Raise MemoryError if there is less address space than a crawl needs."""
    import mmap

    if sys.platform == "win32":
        return
    try:
        mmap.mmap(-1, ADDRESS_SPACE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=0).close()
    except OSError as error:
        raise MemoryError from error


def _help() -> str:
    from importlib.resources import files

    from blogcrawler.choices import FORMATS

    text = files("blogcrawler").joinpath("data", "help.txt").read_text("utf-8")
    return text.format(version=__version__, formats=", ".join(FORMATS))


def _settings_for(name: str) -> Settings:
    """Return settings that name only this command's module, so that Scrapy does not import all commands."""
    from scrapy.utils.project import get_project_settings

    import blogcrawler.commands

    settings = get_project_settings()
    if settings["COMMANDS_MODULE"] == blogcrawler.commands.__name__:
        settings.set("COMMANDS_MODULE", f"{blogcrawler.commands.__name__}.{name}", "project")
    return settings


def _scrapy_commands() -> set[str]:
    """Return the names of Scrapy's own commands, without importing it."""
    from importlib.util import find_spec
    from pkgutil import iter_modules

    scrapy = find_spec("scrapy")
    places = (scrapy and scrapy.submodule_search_locations) or []
    return {module.name for place in places for module in iter_modules([f"{place}/commands"])}
