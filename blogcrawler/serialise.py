"""Values of dataclasses as JSON types, and back: the form in which rules and the state of a crawl are stored.

Fields keep their names, but for those that are `stored_as` another; a set becomes a sorted list. What is `INLINE` is
stored as fields of its owner.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Set
from dataclasses import fields, is_dataclass
from importlib.resources import files
from types import UnionType
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union, get_args, get_origin

from cattrs import Converter, override
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn

if TYPE_CHECKING:
    from collections.abc import Callable

Value = TypeVar("Value")

INLINE: Mapping[str, Any] = {"inline": True}
"""Metadata of a field whose own fields are stored beside it, and none of them where it is None."""
PLAIN = (str, int, float, bool, type(None))

_converter = Converter(detailed_validation=False, unstruct_collection_overrides={Set: sorted, tuple: list})


def stored_as(name: str) -> Mapping[str, str]:
    """Metadata of a field that is stored under another name."""
    return {"stored_as": name}


def dump(value: object) -> Any:  # noqa: ANN401
    """The JSON types of a value."""
    return _converter.unstructure(value)


def load(kind: type[Value], data: object) -> Value:
    """The value of `dump`; unknown names are passed over, missing ones have their defaults.

    Raises KeyError, TypeError or ValueError where the data are no such value.
    """
    try:
        return _converter.structure(data, kind)
    except AttributeError as error:
        raise TypeError(f"{data!r:.50} is stored in another form: {error}") from error


def load_file(kind: type[Value], package: str, name: str) -> Value:
    """The value of a JSON file among a package's data."""
    return load(kind, json.loads(files(package).joinpath("data", name).read_text("utf-8")))


def load_lines(package: str, name: str) -> list[str]:
    """The lines of a text file among a package's data, without blank ones and comments."""
    lines = files(package).joinpath("data", name).read_text("utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def register(kind: type[Value], dump: Callable[[Value], Any], load: Callable[[Any], Value]) -> None:
    """Store the values of a class in a form of its own."""
    _converter.register_unstructure_hook(kind, dump)
    _converter.register_structure_hook(kind, lambda data, _: load(data))


def _origin(kind: object) -> object:
    return get_origin(kind)


def _names(kind: Any) -> dict[str, Any]:  # noqa: ANN401
    """The names of fields that are stored under others."""
    return {one.name: override(rename=one.metadata.get("stored_as")) for one in fields(kind)}


def _dumper(kind: Any, converter: Converter) -> Callable[[Any], dict[str, Any]]:  # noqa: ANN401
    dump_fields = make_dict_unstructure_fn(kind, converter, **_names(kind))
    inline = [one.name for one in fields(kind) if "inline" in one.metadata]

    def dump_inlined(value: Any) -> dict[str, Any]:  # noqa: ANN401
        data = dump_fields(value)
        for name in inline:
            data.update(data.pop(name) or {})
        return data

    return dump_inlined if inline else dump_fields


def _loader(kind: Any, converter: Converter) -> Callable[[Any, Any], Any]:  # noqa: ANN401
    load_fields = make_dict_structure_fn(kind, converter, _cattrs_detailed_validation=False, **_names(kind))
    inline = [one.name for one in fields(kind) if "inline" in one.metadata]
    own = {one.name for one in fields(kind)}.difference(inline)

    def load_mapping(data: Any, _: Any) -> Any:  # noqa: ANN401
        if not isinstance(data, Mapping) or (data and own.isdisjoint(data)):
            raise TypeError(f"{data!r:.50} is no {kind.__name__}")
        if inline:
            inlined = {name: value for name, value in data.items() if name not in own} or None
            data = {**data, **dict.fromkeys(inline, inlined)}
        return load_fields(data, kind)

    return load_mapping


def _is_plain(kind: object) -> bool:
    """True for types whose values are JSON types already; cattrs would make an int of a text, and a text of an int."""
    if _origin(kind) in (Union, UnionType):
        return all(map(_is_plain, get_args(kind)))
    return kind in PLAIN or _origin(kind) is Literal


_converter.register_structure_hook_func(_is_plain, lambda data, _: data)
_converter.register_unstructure_hook_factory(is_dataclass, _dumper)
_converter.register_structure_hook_factory(is_dataclass, _loader)
_converter.register_structure_hook_func(lambda kind: _origin(kind) is re.Pattern, lambda data, _: re.compile(data))
