"""What goes wrong, as exceptions with the text that the command line prints."""

from __future__ import annotations

from ._c import ffi, lib


class Error(Exception):
    """Something went wrong. `str` gives the whole message; `message` is its sentence, `file`, `line` and `column` its
    place if it has one (otherwise empty and 0)."""

    def __init__(self, text: str, message: str = "", file: str = "", line: int = 0, column: int = 0):
        super().__init__(text)
        self.message, self.file, self.line, self.column = message or text, file, line, column


class ModelError(Error):
    """The model is not valid, or cannot be assembled."""


class UsageError(Error, ValueError):
    """An argument is not valid."""


class FileError(Error, OSError):
    """A file could not be read or written."""


class RunError(Error):
    """The simulation could not go on."""


class Interrupted(Error):
    """The simulation was interrupted."""


_KINDS = {
    lib.CAROM_ERROR_MODEL: ModelError,
    lib.CAROM_ERROR_ASSEMBLY: ModelError,
    lib.CAROM_ERROR_USAGE: UsageError,
    lib.CAROM_ERROR_MEMORY: MemoryError,
    lib.CAROM_ERROR_FILE: FileError,
    lib.CAROM_INTERRUPTED: Interrupted,
}


def text_of(chars) -> str:
    """The text of a C string; empty for null."""
    return ffi.string(chars).decode("utf-8", "replace") if chars else ""


def exception_of(error) -> Exception:
    """The exception that a carom_error stands for."""
    kind = _KINDS.get(error.status, RunError)
    text = text_of(error.text) or text_of(error.message) or text_of(lib.carom_status_text(error.status))
    if not issubclass(kind, Error):
        return kind(text)
    return kind(text, text_of(error.message), text_of(error.file), error.line, error.column)


def check(status: int, error) -> None:
    """Raises the exception of a failed call."""
    if status == lib.CAROM_OK:
        return
    error.status = status
    raise exception_of(error)
