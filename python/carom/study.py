"""Equilibria, modes of vibration and bifurcation diagrams."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Union

from ._c import ffi, lib
from .calls import StudyCalls
from .errors import check, exception_of, text_of
from .model import Setting, _settings


@dataclass
class Equilibrium:
    """Where a simulation was moved to, at rest. `unstable` and `neutral` count directions in which a small displacement
    grows, or meets no restoring force; with `friction` other positions are in equilibrium, too."""

    iterations: int
    freedoms: int
    unstable: int
    neutral: int
    step: float
    residual: float
    closed: int
    friction: bool


@dataclass
class Mode:
    """A mode of vibration: Re(shape exp(eigenvalue t)). `shape` has a complex number for each coordinate."""

    eigenvalue: complex
    omega: float
    frequency: float
    damping: float
    shape: Dict[str, complex]


class Modes(List[Mode]):
    """All modes about a state, by ascending natural frequency. `imbalance` is the largest acceleration there beside a
    steady motion, zero in an equilibrium; `speed` the largest speed, and `change` how much the linearised equations
    change along the motion; `units` are those of the coordinates."""

    def __init__(self, sim, c):
        self._sim, self._c = sim, c
        size = lib.carom_modes_json(c, ffi.NULL, 0) + 1
        text = ffi.new("char[]", size)
        lib.carom_modes_json(c, text, size)
        about = json.loads(text_of(text))
        self.imbalance, self.speed, self.change = about["imbalance"], about["speed"], about["change"]
        self.units = about["units"]
        super().__init__(
            Mode(complex(m["real"], m["imaginary"]), m["omega"], m["frequency"], m["damping"],
                 {name: complex(*parts) for name, parts in m["shape"].items()}) for m in about["modes"])

    def record(self, path: Union[str, os.PathLike], *, force: bool = False):
        """Writes a record in which each mode moves, and returns it: `modes.record("modes.h5").report()`."""
        from .run import open_record
        error = ffi.new("carom_error *")
        check(lib.carom_modes_record(self._c, self._sim._c, os.fspath(path).encode(), force, error), error)
        return open_record(path)


def find_equilibrium(sim) -> Equilibrium:
    result, error = ffi.new("carom_equilibrium *"), ffi.new("carom_error *")
    status = lib.carom_sim_equilibrium(sim._c, result, error)
    sim._raised.again()
    check(status, error)
    return Equilibrium(result.iterations, result.freedoms, result.unstable, result.neutral, result.step, result.residual,
                       result.closed, bool(result.friction))


def find_modes(sim, at_rest: bool) -> Modes:
    error = ffi.new("carom_error *")
    c = (lib.carom_sim_modes_at_rest if at_rest else lib.carom_sim_modes)(sim._c, error)
    sim._raised.again()
    if c == ffi.NULL:
        raise exception_of(error)
    return Modes(sim, ffi.gc(c, lib.carom_modes_destroy))


def bifurcation(path: Union[str, os.PathLike], parameter: str, values: Union[str, Sequence[Setting]],
                record: Union[str, os.PathLike, None] = None, *, period: Optional[str] = None, section: Optional[str] = None,
                take: Sequence[str] = (), cut: int = 200, points: int = 64, tolerance: float = 0, disturbance: float = 0,
                halvings: int = 6, one_way: bool = False, lyapunov: int = 0, force: bool = False,
                settings: Optional[Mapping[str, Setting]] = None, progress: Optional[Callable[[int, int], Any]] = None):
    """Follows where a model file settles as a parameter changes, like `carom bifurcation`, and returns the record with the
    tables `values`, `points` and `changes`. `values` is a range such as "24 rad/s:28 rad/s:9", or a list. A value that
    fails has a `status` other than 0. Without `record` the file is temporary and lives as long as the result.
    `progress(done, values)` is called about ten times a second; if it returns False, or on Ctrl-C, the diagram ends.

    >>> import carom
    >>> diagram = carom.bifurcation("models/impact-oscillator.yaml", "speed", "26 rad/s, 26.5 rad/s, 26.8 rad/s",
    ...                             settings={"initial.slide.q": "-5 mm"}, period="2*pi/speed", points=8, one_way=True)
    >>> diagram.table("changes").words["kind"], [int(p) for p in diagram.table("values")["period"]]
    (['flip'], [1, 1, 2])
    """
    from .run import Run
    calls = StudyCalls(progress)
    folder = None if record else tempfile.TemporaryDirectory(prefix="carom-")
    record = record or os.path.join(folder.name, "bifurcation.h5")
    listed = values if isinstance(values, str) else ", ".join(str(v) for v in values)
    array, count, _texts = _settings({**(settings or {}), parameter: listed})
    options, error = ffi.new("carom_bifurcation_options *"), ffi.new("carom_error *")
    texts = {"model": os.fspath(path), "period": period, "section": section, "take": ", ".join(take) or None,
             "record": os.fspath(record)}
    kept = {name: ffi.new("char[]", text.encode()) for name, text in texts.items() if text is not None}
    for name, text in kept.items():
        setattr(options, name, text)
    options.settings, options.setting_count, options.vary = array, count - 1, array[count - 1]
    options.cut, options.points = cut or lib.CAROM_BIFURCATION_NONE, points
    options.halvings = halvings or lib.CAROM_BIFURCATION_NONE
    options.tolerance, options.disturbance, options.lyapunov = tolerance, disturbance, lyapunov
    options.one_way, options.force = one_way, force
    options.progress, options.context = lib.carom_py_bifurcation_progress, calls.handle
    status = lib.carom_bifurcation(options, ffi.NULL, error)
    calls.raised.again()
    check(status, error)
    return Run(record, folder)
