"""Reads lists that the service returns in pages."""
from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from ._connect import Transport
from ._decode import decode

T = TypeVar("T")

PAGE_SIZE = 200


def pages(transport: Transport, method: str, request: Mapping[str, Any], field: str, kind: type[T],
          handle: object = None) -> Iterator[T]:
    """Yields the entries of all pages. Requests a page when its first entry is needed. `field` is the JSON name of the
    list in the response."""
    token = ""
    while True:
        answer = transport.call(method, {**request, "pageSize": PAGE_SIZE, "pageToken": token})
        for one in answer.get(field, ()):
            yield decode(kind, one, handle)
        token = str(answer.get("nextPageToken", ""))
        if not token:
            return
