"""Simulations that are stepped, and functions that they call."""

import gc
import math
import os
import signal
import subprocess
import threading

import numpy
import pytest

import carom
from conftest import ROOT


def test_steps_and_signals(falling):
    sim = falling.sim()
    sim.step()
    assert sim.t == pytest.approx(1e-3)
    sim.advance(0.2)
    assert sim.t == 0.2 and sim["ball.y"] == pytest.approx(0.6 - 5 * 0.04)
    sim.step(until=0.2003)
    assert sim.t == 0.2003
    with pytest.raises(KeyError, match="ball.y"):
        sim["ball.yy"]
    with pytest.raises(carom.UsageError):
        sim.advance(0.1)
    with pytest.raises(ValueError):
        sim.advance(math.nan)


def test_the_state_is_a_view_that_only_the_simulation_writes(falling):
    sim = falling.sim()
    q, u = sim.q, sim.u
    sim.advance(0.1)
    assert q[2] == sim["free.q2"] and u[2] == sim["free.u2"] == pytest.approx(-1)
    with pytest.raises(ValueError):
        q[0] = 1
    del sim
    gc.collect()
    assert q[2] == pytest.approx(0.55)  # the view keeps the memory


def test_joints_are_set(falling):
    sim = falling.sim()
    sim.set("free", q=[0, 0, 2], u=[0, 1, 0])
    sim.advance(0.1)
    assert sim["ball.y"] == pytest.approx(2 - 0.05) and sim["ball.x"] == pytest.approx(0.1)
    with pytest.raises(ValueError, match="3 coordinates"):
        sim.set("free", q=[1])
    with pytest.raises(carom.UsageError):
        sim.set("fre", q=[0, 0, 1])


def test_a_saved_state_goes_on_bit_by_bit(falling):
    sim = falling.sim()
    sim.advance(0.3)
    there = sim.save()
    assert there.exact and there.t == 0.3
    sim.advance(0.5)
    once = sim.q.copy()
    sim.restore(there)
    assert sim.t == 0.3
    sim.advance(0.5)
    assert (sim.q == once).all()
    sim.reset()
    assert sim.t == 0 and sim["ball.y"] == 0.6


def test_an_integrator_with_a_history_says_that_it_starts_again(models):
    sim = carom.load(models / "pendulum.yaml").sim()
    sim.advance(0.1)
    assert not sim.save().exact


def test_a_function_controls(steered):
    sim = carom.Model(steered).sim()
    sim.bind("push", lambda t, q, u: -8 * q)  # an oscillator of 2 rad/s
    sim.advance(1)
    assert sim["rail.q"] == pytest.approx(math.cos(2), abs=1e-9)


def test_what_a_function_remembers_is_saved(steered):
    class Integral:
        def __init__(self):
            self.sum = 0.0

        def __call__(self, t, q, u):
            self.sum += q * 1e-2
            return -3 * self.sum

        def save(self):
            return [self.sum]

        def restore(self, numbers):
            self.sum, = numbers

    steered["callbacks"]["push"]["every"] = "10 ms"
    sim, control = carom.Model(steered).sim(), Integral()
    sim.bind("push", control)
    sim.advance(0.4)
    there = sim.save()
    sim.advance(1)
    once = sim["rail.q"]
    sim.restore(there)
    sim.advance(1)
    assert sim["rail.q"] == once


def test_a_memory_that_grows_is_refused(steered):
    class Growing:
        numbers = [1.0]

        def __call__(self, t, q, u):
            return 0.0

        def save(self):
            return self.numbers

        def restore(self, numbers):
            pass

    steered["callbacks"]["push"]["every"] = "10 ms"
    sim, control = carom.Model(steered).sim(), Growing()
    sim.bind("push", control)
    sim.save()
    control.numbers = [1.0] * 1000
    with pytest.raises(ValueError, match="1000 numbers"):
        sim.save()


def test_exceptions_of_functions_come_out(steered):
    sim = carom.Model(steered).sim()
    with pytest.raises(carom.Error, match="push"):
        sim.advance(1)  # not bound
    with pytest.raises(carom.UsageError):
        sim.bind("pull", lambda t: 0.0)
    with pytest.raises(ValueError, match="2 numbers"):
        sim.bind("push", lambda t, q, u: (1.0, 2.0))
        sim.advance(1)
    sim = carom.Model(steered).sim()
    with pytest.raises(TypeError):
        sim.bind("push", lambda t: 0.0)
        sim.advance(1)
    sim = carom.Model(steered).sim()
    with pytest.raises(carom.Error, match="push"):
        sim.bind("push", lambda t, q, u: math.nan)
        sim.advance(1)


def test_control_c_ends_an_advance(falling):
    sim = falling.sim()
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        sim.advance(1e7)
    assert 0 < sim.t < 1e7


def test_a_stepped_simulation_is_recorded(falling, tmp_path):
    sim = falling.sim()
    sim.record(tmp_path / "stepped.h5")
    while sim.t < 0.3:
        sim.step(until=0.3)
    run = sim.end_record()
    assert (numpy.asarray(run["ball.y"]) == numpy.asarray(falling.run(end=0.3)["ball.y"])).all()


