"""Runs of models, and the records that they leave."""

from __future__ import annotations

import html
import json
import os
import tempfile
from typing import Any, Callable, Dict, Iterator, Mapping, Optional, Union

import numpy

from ._c import ffi, lib
from .errors import Error, check, exception_of, text_of
from .sim import Raised, _hint, _note_in_handle, bind, summary_of

Path = Union[str, os.PathLike]


class Column(numpy.ndarray):
    """The values of a column, with its `unit` ("" if it has none) and `sampling`: values at their times ("instant"), or
    means over the steps that the times are in ("mean")."""

    unit: str
    sampling: str

    def __new__(cls, values, unit: str = "", sampling: str = "instant"):
        column = numpy.asarray(values).view(cls)
        column.unit, column.sampling = unit, sampling
        return column

    def __array_finalize__(self, other) -> None:
        self.unit = getattr(other, "unit", "")
        self.sampling = getattr(other, "sampling", "instant")

    def __array_wrap__(self, array, context=None, *rest):  # the result of a calculation has no unit that we know
        return array[()] if array.shape == () else numpy.asarray(array)


class Table:
    """A table of a record: `table["t"]` is a column, `len(table)` the number of its rows. Tables of impacts, episodes
    and touches also have the names of their pairs and points, as lists of texts `pairs` and `points`. Columns of sweeps
    and diagrams may stand for words, such as the kind of a change: `table.words["kind"]` are these, row by row."""

    def __init__(self, name: str, columns: Mapping[str, Column], pairs: Optional[list], points: Optional[list],
                 words: Mapping[str, list]):
        self.name, self._columns, self.pairs, self.points = name, dict(columns), pairs, points
        self.words = dict(words)

    def __getitem__(self, column: str) -> Column:
        if column not in self._columns:
            raise KeyError(f"table '{self.name}' has no column '{column}'{_hint(column, self._columns)}")
        return self._columns[column]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()))) if self._columns else 0

    def __repr__(self) -> str:
        return f"<carom.Table {self.name!r}, {len(self)} rows: {', '.join(self._columns)}>"

    @property
    def columns(self) -> list:
        return list(self._columns)

    @property
    def units(self) -> dict:
        return {name: column.unit for name, column in self._columns.items()}

    def frame(self):
        """The table as a data frame of pandas, with words where columns stand for them."""
        import pandas
        named = {"pair": self.pairs, "point": self.points}
        return pandas.DataFrame({**{name: self.words.get(name, numpy.asarray(c)) for name, c in self._columns.items()},
                                 **{name: texts for name, texts in named.items() if texts and name not in self._columns}})


class Report:
    """A page that shows a run. A notebook shows it in place."""

    def __init__(self, path: str, page: Optional[str] = None):
        self.path, self._page = path, page

    def __repr__(self) -> str:
        return f"<carom.Report {self.path}>" if self.path else "<carom.Report>"

    def _repr_html_(self) -> str:
        if self._page is None:
            with open(self.path, encoding="utf-8") as file:
                self._page = file.read()
        return (f'<iframe srcdoc="{html.escape(self._page)}" sandbox="allow-scripts" '
                'style="width: 100%; height: 720px; border: 0"></iframe>')


