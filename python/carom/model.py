"""Models: read, described, run."""

from __future__ import annotations

import json
import os
from typing import Any, Callable, Mapping, Optional, Union

import numpy

from ._c import ffi, lib
from .errors import check, exception_of, text_of

Setting = Union[str, int, float, bool]


def _setting_text(value: Any) -> str:
    """A value as it stands in a model file."""
    if isinstance(value, str):
        return value
    return json.dumps(_plain(value))


def _plain(value: Any) -> Any:
    """Numbers and arrays of NumPy as those of Python, all else as it is."""
    if isinstance(value, numpy.generic):
        return value.item()
    if isinstance(value, numpy.ndarray):
        return value.tolist()
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    return value


def _settings(given: Mapping[str, Setting]) -> tuple:
    """An array of carom_setting, and the texts that it points to."""
    texts = [(ffi.new("char[]", k.encode()), ffi.new("char[]", _setting_text(v).encode())) for k, v in given.items()]
    array = ffi.new("carom_setting[]", len(texts) or 1)
    for item, (name, value) in zip(array, texts):
        item.name, item.value = name, value
    return array, len(given), texts


class Model:
    """A compiled model, which does not change any more.

    `Model(definition)` takes what a model file holds, as dictionaries and lists; `carom.load` reads a file. Settings are
    those of `--set`: parameters, or paths of keys.

    >>> ball = {"space": "planar", "bodies": {"ball": {"mass": 1, "inertia": 0.4}},
    ...         "joints": {"free": {"free": ["ground", "ball"]}}, "method": "smooth", "end": 1}
    >>> model = Model(ball, {"end": 0.5})
    >>> model.info["end"]
    0.5
    """

    def __init__(self, definition: Union[Mapping, str], settings: Optional[Mapping[str, Setting]] = None, *,
                 name: str = "model", **parameters: Setting):
        text = definition if isinstance(definition, str) else json.dumps(_plain(definition), indent=1)
        array, count, _texts = _settings({**(settings or {}), **parameters})
        error = ffi.new("carom_error *")
        self._take(lib.carom_model_parse_with(text.encode(), name.encode(), array, count, error), error)

    @classmethod
    def _from_file(cls, path: str, settings: Mapping[str, Setting]) -> "Model":
        array, count, _texts = _settings(settings)
        error = ffi.new("carom_error *")
        model = cls.__new__(cls)
        model._take(lib.carom_model_load(path.encode(), array, count, error), error)
        return model

    def _take(self, c, error) -> None:
        if c == ffi.NULL:
            raise exception_of(error)
        self._c = ffi.gc(c, lib.carom_model_destroy)
        self._info: Optional[dict] = None

    def __repr__(self) -> str:
        return f"<carom.Model {self.title!r}, method {self.method}>"

    @property
    def title(self) -> str:
        return text_of(lib.carom_model_get_info(self._c).title)

    @property
    def method(self) -> str:
        return text_of(lib.carom_model_get_info(self._c).method)

    @property
    def end(self) -> float:
        """The end of a run, in seconds."""
        return lib.carom_model_get_info(self._c).end

    @property
    def info(self) -> dict:
        """What `carom check --json` tells of the model."""
        if self._info is None:
            size = lib.carom_model_json(self._c, True, ffi.NULL, 0) + 1
            text = ffi.new("char[]", size)
            lib.carom_model_json(self._c, True, text, size)
            self._info = json.loads(ffi.string(text).decode())
        return self._info

    @property
    def signals(self) -> dict:
        """Names of all signals, with their units."""
        return {text_of(lib.carom_model_signal_name(self._c, i)): text_of(lib.carom_model_signal_unit(self._c, i))
                for i in range(lib.carom_model_signal_count(self._c))}

    @property
    def joints(self) -> dict:
        """Names of all joints, with the numbers of their coordinates and speeds."""
        count = lib.carom_model_get_info(self._c).joints
        return {text_of(lib.carom_model_joint_name(self._c, i)): (lib.carom_model_joint_coordinates(self._c, i),
                                                                  lib.carom_model_joint_speeds(self._c, i))
                for i in range(count)}

    @property
    def notes(self) -> list:
        """Sentences on keys without effect and unusual values."""
        found, i = [], 0
        while lib.carom_model_note(self._c, i) != ffi.NULL:
            found.append(text_of(lib.carom_model_note(self._c, i)))
            i += 1
        return found

    def sim(self) -> "Sim":
        """A simulation at the start of the model, to be stepped."""
        from .sim import Sim
        return Sim(self)

    def run(self, end: float = 0, record: Union[str, os.PathLike, None] = None, *,
            bind: Optional[Mapping[str, Callable]] = None, threads: int = 1, csv: Union[str, os.PathLike, None] = None,
            resume: Union[str, os.PathLike, None] = None, force: bool = False,
            progress: Optional[Callable[[float, float], Any]] = None) -> "Run":
        """Runs the model to `end` seconds, by default to the end that it names, and returns the record of the run.

        `record` names its file; without one the file is removed with the result. `bind` gives functions to callbacks of
        the model (`Sim.bind`). `resume` continues an earlier record. `progress(t, end)` is called about ten times a
        second; if it returns False, the run ends there. A run that fails raises an exception whose `run` is the record
        of what was computed.
        """
        from .run import run_model
        return run_model(self, end, record, bind or {}, threads, csv, resume, force, progress)

    def batch(self, count: int, end: float, before: Optional[Callable] = None, after: Optional[Callable] = None, *,
              threads: int = 1) -> list:
        """Runs `count` simulations to `end` seconds, several at a time.

        `before(index, sim)` varies the start, `after(index, sim)` reads results; its value is kept. Returns a
        `carom.Batch` for each. Steps are taken without the interpreter's lock. Ctrl-C ends the batch.
        """
        from .sim import run_batch
        return run_batch(self, count, end, before, after, threads)


def load(path: Union[str, os.PathLike], settings: Optional[Mapping[str, Setting]] = None, **parameters: Setting) -> Model:
    """Reads a model file. Settings are those of `--set`; those whose names are Python names can be given by keyword.

    >>> load("models/pendulum.yaml", {"integrator.rtol": 1e-8}, L="0.5 m").title
    'Pendulum released from the horizontal'
    """
    return Model._from_file(os.fspath(path), {**(settings or {}), **parameters})
