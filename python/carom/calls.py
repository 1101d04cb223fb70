"""Functions of a program that C calls, and the exceptions that they raise."""

from __future__ import annotations

from typing import Callable, Optional

from ._c import ffi


class Raised:
    """Keeps the first exception that a Python function has raised inside a C call."""

    def __init__(self) -> None:
        self.exception: Optional[BaseException] = None

    def note(self, _kind, exception, _trace) -> None:
        if self.exception is None:
            self.exception = exception

    def again(self) -> None:
        exception, self.exception = self.exception, None
        if exception is not None:
            raise exception


def _note_in_handle(kind, exception, trace):
    """Called by cffi if a function below raises: the frame's `context` says whose it is."""
    ffi.from_handle(trace.tb_frame.f_locals["context"]).raised.note(kind, exception, trace)


class StudyCalls:
    """What C calls during a study: a function that is told how far it is, and may end it by returning False."""

    def __init__(self, progress: Optional[Callable]):
        self.progress, self.raised = progress, Raised()
        self.handle = ffi.new_handle(self)

    def go_on(self, *state) -> bool:
        return self.progress is None or self.progress(*state) is not False


@ffi.def_extern(error=False, onerror=_note_in_handle)
def carom_py_fit_progress(context, progress):
    return ffi.from_handle(context).go_on(progress.runs, progress.best)


@ffi.def_extern(error=False, onerror=_note_in_handle)
def carom_py_bifurcation_progress(context, progress):
    return ffi.from_handle(context).go_on(progress.done, progress.values)