def test_a_batch_varies_the_start(falling):
    heights = [0.5, 1, 1.5, 2]
    ends = falling.batch(len(heights), 0.2, threads=2,
                         before=lambda i, sim: sim.set("free", q=[0, 0, heights[i]]),
                         after=lambda i, sim: sim["ball.y"])
    assert [b.error for b in ends] == [None] * 4
    numpy.testing.assert_allclose([b.value for b in ends], numpy.array(heights) - 0.2, atol=1e-12)


@pytest.mark.parametrize("before", [None, lambda i, sim: sim.set("free", q=[0, 0, 1.0])])
def test_control_c_ends_a_batch(falling, before):
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        falling.batch(100, 1e7, before, threads=2)


def test_a_simulation_of_a_batch_ends_with_it(falling):
    kept = falling.batch(3, 0.1, after=lambda i, sim: (sim, sim.q))
    numpy.testing.assert_allclose([b.value[1][2] for b in kept], 0.55)
    with pytest.raises(TypeError):
        kept[0].value[0].t


def test_a_batch_reports_what_cannot_start(falling):
    def before(i, sim):
        if i == 1:
            raise RuntimeError("no start")

    with pytest.raises(RuntimeError, match="no start"):
        falling.batch(3, 0.1, before=before)


def test_threads_step_at_the_same_time(falling):
    """While one thread is in `advance`, another one runs."""
    sim, counted = falling.sim(), []
    worker = threading.Thread(target=lambda: sim.advance(500))
    worker.start()
    while worker.is_alive():
        counted.append(1)
    assert len(counted) > 1000


class Pid:
    """The controller of examples/controller.c, operation by operation."""

    def __init__(self):
        self.sum = 0.0

    def __call__(self, t, error, q, u):
        weight = 2 * 9.81 * 0.3 * math.cos(q)
        self.sum += 1e-3 * error
        return weight + 90 * error + 200 * self.sum - 9 * u

    def save(self):
        return [self.sum]

    def restore(self, numbers):
        self.sum = numbers[0]


def test_a_controller_gives_the_numbers_of_the_one_in_c(tmp_path):
    build, examples = os.environ.get("CAROM_BUILD"), ROOT / "examples"
    if not build:
        pytest.skip("CAROM_BUILD does not name a build folder")
    program, record, archive = tmp_path / "controller", tmp_path / "c.h5", f"{build}/libcarom.a"
    assert os.path.exists(archive), f"{archive} is not there; build the target carom_static"
    needs = subprocess.run(["pkg-config", "--static", "--libs", "carom"], env={**os.environ, "PKG_CONFIG_PATH": build},
                           capture_output=True, text=True, check=True).stdout.split()
    # with the archive that the module of Python has in it, too
    subprocess.run(["cc", "-O2", "-ffp-contract=off", examples / "controller.c", "-o", program, f"-I{ROOT}/include",
                    archive, *(n for n in needs if n != "-lcarom"), "-lm"], check=True)
    subprocess.run([program, examples / "arm.yaml", record, tmp_path / "c.html"], check=True)
    sim = carom.load(examples / "arm.yaml").sim()
    sim.bind("controller", Pid())
    sim.record(tmp_path / "python.h5")
    while sim.t < sim.model.end:
        sim.step(until=sim.model.end)
    ours, theirs = sim.end_record(), carom.open(record)
    assert list(ours) == list(theirs) and len(ours.t) == 201
    for name in theirs:
        assert (numpy.asarray(ours[name]) == numpy.asarray(theirs[name])).all(), name


def test_equilibrium_moves_the_sim():
    sim = carom.load("models/pendulum.yaml").sim()
    found = sim.equilibrium()
    assert found.freedoms == 1 and found.unstable == 0 and not found.friction
    assert sim["hinge.u"] == 0
    assert abs(sim.accelerations[0]) < 1e-9


def test_no_equilibrium_raises():
    ball = carom.Model({"space": "planar", "bodies": {"ball": {"mass": 1, "inertia": 1}},
                        "joints": {"free": {"free": ["ground", "ball"]}}, "end": 1})
    sim = ball.sim()
    with pytest.raises(carom.RunError, match="body 'ball' still moves"):
        sim.equilibrium()
    assert sim["ball.y"] == 0


def test_modes_have_shapes(tmp_path):
    sim = carom.load("models/double-pendulum.yaml").sim()
    sim.equilibrium()
    modes = sim.modes()
    assert len(modes) == 2 and modes.imbalance < 1e-9 and modes.units["elbow.q"] == "rad"
    assert modes[0].shape["shoulder.q"] == 1 and modes[1].shape["elbow.q"] == 1
    run = modes.record(tmp_path / "modes.h5")
    assert list(run.table("modes")["frequency"]) == [mode.frequency for mode in modes]
    run.export(tmp_path / "modes.glb", "gltf")
    assert (tmp_path / "modes.glb").read_bytes()[:4] == b"glTF"
