"""What the tests share: the folder of the source tree, and its models."""

from pathlib import Path

import pytest

import carom

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def models():
    return ROOT / "models"


@pytest.fixture
def falling():
    """A ball that falls 0.5 m onto a floor and stays there, by time stepping."""
    return carom.Model({
        "title": "a ball", "space": "planar", "gravity": [0, -10],
        "bodies": {"ball": {"mass": 2, "inertia": 0.1}},
        "joints": {"free": {"free": ["ground", "ball"]}},
        "surfaces": {"floor": {"plane": "ground", "material": "clay"},
                     "skin": {"sphere": "ball", "radius": 0.1, "material": "clay"}},
        "materials": {"clay": {"restitution": 0, "friction": 0.3}},
        "initial": {"free": {"q": [0, 0, 0.6]}},
        "method": {"moreau": {"step": "1 ms"}}, "record": {"every": "10 ms"}, "end": 0.5})


@pytest.fixture
def steered():
    """A mass on a rail, pushed by a function of the program."""
    return {
        "gravity": [0, 0, 0], "bodies": {"cart": {"mass": 2, "inertia": [1, 1, 1]}},
        "joints": {"rail": {"prismatic": ["ground", "cart"], "axis": "x"}},
        "callbacks": {"push": {"inputs": ["rail.q", "rail.u"], "outputs": ["force"]}},
        "forces": {"engine": {"along": "rail", "effort": "push.force"}},
        "initial": {"rail": {"q": 1}}, "integrator": {"type": "rk4", "step": "1 ms"}, "end": 1}
