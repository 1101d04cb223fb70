"""Simulations that a program steps itself, functions for callbacks, and batches."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import Any, Callable, List, Mapping, Optional, Sequence, Union

import numpy

from ._c import ffi, lib
from .calls import Raised, _note_in_handle
from .errors import Error, check, exception_of, text_of
from .model import Model
from .study import Equilibrium, Modes, find_equilibrium, find_modes

_ORDER = "<" if sys.byteorder == "little" else ">"
FAR = 1e9  # later than any step goes: the time to stop at if none is given [s]


class _Bound:
    """A Python function behind a callback of the model."""

    def __init__(self, function: Callable, inputs: int, outputs: int, raised: Raised):
        self.function, self.inputs, self.outputs, self.raised = function, inputs, outputs, raised
        self.handle = ffi.new_handle(self)

    def error(self, kind, exception, trace) -> None:
        self.raised.note(kind, exception, trace)


@ffi.def_extern(error=False, onerror=_note_in_handle)
def carom_py_call(context, t, inputs, outputs):
    bound = ffi.from_handle(context)
    result = bound.function(t, *ffi.unpack(inputs, bound.inputs)) if bound.inputs else bound.function(t)
    if bound.outputs == 1 and type(result) is float:
        outputs[0] = result
        return True
    values = numpy.atleast_1d(result)
    if len(values) != bound.outputs:
        raise ValueError(f"the function returns {len(values)} numbers, the callback has {bound.outputs} outputs")
    outputs[0:bound.outputs] = [float(v) for v in values]
    return True


@ffi.def_extern(onerror=_note_in_handle)
def carom_py_save(context, memory):
    bound = ffi.from_handle(context)
    values = [float(v) for v in bound.function.save()]
    if len(values) != bound.count:
        raise ValueError(f"save() gives {len(values)} numbers now, and gave {bound.count} when the function was bound")
    memory[0:bound.count] = values


@ffi.def_extern(onerror=_note_in_handle)
def carom_py_restore(context, memory):
    bound = ffi.from_handle(context)
    bound.function.restore(ffi.unpack(memory, bound.count))


@ffi.def_extern(error=False, onerror=_note_in_handle)
def carom_py_go_on(context):
    ffi.from_handle(context)  # Python looks at its signals here: Ctrl-C raises an exception
    return True


def bind(sim, model: Model, name: str, function: Callable, raised: Raised, keep: dict) -> None:
    """Binds a function to a callback of a sim of C."""
    inputs, outputs = (f(model._c, name.encode()) for f in
                       (lib.carom_model_callback_inputs, lib.carom_model_callback_outputs))
    bound = _Bound(function, max(inputs, 0), max(outputs, 0), raised)
    c = ffi.new("carom_callback *")
    c.call, c.context = lib.carom_py_call, bound.handle
    if hasattr(function, "save") and hasattr(function, "restore"):
        bound.count = c.memory_count = len(list(function.save()))
        c.save, c.restore = lib.carom_py_save, lib.carom_py_restore
    else:
        c.remembers = bool(getattr(function, "remembers", False))
    error = ffi.new("carom_error *")
    status = lib.carom_sim_bind(sim, name.encode(), c, error)
    raised.again()
    check(status, error)
    keep[name] = bound


class Snapshot:
    """The whole state of a simulation at one time. `exact` tells whether it goes on bit by bit from there; otherwise
    its integrator starts again, which changes results by about its tolerance."""

    def __init__(self, c, t: float, exact: bool):
        self._c, self.t, self.exact = c, t, exact

    def __repr__(self) -> str:
        return f"<carom.Snapshot at {self.t} s>"


class Sim:
    """A simulation. `q` and `u`, the coordinates and speeds of its state, are read-only views of its memory.

    >>> import carom
    >>> sim = carom.load("models/pendulum.yaml").sim()
    >>> sim.advance(0.5)
    >>> round(sim["hinge.q"], 6) == round(sim.q[0], 6)
    True
    """

    def __init__(self, model: Model, _c=None):
        self.model = model
        self._error = ffi.new("carom_error *")
        if _c is None:
            c = lib.carom_sim_create(model._c, self._error)
            if c == ffi.NULL:
                raise exception_of(self._error)
            _c = ffi.gc(c, lib.carom_sim_destroy)
            self._lent = False
        else:
            self._lent = True  # the sim of a batch, which ends with it
        self._c = _c
        self._raised, self._bound = Raised(), {}
        self.raised = self._raised  # where functions that C calls leave their exceptions
        self._handle = ffi.new_handle(self)
        self._numbers: dict = {}
        info = lib.carom_model_get_info(model._c)
        self._q = self._view(lib.carom_sim_coordinates(_c), info.coordinates_count)
        self._u = self._view(lib.carom_sim_speeds(_c), info.speeds)
        if not self._lent:  # a batch has set its own
            lib.carom_sim_set_interrupt(_c, lib.carom_py_go_on, self._handle)

    def _view(self, numbers, count: int) -> numpy.ndarray:
        return numpy.asarray(_Owned(numbers, count, self._c)) if count else numpy.empty(0)

    def __repr__(self) -> str:
        return f"<carom.Sim of {self.model.title!r} at {self.t} s>"

    @property
    def q(self) -> numpy.ndarray:
        """The coordinates of the state: a view, in a batch a copy."""
        return self._q.copy() if self._lent else self._q

    @property
    def u(self) -> numpy.ndarray:
        """The speeds of the state: a view, in a batch a copy."""
        return self._u.copy() if self._lent else self._u

    @property
    def t(self) -> float:
        """The current time in seconds."""
        return lib.carom_sim_time(self._c)

    def _fail(self, status: int) -> None:
        self._raised.again()
        check(status, self._error)

    def step(self, until: float = FAR) -> None:
        """Takes one step of the method, at most to the time `until`."""
        status = lib.carom_sim_step(self._c, until, self._error)
        if status:
            self._fail(status)

    def advance(self, until: float) -> None:
        """Takes steps until the time `until`."""
        status = lib.carom_sim_advance(self._c, until, self._error)
        if status:
            self._fail(status)

    def _number(self, signal: str) -> int:
        number = lib.carom_model_signal(self.model._c, signal.encode())
        if number < 0:
            raise KeyError(f"there is no signal '{signal}'{_hint(signal, self.model.signals)}")
        return number

    def __getitem__(self, signal: str) -> float:
        """The value of a signal at the current time."""
        number = self._numbers.get(signal)
        if number is None:
            number = self._numbers[signal] = self._number(signal)
        return lib.carom_sim_read(self._c, number)

    @property
    def accelerations(self) -> Optional[numpy.ndarray]:
        """Those of the current state; None if they do not exist."""
        found = lib.carom_sim_accelerations(self._c)
        return None if found == ffi.NULL else numpy.array(ffi.unpack(found, len(self._u)))

    def set(self, joint: str, q: Union[float, Sequence[float], None] = None,
            u: Union[float, Sequence[float], None] = None) -> None:
        """Sets coordinates and speeds of a joint at the current time, and closes loops again."""
        sizes = self.model.joints.get(joint, (None, None))
        values = [_numbers(v, size, joint, what) for v, size, what in zip((q, u), sizes, ("coordinates", "speeds"))]
        self._fail(lib.carom_sim_set_joint(self._c, joint.encode(), *values, self._error))

    def set_state(self, state: str, value: float) -> None:
        """Sets a state of the model (section `states`) at the current time."""
        self._fail(lib.carom_sim_set_state(self._c, state.encode(), value, self._error))

    def bind(self, callback: str, function: Callable) -> None:
        """Binds a function to a callback that the model names.

        It is called as `function(t, *inputs)` and returns the outputs: a number, or several. An object that remembers
        something between calls has methods `save()`, which returns numbers, and `restore(numbers)`; or an attribute
        `remembers`, and then the simulation can be neither saved nor restored.
        """
        bind(self._c, self.model, callback, function, self._raised, self._bound)

    def save(self) -> Snapshot:
        """Keeps the whole state."""
        c = lib.carom_sim_save(self._c, self._error)
        self._raised.again()
        if c == ffi.NULL:
            raise exception_of(self._error)
        return Snapshot(ffi.gc(c, lib.carom_snapshot_destroy), self.t, lib.carom_sim_resumes_exactly(self._c))

    def restore(self, snapshot: Snapshot) -> None:
        """Puts a state back that this simulation, or another one of the same model, has saved."""
        self._fail(lib.carom_sim_restore(self._c, snapshot._c, self._error))

    def reset(self) -> None:
        """Goes back to the start of the model."""
        self._fail(lib.carom_sim_reset(self._c, self._error))

    def equilibrium(self) -> Equilibrium:
        """Moves the simulation to an equilibrium, at rest: where a strongly damped motion from here ends.

        >>> import carom
        >>> sim = carom.load("models/pendulum.yaml").sim()
        >>> sim.equilibrium().unstable
        0
        >>> abs(sim["hinge.u"]) == 0
        True
        """
        return find_equilibrium(self)

    def modes(self, *, at_rest: bool = False) -> Modes:
        """The modes of small vibrations about this state, with its speeds, or about this position at rest.

        >>> import carom
        >>> sim = carom.load("models/double-pendulum.yaml").sim()
        >>> _ = sim.equilibrium()
        >>> [round(mode.omega, 4) for mode in sim.modes()]
        [3.7979, 9.8641]
        """
        return find_modes(self, at_rest)

    def record(self, path: Union[str, os.PathLike], *, force: bool = False) -> None:
        """Writes each step from now on to a file, until `end_record`."""
        options, name = ffi.new("carom_record_options *"), ffi.new("char[]", os.fspath(path).encode())
        options.record, options.force = name, force
        self._fail(lib.carom_sim_record(self._c, options, self._error))
        self._recorded = os.fspath(path)

    def end_record(self) -> "Run":
        """Closes the file of `record`, and returns what is in it."""
        from .run import open_record
        self._fail(lib.carom_sim_end_record(self._c, ffi.NULL, self._error))
        return open_record(self._recorded)

    @property
    def summary(self) -> dict:
        """What a run prints at its end, as `--json` gives it."""
        return summary_of(ffi.new("carom_summary *", lib.carom_sim_summary(self._c)))


class _Owned:
    """Numbers that only C writes, as NumPy sees them. Keeps the owner of their memory alive."""

    def __init__(self, numbers, count: int, owner):
        self._owner = owner
        at = int(ffi.cast("uintptr_t", numbers))
        self.__array_interface__ = {"shape": (count,), "typestr": _ORDER + "f8", "version": 3,
                                    "data": (at, True)}


def _numbers(value, size: Optional[int], joint: str, what: str):
    if value is None:
        return ffi.NULL
    values = numpy.atleast_1d(numpy.asarray(value, dtype=float))
    if size is not None and values.shape != (size,):
        raise ValueError(f"joint '{joint}' has {size} {what}, not {values.size}")
    return ffi.new("double[]", values.tolist())


def _hint(word: str, candidates: Mapping) -> str:
    names = [ffi.new("char[]", c.encode()) for c in candidates]
    near = lib.carom_nearest_word(word.encode(), ffi.new("char *[]", names), len(names))
    return f"; did you mean '{text_of(near)}'?" if near != ffi.NULL else ""


def summary_of(summary) -> dict:
    import json
    size = lib.carom_summary_json(summary, ffi.NULL, 0) + 1
    text = ffi.new("char[]", size)
    lib.carom_summary_json(summary, text, size)
    return json.loads(ffi.string(text).decode())


@dataclass
class Batch:
    """How one simulation of a batch ended: what `after` returned, its summary, and its error or None."""

    value: Any
    summary: dict
    error: Optional[Error]


class _BatchCalls:
    def __init__(self, model: Model, before: Optional[Callable], after: Optional[Callable], count: int):
        self.model, self.before, self.after = model, before, after
        self.values: List[Any] = [None] * count
        self.sims: List[Optional[Sim]] = [None] * count  # as long as C calls their functions
        self.raised = Raised()
        self.handle = ffi.new_handle(self)

    def sim(self, index: int, c) -> Sim:
        if self.sims[index] is None:
            self.sims[index] = Sim(self.model, c)
        return self.sims[index]


@ffi.def_extern(onerror=_note_in_handle)
def carom_py_before(context, index, sim):
    calls = ffi.from_handle(context)
    calls.before(index, calls.sim(index, sim))


@ffi.def_extern(onerror=_note_in_handle)
def carom_py_after(context, index, sim):
    calls = ffi.from_handle(context)
    lent = calls.sim(index, sim)
    calls.values[index] = calls.after(index, lent)
    lent._c = lent._q = lent._u = None  # C destroys it now


def run_batch(model: Model, count: int, end: float, before: Optional[Callable], after: Optional[Callable],
              threads: int) -> List[Batch]:
    calls = _BatchCalls(model, before, after, count)
    errors, summaries = ffi.new("carom_error[]", count or 1), ffi.new("carom_summary[]", count or 1)
    batch = ffi.new("carom_batch *")
    batch.count, batch.threads, batch.t_end, batch.context, batch.errors = count, threads, end, calls.handle, errors
    if before:
        batch.before = lib.carom_py_before
    if after:
        batch.after = lib.carom_py_after
    batch.go_on = lib.carom_py_go_on
    error = ffi.new("carom_error *")
    status = lib.carom_batch_run(model._c, batch, summaries, error)
    calls.raised.again()
    check(status, error)
    return [Batch(calls.values[i], summary_of(ffi.addressof(summaries, i)),
                  exception_of(errors[i]) if summaries[i].status != lib.CAROM_OK else None) for i in range(count)]
