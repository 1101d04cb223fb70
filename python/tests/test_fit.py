"""Fits and optima from Python: the numbers of the command, refusals, and what ends them."""

import json
import math
import os
import subprocess

import numpy
import pytest

import carom

SWING = """
title: Swing
space: planar
parameters: {l: 0.6 m, start: 60 deg, c: 0.05}
bodies: {bob: {mass: 1, inertia: 0, com: [0, -l]}}
joints: {pin: {revolute: [ground, bob]}}
forces: {brake: {along: pin, damping: c}}
initial: {pin: {q: start}}
record: {every: 0.05}
end: 2
"""


@pytest.fixture
def swing(tmp_path):
    """A model file and its own trace, with one sample missing."""
    (tmp_path / "swing.yaml").write_text(SWING)
    run = carom.load(tmp_path / "swing.yaml").run()
    lines = [f"{t},{'' if i == 5 else q}" for i, (t, q) in enumerate(zip(run["t"], run["pin.q"]))]
    (tmp_path / "angle.csv").write_text("t,angle\n" + "\n".join(lines) + "\n")
    return tmp_path


def identify(swing, **more):
    given = {"data": swing / "angle.csv", "fit": {"l": (0.3, 0.9), "c": (0.01, 0.2, "log")}, "match": {"pin.q": "angle"}}
    return carom.identify(swing / "swing.yaml", **{**given, **more})


def test_values_intervals_and_samples(swing):
    fit = identify(swing, settings={"start": "60 deg"}, hold_out=[swing / "angle.csv"])
    assert fit["l"].value == pytest.approx(0.6, abs=1e-6) and fit["c"].value == pytest.approx(0.05, abs=1e-6)
    assert fit["l"].low <= fit["l"].value <= fit["l"].high and fit["c"].log and fit["l"].determined
    assert fit["l"].bound == "inside" and (fit["l"].least, fit["l"].most) == (0.3, 0.9)
    assert fit.correlation.shape == (2, 2) and fit.correlation[0, 0] == pytest.approx(1)
    fitted, held = fit.channels
    assert held.hold_out and not fitted.hold_out and fitted.missing == 1 and len(fitted.t) == len(fitted.residuals)
    assert fitted.rms == pytest.approx(math.sqrt(numpy.mean(fitted.residuals**2)))
    assert fit.hold_out_rms == pytest.approx(fit.rms) and "l = 0.6" in repr(fit)


def test_the_command_finds_the_same(swing):
    fit = identify(swing, threads=2)
    tool = os.path.join(os.environ["CAROM_BUILD"], "carom")
    if not os.path.exists(tool):
        pytest.skip("the command is not built")
    said = subprocess.run([tool, "identify", "swing.yaml", "--data", "angle.csv", "--fit", "l=0.3:0.9", "--fit",
                           "c=0.01:0.2:log", "--match", "pin.q=angle", "--json"], cwd=swing, capture_output=True, check=True)
    assert [p["value"] for p in json.loads(said.stdout)["parameters"]] == list(fit.values.values())


def test_what_is_written(swing):
    fit = identify(swing)
    fit.write_model(swing / "fitted.yaml")
    assert carom.load(swing / "fitted.yaml").title == "Swing"
    record = fit.record(swing / "fit.h5")
    assert len(record.table("parameters")) == 2
    record.report(swing / "fit.html")
    assert (swing / "fit.html").stat().st_size > 1000
    with pytest.raises(carom.UsageError):
        fit.write_model(swing / "swing.yaml")


def test_two_files_with_weights_and_offsets(swing):
    fit = identify(swing, data=[swing / "angle.csv", (swing / "angle.csv", 4)], fit={"l": "0.3:0.9"}, offset=(-0.01, 0.01),
                   loss="huber")
    assert len(fit.parameters) == 3 and fit.channels[1].weight == 4
    assert list(fit.settings) == ["l"]


def test_what_cannot_be_told(swing):
    fit = identify(swing, fit={"l": (0.3, 0.9), "bodies.bob.mass": (1, 2)}, settings={"c": 0}, data=swing / "angle.csv")
    assert not fit["bodies.bob.mass"].determined and "bodies.bob.mass" in fit.inseparable[0]
    assert math.isnan(fit.correlation[0, 1])


def test_an_optimum(swing):
    best = carom.optimise(swing / "swing.yaml", "max:last(pin.q)", {"l": (0.15, 0.5)},
                          settings={"c": 0, "start": "1 deg", "end": 1})
    assert best["l"].value == pytest.approx(9.81 / (4 * math.pi**2), abs=1e-4)
    assert best.goal == pytest.approx(math.pi / 180, abs=1e-6) and math.isnan(best["l"].low)


def test_refusals(swing):
    for more, says in [({"fit": {}}, "something to fit"), ({"match": {"pin.w": "angle"}}, "did you mean"),
                       ({"fit": {"l": (0.9, 0.3)}}, "first end is above"), ({"loss": "cubes"}, "huber"),
                       ({"match": {"pin.q": "angel"}}, "no column that is matched")]:
        with pytest.raises(carom.UsageError, match=says):
            identify(swing, **more)
    with pytest.raises(carom.FileError):
        identify(swing, data=swing / "none.csv")
    with pytest.raises(carom.ModelError):
        identify(swing, fit={"lenght": (0, 1)})


def test_it_can_be_ended(swing):
    with pytest.raises(carom.Interrupted):
        identify(swing, progress=lambda runs, best: False)

    def complain(runs, best):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        identify(swing, progress=complain)
    with pytest.raises(carom.Interrupted):
        carom.bifurcation(swing / "swing.yaml", "l", "0.3:0.6:9", section="pin.q=0", settings={"c": 0},
                          progress=lambda done, values: False)