class Run:
    """A record. `run["crank.q"]` is a column with one value for each recorded time, `run.t` are these times,
    `run.table("impacts")` is a table with rows of its own, `run.summary` what the run printed at its end.

    >>> import carom
    >>> run = carom.load("models/pendulum.yaml").run(end=1)
    >>> run["hinge.q"].unit, len(run["hinge.q"]) == len(run.t)
    ('rad', True)
    >>> run.summary["status"], run.summary["t"]
    ('done', 1)
    """

    def __init__(self, path: Path, _folder: Optional[tempfile.TemporaryDirectory] = None):
        self.path, self._folder = os.fspath(path), _folder
        error = ffi.new("carom_error *")
        c = lib.carom_record_open(self.path.encode(), error)
        if c == ffi.NULL:
            raise exception_of(error)
        self._c = ffi.gc(c, lib.carom_record_close)
        self._read: dict = {}
        self._tables, self._places = {}, {}
        for i in self._numbers():
            table = lib.carom_record_get_table(self._c, i)
            name = text_of(table.name)
            self._tables[name] = i
            if table.by_time:
                for k in range(table.columns):
                    self._places.setdefault(text_of(lib.carom_record_get_column(self._c, i, k).name), (name, k))

    def _numbers(self) -> Iterator[int]:
        i = 0
        while lib.carom_record_get_table(self._c, i).name != ffi.NULL:
            yield i
            i += 1

    def _rows(self, name: str) -> numpy.ndarray:
        """All rows of a table, read once."""
        if name not in self._read:
            i = self._tables[name]
            table = lib.carom_record_get_table(self._c, i)
            rows = numpy.empty((max(table.rows, 0), table.columns))
            error = ffi.new("carom_error *")
            memory = ffi.from_buffer("double[]", rows) if rows.size else ffi.NULL
            check(lib.carom_record_read(self._c, i, 0, len(rows), memory, error), error)
            rows.flags.writeable = False
            self._read[name] = rows
        return self._read[name]

    def _column(self, table: str, k: int) -> Column:
        about = lib.carom_record_get_column(self._c, self._tables[table], k)
        return Column(self._rows(table)[:, k], text_of(about.unit), text_of(about.sampling))

    def __repr__(self) -> str:
        return f"<carom.Run {self.title!r}, {len(self.t)} rows, {len(self._places)} columns>"

    def __getitem__(self, column: str) -> Column:
        if column not in self._places:
            raise KeyError(f"the record has no column '{column}'{_hint(column, self._places)}")
        return self._column(*self._places[column])

    def __contains__(self, column: str) -> bool:
        return column in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    @property
    def t(self) -> Column:
        """The recorded times in seconds."""
        return self["t"]

    @property
    def title(self) -> str:
        return text_of(lib.carom_record_text(self._c, b"title"))

    @property
    def tables(self) -> list:
        """The names of all tables."""
        return list(self._tables)

    @property
    def columns(self) -> list:
        """The names of the columns with one value for each recorded time."""
        return list(self._places)

    @property
    def units(self) -> dict:
        """The columns with one value for each recorded time, and their units."""
        return {name: self[name].unit for name in self._places}

    @property
    def summary(self) -> Optional[dict]:
        """What the run said at its end, as `--json` gives it. None while the run is still going, or if it was killed."""
        try:
            return json.loads(text_of(lib.carom_record_text(self._c, b"summary")))
        except ValueError:
            return None

    @property
    def messages(self) -> Dict[int, str]:
        """Of a sweep or a diagram: the messages of the rows that failed, by their numbers."""
        text = text_of(lib.carom_record_text(self._c, b"messages"))
        return {int(row): message for row, message in json.loads(text or "{}").items()}

    def _words(self, table: str, k: int) -> Optional[list]:
        """The words of a column, row by row; None if it holds numbers."""
        i, values = self._tables[table], self._rows(table)[:, k]
        word = {v: lib.carom_record_word(self._c, i, k, v) for v in numpy.unique(values).tolist()}
        if not word or ffi.NULL in word.values():
            return None
        texts = {v: text_of(c) for v, c in word.items()}
        return [texts.get(v, "") for v in values.tolist()]

    def table(self, name: str) -> Table:
        """A table of the record: impacts, episodes, touches, or one of those by time."""
        if name not in self._tables:
            raise KeyError(f"the record has no table '{name}'{_hint(name, self._tables)}")
        i, rows = self._tables[name], self._rows(name)
        columns = {text_of(lib.carom_record_get_column(self._c, i, k).name): self._column(name, k)
                   for k in range(rows.shape[1])}
        words = {column: texts for k, column in enumerate(columns) if (texts := self._words(name, k)) is not None}
        points = [lib.carom_record_get_point(self._c, i, ffi.from_buffer("double[]", row)) for row in rows[:1]]
        if not points or points[0].pair == ffi.NULL:
            return Table(name, columns, None, None, words)
        pairs, names = [], []
        for row in rows:
            point = lib.carom_record_get_point(self._c, i, ffi.from_buffer("double[]", row))
            pairs.append(text_of(point.pair))
            names.append(text_of(point.point))
        return Table(name, columns, pairs, names, words)

    def frame(self):
        """All columns by time as a data frame of pandas."""
        import pandas
        return pandas.DataFrame({name: numpy.asarray(self[name]) for name in self._places}).set_index("t")

    def report(self, path: Optional[Path] = None, *, force: bool = False) -> Report:
        """Writes the page that shows this run. Without a path it is kept in memory, for a notebook."""
        if path is not None:
            self._write_report(os.fspath(path), force)
            return Report(os.fspath(path))
        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "report.html")
            self._write_report(page, False)
            with open(page, encoding="utf-8") as file:
                return Report("", file.read())

    def export(self, path: Path, form: str, *, force: bool = False) -> None:
        """Writes this run in another form: "csv", "mat", "gltf" or "vtk"."""
        error, options = ffi.new("carom_error *"), ffi.new("carom_export_options *")
        options.force = force
        check(lib.carom_export(self.path.encode(), form.encode(), os.fspath(path).encode(), options, error), error)

    def _write_report(self, path: str, force: bool) -> None:
        name, error = ffi.new("char[]", self.path.encode()), ffi.new("carom_error *")
        options = ffi.new("carom_report_page *")
        options.force = force
        check(lib.carom_report(ffi.new("char *[]", [name]), 1, options, path.encode(), error), error)


