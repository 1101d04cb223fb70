"""Contact-impact dynamics of multibody systems.

>>> import carom
>>> model = carom.load("models/slider-crank.yaml")
>>> run = model.run(end=0.02)
>>> run["crank.q"].unit
'rad'
>>> len(run.table("impacts")) > 0
True
"""

from ._c import ffi as _ffi, lib as _lib
from .errors import Error, FileError, Interrupted, ModelError, RunError, UsageError
from .fit import Channel, Fit, Parameter, identify, optimise
from .model import Model, load
from .run import Column, Report, Run, Table, open_record as open
from .sim import Batch, Sim, Snapshot
from .study import Equilibrium, Mode, Modes, bifurcation

__version__ = _ffi.string(_lib.carom_version()).decode()
__all__ = ["Batch", "Channel", "Column", "Equilibrium", "Error", "FileError", "Fit", "Interrupted", "Mode", "Model",
           "ModelError", "Modes", "Parameter", "Report", "Run", "RunError", "Sim", "Snapshot", "Table", "UsageError",
           "bifurcation", "identify", "load", "open", "optimise"]
