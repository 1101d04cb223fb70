"""Equilibria and modes of vibration."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Dict, List, Union

from ._c import ffi, lib
from .errors import check, exception_of, text_of


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
    """All modes about a position, by ascending natural frequency. `imbalance` is the largest acceleration there, zero in
    an equilibrium; `units` are those of the coordinates."""

    def __init__(self, sim, c):
        self._sim, self._c = sim, c
        size = lib.carom_modes_json(c, ffi.NULL, 0) + 1
        text = ffi.new("char[]", size)
        lib.carom_modes_json(c, text, size)
        about = json.loads(text_of(text))
        self.imbalance, self.units = about["imbalance"], about["units"]
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


def find_modes(sim) -> Modes:
    error = ffi.new("carom_error *")
    c = lib.carom_sim_modes(sim._c, error)
    sim._raised.again()
    if c == ffi.NULL:
        raise exception_of(error)
    return Modes(sim, ffi.gc(c, lib.carom_modes_destroy))
