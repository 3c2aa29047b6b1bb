"""Shell completion scripts and the manual page, generated from the usages of the commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler import advanced_settings, settings
from blogcrawler.choices import FORMATS, SCHEMA_NAME, SPIDERS
from blogcrawler.usage.commands import REPOSITORIES, SHELLS, USAGES
from blogcrawler.usage.usage import DEVELOPER_OPTIONS, GLOBAL_OPTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from blogcrawler.usage.usage import Option, Usage

WORDS = {
    "blogs": ("add", "remove"),
    "completion": SHELLS,
    "config": ("check",),
    "crawl": SPIDERS,
    "deposit": tuple(REPOSITORIES),
    "export": (*FORMATS, SCHEMA_NAME),
}
"""Fixed arguments of commands."""
SETTINGS = tuple(f"{name}=" for name in vars(settings) if name.isupper() and not hasattr(advanced_settings, name))
VALUES = {
    ("-s", "--set"): SETTINGS,
    ("-a",): ("url=", "since="),
    ("-L", "--loglevel"): ("DEBUG", "INFO", "WARNING", "ERROR"),
    ("--log-format",): ("text", "json"),
}
"""Values of options. After a value that ends in =, the user continues to type."""
TAKE_FILES = ("demo", "export")
"""Commands with an argument that is a file or folder."""
FILE_OPTIONS = tuple(
    name
    for names, how in (*(option for usage in USAGES.values() for option in usage.options), *GLOBAL_OPTIONS)
    if how.get("metavar") == "FILE"
    for name in names
)
BASH = """\
_blogcrawler() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}" name="${{COMP_WORDS[1]}}" known=""
    case "${{COMP_WORDS[COMP_CWORD-1]}}" in
{values}
        {file_options}) COMPREPLY=($(compgen -f -- "$word")); return ;;
    esac
    if [ -n "$known" ]; then
        COMPREPLY=($(compgen -W "$known" -- "$word"))
        [[ "$known" != *= ]] || compopt -o nospace +o filenames 2>/dev/null
        return
    fi
    if [ "$COMP_CWORD" -eq 1 ]; then
        known="{commands}"
    else
        case "$name" in
{cases}
        esac
    fi
    COMPREPLY=($(compgen -W "$known" -- "$word"))
    case "$name" in
        {take_files}) [ "$COMP_CWORD" -eq 1 ] || COMPREPLY+=($(compgen -f -- "$word")) ;;
    esac
}}
complete -o filenames -F _blogcrawler blogcrawler
"""
ZSH = """\
#compdef blogcrawler
_blogcrawler() {{
    case "$words[CURRENT-1]" in
{values}
        {file_options}) _files; return ;;
    esac
    if (( CURRENT == 2 )); then
        local -a commands=({commands})
        _describe command commands
    else
        case "$words[2]" in
{cases}
        esac
        case "$words[2]" in
            {take_files}) _files ;;
        esac
    fi
}}
compdef _blogcrawler blogcrawler
"""
_FILES = {"take_files": "|".join(TAKE_FILES), "file_options": "|".join(dict.fromkeys(FILE_OPTIONS))}


def completion(shell: str) -> str:
    """Return the completion script for a shell."""
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell]()


def _bash() -> str:
    cases = "\n".join(f'            {name}) known="{" ".join(_words(usage))}" ;;' for name, usage in USAGES.items())
    values = "\n".join(f'        {"|".join(names)}) known="{" ".join(words)}" ;;' for names, words in VALUES.items())
    return BASH.format(commands=" ".join(USAGES), cases=cases, values=values, **_FILES)


def _zsh() -> str:
    commands = " ".join(_quoted(f"{name}:{usage.summary}") for name, usage in USAGES.items())
    cases = "\n".join(f"            {name}) compadd -- {' '.join(_words(usage))} ;;" for name, usage in USAGES.items())
    values = "\n".join(f"        {'|'.join(names)}) {_compadd(words)}; return ;;" for names, words in VALUES.items())
    return ZSH.format(commands=commands, cases=cases, values=values, **_FILES)


def _compadd(words: Sequence[str]) -> str:
    return f"compadd {'-S {} '.format(_quoted('')) if words[0].endswith('=') else ''}-- {' '.join(words)}"


def _fish() -> str:
    lines = [
        "complete -c blogcrawler -f",
        f"complete -c blogcrawler -n '__fish_seen_subcommand_from {' '.join(TAKE_FILES)}' -F",
    ]
    lines += [
        f"complete -c blogcrawler -n __fish_use_subcommand -a {name} -d {_quoted(usage.summary)}"
        for name, usage in USAGES.items()
    ]
    for name, usage in USAGES.items():
        begin = f"complete -c blogcrawler -n '__fish_seen_subcommand_from {name}'"
        lines += [f"{begin} -a {word}" for word in WORDS.get(name, ())]
        for names, how in _options(usage):
            flags = " ".join(f"-l {one[2:]}" if one.startswith("--") else f"-s {one[1:]}" for one in names)
            value = f" -x -a {_quoted(' '.join(VALUES[names]))}" if names in VALUES else ""
            value = value or (" -r -F" if how.get("metavar") == "FILE" else "")
            value = value or (" -x" if "metavar" in how or "type" in how else "")
            lines.append(f"{begin} {flags}{value} -d {_quoted(how['help'])}")
    return "\n".join(lines) + "\n"


def _words(usage: Usage) -> list[str]:
    options = [name for names, _ in _options(usage) for name in names if name.startswith("--")]
    return [*WORDS.get(usage.name, ()), *options, "--help"]


def _options(usage: Usage) -> Iterator[Option]:
    yield from usage.options
    yield from GLOBAL_OPTIONS


def _quoted(text: str) -> str:
    return "'{}'".format(text.replace("'", "’"))


def manual_page(version: str) -> str:
    """Return the manual page `blogcrawler(1)` as roff."""
    return "\n".join(_roff(version)) + "\n"


def _roff(version: str) -> Iterator[str]:
    yield f'.TH BLOGCRAWLER 1 "" "blogcrawler {version}" "User Commands"'
    yield from (
        ".SH NAME",
        r"blogcrawler \- archives blogs",
        ".SH SYNOPSIS",
        r".B blogcrawler",
        r"\fICOMMAND\fR [options]",
        ".br",
    )
    yield from (".B blogcrawler", r"\fIURL\fR", ".SH COMMANDS")
    for name, usage in USAGES.items():
        yield from (
            f".SS {name}",
            f".B blogcrawler {name}",
            _escaped(usage.arguments),
            ".PP",
            _escaped(usage.description),
        )
        yield from _listed(usage.options)
        yield from (
            ".PP",
            "Examples:",
            ".PP",
            ".nf",
            *(f"    {_escaped(example)}" for example in usage.examples),
            ".fi",
        )
    yield ".SH OPTIONS OF ALL COMMANDS"
    yield from _listed((*GLOBAL_OPTIONS, *DEVELOPER_OPTIONS))


def _listed(options: Sequence[Option]) -> Iterator[str]:
    for names, how in options:
        metavar = how.get("metavar", "")
        value = " ".join(metavar) if isinstance(metavar, tuple) else metavar
        yield from (".TP", f".B {_escaped(', '.join(names))} {_escaped(value)}".rstrip(), _escaped(how["help"]))


def _escaped(text: str) -> str:
    text = text.replace("\\", r"\e").replace("-", r"\-")
    text = "".join(letter if letter.isascii() else f"\\[u{ord(letter):04X}]" for letter in text)
    return f"\\&{text}" if text.startswith((".", "'")) else text
