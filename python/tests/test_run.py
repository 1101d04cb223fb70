"""Runs and their records."""

import gc
import os
import signal
import threading

import numpy
import pytest

import carom


def test_columns_are_those_of_the_motion(falling):
    run = falling.run(end=0.3)
    assert run.t.unit == "s" and len(run.t) == 31
    t = run.t[run.t < 0.3]
    numpy.testing.assert_allclose(run["ball.y"][:len(t)], 0.6 - 5 * t * t, atol=1e-12)
    assert run["ball.y"].unit == "m" and run["ball.y"].sampling == "instant"
    assert run["ball.ay"].sampling == "mean"
    assert run.units["ball.vy"] == "m/s"
    assert run.columns == list(run.units) and "ball.vy" in run.columns
    assert "ball.y" in run and "ball.yy" not in run


def test_a_result_of_a_calculation_is_a_plain_array(falling):
    run = falling.run(end=0.1)
    twice = 2 * run["ball.y"]
    assert type(twice) is numpy.ndarray
    assert isinstance(run["ball.y"].max(), float)


def test_impacts_have_names(falling):
    impacts = falling.run().table("impacts")
    assert len(impacts) == 1 and impacts.pairs == ["floor-skin"] and impacts.points == [""]
    assert impacts["start"][0] == pytest.approx(numpy.sqrt(2 * 0.5 / 10), abs=1.1e-3)
    assert impacts.units["start"] == "s" and impacts.columns == list(impacts.units)


def test_frames_of_pandas(falling):
    pytest.importorskip("pandas")
    run = falling.run()
    assert run.frame()["ball.y"].iloc[0] == pytest.approx(0.6)
    assert list(run.table("impacts").frame()["pair"]) == ["floor-skin"]


def test_summary_and_unknown_names(falling):
    run = falling.run()
    assert run.summary["contact"]["impacts"] == 1
    with pytest.raises(KeyError, match="ball.y"):
        run["ball.yy"]
    with pytest.raises(KeyError, match="impacts"):
        run.table("impact")


def test_a_file_stays_and_a_temporary_one_does_not(falling, tmp_path):
    kept = falling.run(record=tmp_path / "kept.h5")
    assert len(carom.open(tmp_path / "kept.h5").t) == len(kept.t)
    run = falling.run()
    path = run.path
    assert os.path.exists(path)
    del run
    gc.collect()
    assert not os.path.exists(path)


def test_a_file_of_another_kind_is_not_replaced(falling, tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("mine")
    with pytest.raises(carom.UsageError):
        falling.run(record=path)
    assert path.read_text() == "mine"


def test_a_record_is_continued(falling, tmp_path):
    falling.run(end=0.2, record=tmp_path / "a.h5")
    falling.run(end=0.4, record=tmp_path / "b.h5", resume=tmp_path / "a.h5")
    whole, parts = falling.run(end=0.4), carom.open(tmp_path / "b.h5")
    assert parts["ball.y"][-1] == whole["ball.y"][-1]


def test_reports_are_written_and_shown(falling, tmp_path):
    run = falling.run()
    page = run.report(tmp_path / "ball.html")
    assert (tmp_path / "ball.html").stat().st_size > 10_000
    assert "<iframe" in page._repr_html_()
    assert "<iframe" in run.report()._repr_html_()


def test_a_failure_keeps_what_was_computed(steered):
    def push(t, q, u):
        if t > 0.5:
            raise ZeroDivisionError("no more fuel")
        return 0.0

    with pytest.raises(ZeroDivisionError, match="no more fuel") as caught:
        carom.Model(steered).run(bind={"push": push})
    run = caught.value.run
    assert 0.49 < run.t[-1] < 0.51 and run["cart.x"][-1] == pytest.approx(1)


def test_progress_can_end_a_run(steered):
    steered["end"] = 1e6
    seen = []
    with pytest.raises(carom.Interrupted):
        carom.Model(steered, {"record.every": "1000 s"}).run(bind={"push": lambda t, q, u: 0.0},
                                                             progress=lambda t, end: bool(seen.append((t, end))))
    assert seen[0][1] == 1e6


def test_control_c_ends_a_run(falling):
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        falling.run(end=1e6)


def test_a_diagram_has_words_and_messages(tmp_path):
    model = tmp_path / "linear.yaml"
    model.write_text(
        "space: planar\n"
        "parameters: {m: 1}\n"
        "bodies: {mass: {mass: m, inertia: 1}}\n"
        "joints: {slide: {prismatic: [ground, mass], axis: x}}\n"
        "forces: {spring: {along: slide.q, stiffness: 9, damping: 1}, drive: {motor: slide, effort: cos(t)}}\n"
        "method: smooth\n"
        "end: 1\n")
    diagram = carom.bifurcation(model, "m", [1, -1, 2], period="2*pi", cut=20, points=4)
    values = diagram.table("values")
    assert values.words["direction"] == 3 * ["forward"] + 3 * ["backward"] and "period" not in values.words
    assert list(diagram.messages) == [1, 4] and "mass" in diagram.messages[1]
    pandas = pytest.importorskip("pandas")
    assert isinstance(values.frame(), pandas.DataFrame) and values.frame()["direction"][5] == "backward"
