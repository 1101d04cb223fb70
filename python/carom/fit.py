"""Fits: parameters of a model from measured traces, and values at which a goal is smallest or largest."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy

from ._c import ffi, lib
from .calls import StudyCalls
from .errors import check, exception_of, text_of
from .model import Setting, _settings

Path = Union[str, os.PathLike]
Range = Union[str, Sequence[Any]]  # "0.3:0.9", "1e6 N/m:1e9 N/m:log", (0.3, 0.9) or (1e6, 1e9, "log")


@dataclass(frozen=True)
class Parameter:
    """A fitted parameter. `low` and `high` are its 95 % interval; `bound` is "inside", or "low" or "high" if it is at this
    end of its range, where the interval is one-sided. Not `determined`: the data cannot tell it. `least` and `most` are
    its range. The standard error of a `log` parameter is that of its logarithm. Optima have no intervals (NaN)."""

    name: str
    unit: str
    value: float
    low: float
    high: float
    standard_error: float
    least: float
    most: float
    log: bool
    bound: str
    determined: bool


@dataclass(frozen=True)
class Channel:
    """A column of a data file with its signal: measured and fitted values at the times of the file, in SI units. `rms` is
    that of their differences, `scale` the range of the column."""

    file: str
    column: str
    signal: str
    unit: str
    hold_out: bool
    weight: float
    offset: float
    missing: int
    unused: int
    scale: float
    rms: float
    t: numpy.ndarray
    measured: numpy.ndarray
    fitted: numpy.ndarray

    @property
    def residuals(self) -> numpy.ndarray:
        return self.measured - self.fitted


class Fit:
    """The result of `carom.identify` or `carom.optimise`. `fit["e"]` is a parameter with its interval, `fit.values` are all
    values; `fit.correlation` is a matrix in the order of `fit.parameters`. `fit.inseparable` names parameters that the
    data cannot tell apart, `fit.warnings` what else there is to know. `fit.settings` are the values for `carom.load`."""

    def __init__(self, c):
        self._c = c
        size = lib.carom_fit_json(c, ffi.NULL, 0) + 1
        text = ffi.new("char[]", size)
        lib.carom_fit_json(c, text, size)
        about = json.loads(text_of(text))
        number = lambda x: float("nan") if x is None else x
        self.parameters: Dict[str, Parameter] = {
            p["name"]: Parameter(p["name"], p["unit"], p["value"], number(p["low"]), number(p["high"]),
                                 number(p["standard_error"]), p["least"], p["most"], p["log"], p["bound"], p["determined"])
            for p in about["parameters"]}
        self.correlation = numpy.array([[number(x) for x in row] for row in about["correlation"]])
        self.channels: List[Channel] = [_channel(c, i, channel, number) for i, channel in enumerate(about["channels"])]
        self.inseparable: List[str] = about["inseparable"]
        self.warnings: List[str] = about["warnings"]
        self.runs, self.failed = about["runs"], about["failed"]
        self.searches, self.agreeing = about["searches"], about["agreeing"]
        self.set_line, self.command = about["set_line"], about["command"]
        self.rms, self.hold_out_rms = number(about.get("rms")), number(about.get("hold_out_rms"))
        self.goal, self.goal_name = number(about.get("goal")), about.get("goal_name", "")
        self.settings: Dict[str, str] = {}

    @property
    def values(self) -> Dict[str, float]:
        return {name: p.value for name, p in self.parameters.items()}

    def __getitem__(self, name: str) -> Parameter:
        return self.parameters[name]

    def __repr__(self) -> str:
        return f"<carom.Fit {', '.join(f'{name} = {p.value:.7g} {p.unit}'.rstrip() for name, p in self.parameters.items())}>"

    def record(self, path: Path, *, force: bool = False):
        """Writes the result as a record, and returns it: `fit.record("fit.h5").report("fit.html")`."""
        from .run import open_record
        error = ffi.new("carom_error *")
        check(lib.carom_fit_record(self._c, os.fspath(path).encode(), force, error), error)
        return open_record(path)

    def write_model(self, path: Path, *, force: bool = False) -> None:
        """Writes the model file with the fitted values and the settings of the fit."""
        error = ffi.new("carom_error *")
        check(lib.carom_fit_write_model(self._c, os.fspath(path).encode(), force, error), error)


def _channel(c, index: int, about: dict, number: Callable) -> Channel:
    samples = numpy.empty((about["samples"], 3))
    at = ffi.new("double[3]")
    for i in range(len(samples)):
        lib.carom_fit_get_sample(c, index, i, at, at + 1, at + 2)
        samples[i] = at[0], at[1], at[2]
    return Channel(about["file"], about["column"], about["signal"], about["unit"], about["hold_out"], about["weight"],
                   about["offset"], about["missing"], about["unused"], about["scale"], number(about["rms"]),
                   samples[:, 0], samples[:, 1], samples[:, 2])


def _range_text(given: Range) -> str:
    return given if isinstance(given, str) else ":".join(str(end) for end in given)


def _make(study, path: Path, fit: Mapping[str, Range], texts: Mapping[str, Optional[str]],
          settings: Optional[Mapping[str, Setting]], numbers: Mapping[str, int], progress: Optional[Callable],
          fill: Callable = lambda options: None) -> Fit:
    calls = StudyCalls(progress)
    options, error = ffi.new("carom_fit_options *"), ffi.new("carom_error *")
    kept = {name: ffi.new("char[]", text.encode())
            for name, text in {**texts, "model": os.fspath(path)}.items() if text is not None}
    for name, value in {**kept, **numbers}.items():
        setattr(options, name, value)
    set_, fitted = _settings(settings or {}), _settings({name: _range_text(given) for name, given in fit.items()})
    options.settings, options.setting_count, options.fit, options.fit_count = *set_[:2], *fitted[:2]
    options.progress, options.context = lib.carom_py_fit_progress, calls.handle
    filled = fill(options)
    c = study(options, error)
    del filled, set_, fitted  # the options point to them
    calls.raised.again()
    if c == ffi.NULL:
        raise exception_of(error)
    result = Fit(ffi.gc(c, lib.carom_fit_destroy))
    result.settings = {name: f"{result[name].value!r} {result[name].unit}".rstrip() for name in fit}
    return result


def identify(path: Path, data: Union[Path, Sequence[Union[Path, Tuple[Path, float]]]], fit: Mapping[str, Range],
             match: Mapping[str, str], *, hold_out: Sequence[Path] = (), time: Optional[str] = None,
             offset: Optional[Range] = None, loss: str = "squares", settings: Optional[Mapping[str, Setting]] = None,
             starts: int = 0, searches: int = 0, seed: int = 1, threads: int = 1,
             progress: Optional[Callable[[int, float], Any]] = None) -> Fit:
    """Fits parameters of a model file to measured traces, like `carom identify`.

    `data` is a CSV file, or a list of files or of pairs of a file and its weight; `hold_out` are files that are compared
    and not fitted. `fit` has the parameters or paths of keys with their ranges, `match` the signals with the columns that
    they are measured in. `offset` is the range of an unknown time that is added to the times of each file, `loss` is
    "squares" or "huber". `progress(runs, best)` is called about ten times a second; if it returns False, or on Ctrl-C,
    the fit ends.

    >>> fit = identify("models/bouncing-ball.yaml", "models/dropped-ball.csv", {"e": (0.3, 0.95)}, {"fall.q2": "height"},
    ...                offset="0:100 ms", settings={"method": "event", "h": "1.2 m"}, starts=16, searches=1)
    >>> fit["e"].low < 0.8 < fit["e"].high
    True
    """
    files = [data] if isinstance(data, (str, os.PathLike)) else list(data)
    weighted = [(entry if isinstance(entry, tuple) else (entry, 1.0)) + (False,) for entry in files]
    listed = weighted + [(entry, 1.0, True) for entry in hold_out]

    def fill(options):
        names = [ffi.new("char[]", os.fspath(file).encode()) for file, _, _ in listed]
        array = ffi.new("carom_fit_data[]", len(listed) or 1)
        for item, name, (_, weight, held) in zip(array, names, listed):
            item.file, item.weight, item.hold_out = name, weight, held
        options.data, options.data_count = array, len(listed)
        matched = _settings(match)
        options.match, options.match_count = matched[:2]
        return names, array, matched

    return _make(lib.carom_identify, path, fit,
                 {"time": time, "offset": None if offset is None else _range_text(offset), "loss": loss}, settings,
                 {"starts": starts, "searches": searches, "seed": seed, "threads": threads}, progress, fill)


def optimise(path: Path, goal: str, fit: Mapping[str, Range], *, settings: Optional[Mapping[str, Setting]] = None,
             starts: int = 0, searches: int = 0, seed: int = 1, threads: int = 1,
             progress: Optional[Callable[[int, float], Any]] = None) -> Fit:
    """Finds values of parameters at which a goal is smallest or largest, like `carom optimise`: "min:max(ball.y)".

    >>> best = optimise("models/pendulum.yaml", "max:last(hinge.q)", {"L": (0.3, 0.6)}, settings={"end": 1}, starts=8,
    ...                 searches=1)
    >>> best.goal_name
    'last(hinge.q)'
    """
    return _make(lib.carom_optimise, path, fit, {"goal": goal}, settings,
                 {"starts": starts, "searches": searches, "seed": seed, "threads": threads}, progress)
