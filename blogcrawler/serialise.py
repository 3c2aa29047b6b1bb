"""Values of dataclasses as JSON types, and back: the form in which rules and the state of a crawl are stored.

Fields keep their names (but for `Annotated[…, override(rename=…)]`), and a set becomes a sorted list. The fields of a
value whose own field is `INLINE` are stored beside those of its owner.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_origin

from cattrs import Converter
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["INLINE", "dump", "load", "register"]

Value = TypeVar("Value")

INLINE: Mapping[str, Any] = {"inline": True}
"""Metadata of a field whose value is stored beside its owner's fields, and not at all where it is None."""
PLAIN = (str, int, float, bool)

_converter = Converter(detailed_validation=False, unstruct_collection_overrides={Set: sorted, tuple: list})


def dump(value: object) -> Any:  # noqa: ANN401
    """The JSON types of a value."""
    return _converter.unstructure(value)


def load(kind: type[Value], data: object) -> Value:
    """The value of `dump`; unknown names are passed over, missing ones have their defaults.

    Raises KeyError, TypeError, ValueError or AttributeError where the data are no such value.
    """
    return _converter.structure(data, kind)


def register(kind: type[Value], dump: Callable[[Value], Any], load: Callable[[Any], Value]) -> None:
    """Store the values of a class in a form of its own."""
    _converter.register_unstructure_hook(kind, dump)
    _converter.register_structure_hook(kind, lambda data, _: load(data))


def _is_plain(kind: object) -> bool:
    origin: object = get_origin(kind)
    return kind in PLAIN or origin is Literal


def _load_plain(data: Any, _: Any) -> Any:  # noqa: ANN401
    return data


def _dumper(kind: Any, converter: Converter) -> Callable[[Any], dict[str, Any]]:  # noqa: ANN401
    dump_fields = make_dict_unstructure_fn(kind, converter)
    inline = [one.name for one in fields(kind) if "inline" in one.metadata]

    def dump_inlined(value: Any) -> dict[str, Any]:  # noqa: ANN401
        data = dump_fields(value)
        for name in inline:
            data.update(data.pop(name) or {})
        return data

    return dump_inlined if inline else dump_fields


def _loader(kind: Any, converter: Converter) -> Callable[[Any, Any], Any]:  # noqa: ANN401
    load_fields = make_dict_structure_fn(kind, converter, _cattrs_detailed_validation=False)
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


_converter.register_structure_hook_func(_is_plain, _load_plain)
_converter.register_unstructure_hook_factory(is_dataclass, _dumper)
_converter.register_structure_hook_factory(is_dataclass, _loader)