def open_record(path: Path) -> Run:
    """Opens the record of an earlier run."""
    return Run(path)


class _RunCalls:
    """What C calls during a run."""

    def __init__(self, model, functions: Mapping[str, Callable], progress: Optional[Callable]):
        self.model, self.functions, self.progress = model, functions, progress
        self.raised, self.bound, self.warnings = Raised(), {}, []
        self.handle = ffi.new_handle(self)


@ffi.def_extern(error=lib.CAROM_ERROR_USER, onerror=_note_in_handle)
def carom_py_prepare(context, sim, error):
    calls = ffi.from_handle(context)
    for name, function in calls.functions.items():
        bind(sim, calls.model, name, function, calls.raised, calls.bound)
    return lib.CAROM_OK


@ffi.def_extern(error=False, onerror=_note_in_handle)
def carom_py_progress(context, progress):
    calls = ffi.from_handle(context)
    return calls.progress is None or calls.progress(progress.t, progress.t_end) is not False


@ffi.def_extern(onerror=_note_in_handle)
def carom_py_warn(context, sentence):
    ffi.from_handle(context).warnings.append(text_of(sentence))


def run_model(model, end: float, record: Optional[Path], functions: Mapping[str, Callable], threads: int,
              csv: Optional[Path], resume: Optional[Path], force: bool, progress: Optional[Callable]) -> Run:
    folder = tempfile.TemporaryDirectory(prefix="carom-") if record is None else None
    path = os.path.join(folder.name, "run.h5") if folder else os.fspath(record)
    calls = _RunCalls(model, functions, progress)
    options, kept = ffi.new("carom_run_options *"), []

    def text(value: Optional[Path]):
        kept.append(ffi.NULL if value is None else ffi.new("char[]", os.fspath(value).encode()))
        return kept[-1]

    options.record, options.csv, options.resume = text(path), text(csv), text(resume)
    options.force, options.end, options.threads = force, end, threads
    options.prepare, options.progress, options.warn = lib.carom_py_prepare, lib.carom_py_progress, lib.carom_py_warn
    options.context = calls.handle
    summary, error = ffi.new("carom_summary *"), ffi.new("carom_error *")
    status = lib.carom_run(model._c, options, summary, error)
    try:
        calls.raised.again()
        check(status, error)
    except BaseException as failure:
        try:
            failure.run = Run(path, folder)  # what was computed
        except Error:
            pass  # there is no record
        raise
    run = Run(path, folder)
    run.warnings = calls.warnings
    return run
