"""Converts dataclass values to JSON data and back: the stored form of rules and of the state of a crawl.

Fields keep their names unless they are `stored_as` another name; a set becomes a sorted list. Fields of an `INLINE`
value are stored beside those of its owner.
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
from cattrs.errors import StructureHandlerNotFoundError
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn

if TYPE_CHECKING:
    from collections.abc import Callable

Value = TypeVar("Value")

INLINE: Mapping[str, Any] = {"inline": True}
"""Field metadata: the value's own fields are stored in its owner's place; nothing is stored if it is None."""
PLAIN = (str, int, float, bool, type(None))
LISTS = (list, tuple, set, frozenset)

_converter = Converter(detailed_validation=False, unstruct_collection_overrides={Set: sorted, tuple: list})


def stored_as(name: str) -> Mapping[str, str]:
    """Field metadata: the field is stored under another name."""
    return {"stored_as": name}


def dump(value: object) -> Any:  # noqa: ANN401
    """Convert a value to JSON data."""
    return _converter.unstructure(value)


def load(kind: type[Value], data: object) -> Value:
    """Convert JSON data of `dump` back; unknown names are ignored, missing ones get their defaults.

    Raises KeyError, TypeError or ValueError if the data are invalid.
    """
    try:
        return _converter.structure(data, kind)
    except (AttributeError, StructureHandlerNotFoundError) as error:
        raise TypeError(f"{data!r:.50} is stored in another form: {error}") from error


def load_whole(kind: type[Value], data: object) -> Value:
    """Convert data like `load`, but reject data that lack a field or have another one, such as data in an older form.
    Raises KeyError, TypeError or ValueError like `load`."""
    value = load(kind, data)
    if dump(value) != data:
        raise ValueError(f"{kind} was stored in another form: fields are missing, or unknown")
    return value


def load_file(kind: type[Value], package: str, name: str) -> Value:
    """Load a JSON data file of a package."""
    return load(kind, json.loads(files(package).joinpath("data", name).read_text("utf-8")))


def load_lines(package: str, name: str) -> list[str]:
    """Load a text data file of a package, without blank lines and comments."""
    lines = files(package).joinpath("data", name).read_text("utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def register(kind: type[Value], dump: Callable[[Value], Any], load: Callable[[Any], Value]) -> None:
    """Store the values of a class in a special form."""
    _converter.register_unstructure_hook(kind, dump)
    _converter.register_structure_hook(kind, lambda data, _: load(data))


def _origin(kind: object) -> object:
    return get_origin(kind)


def _names(kind: Any) -> dict[str, Any]:  # noqa: ANN401
    """The stored names of a class's fields, in the form that cattrs expects."""
    return {field_.name: override(rename=field_.metadata.get("stored_as")) for field_ in fields(kind)}


def _dumper(kind: Any, converter: Converter) -> Callable[[Any], dict[str, Any]]:  # noqa: ANN401
    dump_fields = make_dict_unstructure_fn(kind, converter, **_names(kind))
    inline = [field.name for field in fields(kind) if "inline" in field.metadata]

    def dump_inlined(value: Any) -> dict[str, Any]:  # noqa: ANN401
        data = dump_fields(value)
        for name in inline:
            data.update(data.pop(name) or {})
        return data

    return dump_inlined if inline else dump_fields


def _loader(kind: Any, converter: Converter) -> Callable[[Any, Any], Any]:  # noqa: ANN401
    load_fields = make_dict_structure_fn(kind, converter, _cattrs_detailed_validation=False, **_names(kind))
    inline = [field.name for field in fields(kind) if "inline" in field.metadata]
    own = {field.name for field in fields(kind)}.difference(inline)

    def load_mapping(data: Any, _: Any) -> Any:  # noqa: ANN401
        if not isinstance(data, Mapping) or (data and own.isdisjoint(data)):
            raise TypeError(f"{data!r:.50} is no {kind.__name__}")
        if inline:
            inlined = {name: value for name, value in data.items() if name not in own} or None
            data = {**data, **dict.fromkeys(inline, inlined)}
        return load_fields(data, kind)

    return load_mapping


def _is_plain(kind: object) -> bool:
    """True for types whose values are already JSON data; cattrs would convert texts to numbers and vice versa."""
    return all(alternative in PLAIN or _origin(alternative) is Literal for alternative in _alternatives(kind))


def _alternatives(kind: object) -> tuple[Any, ...]:
    return get_args(kind) if _origin(kind) in (Union, UnionType) else (kind,)


def _plain_loader(kind: Any) -> Callable[[Any, Any], Any]:  # noqa: ANN401
    literals = [value for alternative in _alternatives(kind) for value in get_args(alternative)]
    types = {alternative for alternative in _alternatives(kind) if alternative in PLAIN}
    types |= {int} if float in types else set()

    def load_plain(data: Any, _: Any) -> Any:  # noqa: ANN401
        if type(data) not in types and data not in literals:
            raise TypeError(f"{data!r:.50} is no {kind}")
        return data

    return load_plain


def _is_list(kind: object) -> bool:
    return _origin(kind) in LISTS


def _list_loader(kind: Any, converter: Converter) -> Callable[[Any, Any], Any]:  # noqa: ANN401
    """Load a list; cattrs would split a text into a list of letters."""
    make: Any = _origin(kind)
    kinds = [argument for argument in get_args(kind) if argument is not ...]
    is_fixed = make is tuple and ... not in get_args(kind)

    def load_list(data: Any, _: Any) -> Any:  # noqa: ANN401
        if not isinstance(data, LISTS):
            raise TypeError(f"{data!r:.50} is no list")
        return make(
            converter.structure(item, of)
            for item, of in zip(data, kinds if is_fixed else kinds * len(data), strict=True)
        )

    return load_list


for _kind in PLAIN:  # the converter's own hooks for classes take precedence over those of a factory
    _converter.register_structure_hook(_kind, _plain_loader(_kind))
_converter.register_structure_hook_factory(_is_plain, _plain_loader)
_converter.register_structure_hook_factory(_is_list, _list_loader)
_converter.register_unstructure_hook_factory(is_dataclass, _dumper)
_converter.register_structure_hook_factory(is_dataclass, _loader)
_converter.register_structure_hook_func(lambda kind: _origin(kind) is re.Pattern, lambda data, _: re.compile(data))
