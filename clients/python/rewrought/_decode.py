"""Decodes the JSON of protobuf messages into dataclasses.

A dataclass mirrors a message: the field `confirmed_by` has the JSON name `confirmedBy` and the type of the annotation.
The metadata entry "json" gives a field another name. None marks the field of a handle, which is not part of the
message: an object, such as the connection to the server, that the methods of the dataclass use.
tests/python_client/schema_test.py compares all dataclasses with the schemas.
"""
from __future__ import annotations

import dataclasses
import datetime
import enum
import functools
import re
import types
import typing
from collections.abc import Hashable, Mapping
from typing import Any, TypeVar

from .errors import Internal

T = TypeVar("T")


# Metadata of fields that contain a handle.
HANDLE: Mapping[str, object] = {"json": None}


def renamed(name: str) -> Mapping[str, object]:
    """Returns the metadata of a field that the message calls `name`."""
    return {"json": name}


def json_name(field: dataclasses.Field[Any]) -> str | None:
    """Returns the JSON name of a field, or None if the message does not have the field."""
    if "json" in field.metadata:
        return typing.cast("str | None", field.metadata["json"])
    first, *rest = field.name.rstrip("_").split("_")
    return first + "".join(word.capitalize() for word in rest)


def enum_prefix(kind: type[enum.Enum]) -> str:
    """Returns the prefix of the enum's values in JSON: "DENORM_MODE_" for DenormMode."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind.__name__).upper() + "_"


def enum_json(value: enum.Enum) -> str:
    """Returns the name of an enum's value in JSON."""
    return enum_prefix(type(value)) + value.name


def format_duration(seconds: float) -> str:
    """Formats seconds as a Duration with a resolution of a millisecond."""
    return "%.3fs" % seconds


@functools.lru_cache(maxsize=None)
def _fields(kind: Any) -> tuple[tuple[str, str | None, Any], ...]:
    hints = typing.get_type_hints(kind)
    return tuple((field.name, json_name(field), hints[field.name]) for field in dataclasses.fields(kind))


def _is_optional(hint: Any) -> bool:
    return typing.get_origin(hint) in (typing.Union, types.UnionType) and type(None) in typing.get_args(hint)


def _absent(hint: Any, handle_: object) -> Any:
    """Returns the value of a field that the JSON omits. proto3 omits zeros and empty values."""
    origin = typing.get_origin(hint)
    if _is_optional(hint):
        return None
    if origin is tuple:
        return ()
    if origin is Mapping:
        return {}
    if dataclasses.is_dataclass(hint):
        return decode(typing.cast("type[Any]", hint), {}, handle_)
    if isinstance(hint, type) and issubclass(hint, (enum.Enum, datetime.datetime)):
        raise Internal("a %s is missing in the server's response" % hint.__name__)
    return typing.cast("Any", hint)()


def _value(hint: Any, value: Any, handle_: object) -> Any:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if _is_optional(hint):
        return _value(next(one for one in arguments if one is not type(None)), value, handle_)
    if origin is tuple:
        return tuple(_value(arguments[0], one, handle_) for one in value)
    if origin is Mapping:
        return {key: _value(arguments[1], one, handle_) for key, one in value.items()}
    if dataclasses.is_dataclass(hint):
        return decode(typing.cast("type[Any]", hint), value, handle_)
    if hint is datetime.datetime:
        return datetime.datetime.fromisoformat(value)
    if hint is datetime.timedelta:
        return datetime.timedelta(seconds=float(value.removesuffix("s")))
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        # A value that this version does not know must not be mistaken for another one.
        return hint[value.removeprefix(enum_prefix(hint))]
    if hint in (int, float):
        return typing.cast("Any", hint)(value)  # 64-bit integers, NaN, and infinities are strings
    if not isinstance(value, hint):
        raise TypeError("%r is not a %s" % (value, hint.__name__))
    return value


def decode(kind: type[T], message: Mapping[str, Any], handle_: object = None) -> T:
    """Decodes a message into the dataclass `kind`, and stores `handle_` in its fields for handles. Ignores unknown
    fields, so that servers may add fields. Raises Internal if a value has the wrong type, or if this library does not
    know a value of an enum."""
    values: dict[str, Any] = {}
    for name, json, hint in _fields(typing.cast(Hashable, kind)):
        if json is None:
            values[name] = handle_
            continue
        try:
            values[name] = _value(hint, message[json], handle_) if json in message else _absent(hint, handle_)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise Internal("cannot decode %s.%s (%s: %s); is the server newer than this library?" %
                           (kind.__name__, name, type(error).__name__, error)) from error
    return kind(**values)
