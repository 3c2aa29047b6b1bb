"""Shell completion scripts and the manual page, generated from the usages of the commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler import advanced_settings, settings
from blogcrawler.choices import FORMATS, SCHEMA_NAME, SPIDERS
from blogcrawler.usage.commands import REPOSITORIES, SHELLS, USAGES
from blogcrawler.usage.commands import VALUES as OPTION_VALUES
from blogcrawler.usage.usage import DEVELOPER_OPTIONS, GLOBAL_OPTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from blogcrawler.usage.usage import Option, Usage

WORDS = {
    "blogs": ("add", "find", "remove"),
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
TAKE_FILES = ("blogs", "demo", "export")
"""Commands with an argument that is a file or folder."""
FILE_OPTIONS = tuple(
    name
    for names, how in (*(option for usage in USAGES.values() for option in usage.options), *GLOBAL_OPTIONS)
    if how.get("metavar") == "FILE"
    for name in names
)
BASH = """\
_blogcrawler() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}" name="" known="" place=1
    while [ -z "$name" ] && [ "$place" -lt "$COMP_CWORD" ]; do
        case "${{COMP_WORDS[place]}}" in
            {with_value}|=) place=$((place + 1)) ;;
            -*) ;;
            *) name="${{COMP_WORDS[place]}}" ;;
        esac
        place=$((place + 1))
    done
    case "${{COMP_WORDS[COMP_CWORD-1]}}" in
{values}
        {file_options}) COMPREPLY=($(compgen -f -- "$word")); return ;;
    esac
    if [ -n "$known" ]; then
        COMPREPLY=($(compgen -W "$known" -- "$word"))
        [[ "$known" != *= ]] || compopt -o nospace +o filenames 2>/dev/null
        return
    fi
    if [ -z "$name" ]; then
        known="{commands} {options}"
    else
        case "$name" in
{cases}
        esac
    fi
    COMPREPLY=($(compgen -W "$known" -- "$word"))
    case "$name" in
        {take_files}) COMPREPLY+=($(compgen -f -- "$word")) ;;
    esac
}}
complete -o filenames -F _blogcrawler blogcrawler
"""
ZSH = """\
#compdef blogcrawler
_blogcrawler() {{
    local name="" place=2
    while [[ -z "$name" ]] && (( place < CURRENT )); do
        case "$words[place]" in
            {with_value}) (( place++ )) ;;
            -*) ;;
            *) name="$words[place]" ;;
        esac
        (( place++ ))
    done
    case "$words[CURRENT-1]" in
{values}
        {file_options}) _files; return ;;
    esac
    if [[ -z "$name" ]]; then
        local -a commands=({commands})
        _describe command commands
        compadd -- {options}
    else
        case "$name" in
{cases}
        esac
        case "$name" in
            {take_files}) _files ;;
        esac
    fi
}}
compdef _blogcrawler blogcrawler
"""
FISH = """\
function __blogcrawler_command
    set -l is_value 0
    for word in (commandline -opc)[2..-1]
        if test $is_value -eq 1
            set is_value 0
        else if contains -- $word {with_value}
            set is_value 1
        else if not string match -q -- '-*' $word
            echo $word
            return 0
        end
    end
    return 1
end
complete -c blogcrawler -f
"""
_WITH_VALUE = [name for name, values in OPTION_VALUES.items() if values]
_PARTS = {
    "take_files": "|".join(TAKE_FILES),
    "file_options": "|".join(dict.fromkeys(FILE_OPTIONS)),
    "with_value": "|".join(_WITH_VALUE),
    "options": " ".join(name for names, _ in GLOBAL_OPTIONS for name in names if name.startswith("--")),
}


def completion(shell: str) -> str:
    """Return the completion script for a shell."""
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell]()


def _bash() -> str:
    cases = "\n".join(f'            {name}) known="{" ".join(_words(usage))}" ;;' for name, usage in USAGES.items())
    values = "\n".join(f'        {"|".join(names)}) known="{" ".join(words)}" ;;' for names, words in VALUES.items())
    return BASH.format(commands=" ".join(USAGES), cases=cases, values=values, **_PARTS)


def _zsh() -> str:
    commands = " ".join(_quoted(f"{name}:{usage.summary}") for name, usage in USAGES.items())
    cases = "\n".join(f"            {name}) compadd -- {' '.join(_words(usage))} ;;" for name, usage in USAGES.items())
    values = "\n".join(f"        {'|'.join(names)}) {_compadd(words)}; return ;;" for names, words in VALUES.items())
    return ZSH.format(commands=commands, cases=cases, values=values, **_PARTS)


def _compadd(words: Sequence[str]) -> str:
    return f"compadd {'-S {} '.format(_quoted('')) if words[0].endswith('=') else ''}-- {' '.join(words)}"


def _fish() -> str:
    lines = [
        FISH.format(with_value=" ".join(_WITH_VALUE)).rstrip(),
        f"complete -c blogcrawler -n 'contains -- (__blogcrawler_command) {' '.join(TAKE_FILES)}' -F",
    ]
    lines += [
        f"complete -c blogcrawler -n 'not __blogcrawler_command >/dev/null' -a {name} -d {_quoted(usage.summary)}"
        for name, usage in USAGES.items()
    ]
    lines += [_fish_option("complete -c blogcrawler", one) for one in GLOBAL_OPTIONS]
    for name, usage in USAGES.items():
        begin = f"complete -c blogcrawler -n 'contains -- {name} (__blogcrawler_command)'"
        lines += [f"{begin} -a {word}" for word in WORDS.get(name, ())]
        lines += [_fish_option(begin, one) for one in usage.options]
    return "\n".join(lines) + "\n"


def _fish_option(begin: str, given: Option) -> str:
    names, how = given
    flags = " ".join(f"-l {one[2:]}" if one.startswith("--") else f"-s {one[1:]}" for one in names)
    value = f" -x -a {_quoted(' '.join(VALUES[names]))}" if names in VALUES else ""
    value = value or (" -r -F" if how.get("metavar") == "FILE" else "")
    value = value or (" -x" if "metavar" in how or "type" in how else "")
    return f"{begin} {flags}{value} -d {_quoted(how['help'])}"


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
