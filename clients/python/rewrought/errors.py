"""Defines the exceptions that the library raises."""
from __future__ import annotations


class Error(Exception):
    """Is the base class of all exceptions of this library.

    `method` is the method that failed, such as "CheckService/CheckRule", or the command that was started. It is empty
    if the error has no method. `message` explains the error. An error of the service names the field of the request.
    """

    code = "unknown"  # The code of the Connect protocol.

    def __init__(self, message: str, method: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.method = method

    def __str__(self) -> str:
        return "%s: %s" % (self.method, self.message) if self.method else self.message


class Canceled(Error):
    """Reports that the program closed the operation, the stream, or the client while the call was in progress."""

    code = "canceled"


class InvalidArgument(Error):
    """Reports an argument that no server would accept. A malformed rule is not an error (RuleVerdict.error)."""

    code = "invalid_argument"


class DeadlineExceeded(Error):
    """Reports that a call took longer than its timeout or than the server's own limit."""

    code = "deadline_exceeded"


class NotFound(Error):
    """Reports a rule, a pack, an audit, or a machine that does not exist."""

    code = "not_found"


class PermissionDenied(Error):
    """Reports a token whose role does not permit the call."""

    code = "permission_denied"


class Unauthenticated(Error):
    """Reports a missing or unknown token."""

    code = "unauthenticated"


class ResourceExhausted(Error):
    """Reports an exceeded quota. The client repeats such calls until their timeout before it raises this error."""

    code = "resource_exhausted"


class FailedPrecondition(Error):
    """Reports a call that the state of the server does not permit, such as a missing folder of packs."""

    code = "failed_precondition"


class Aborted(Error):
    """Reports work that was stopped because it exceeded its limits on time or memory."""

    code = "aborted"


class Unimplemented(Error):
    """Reports a method that the server does not have, because its version is older than that of this library."""

    code = "unimplemented"


class Internal(Error):
    """Reports a fault in the server, or a response that this library cannot decode."""

    code = "internal"


class Unavailable(Error):
    """Reports that the server does not answer, or that a connection to it broke."""

    code = "unavailable"


class ProgramError(Error):
    """Reports that the program `rewrought` is missing, does not start, or rejects its arguments."""

    code = "program"


_CLASSES: dict[str, type[Error]] = {
    kind.code: kind
    for kind in (Canceled, InvalidArgument, DeadlineExceeded, NotFound, PermissionDenied, Unauthenticated,
                 ResourceExhausted, FailedPrecondition, Aborted, Unimplemented, Internal, Unavailable)
}


def error_of(code: str, message: str, method: str) -> Error:
    """Returns the exception for a code of the Connect protocol, or a plain Error for other codes."""
    if code in _CLASSES:
        return _CLASSES[code](message, method)
    return Error("%s (%s)" % (message, code), method)
