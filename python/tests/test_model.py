"""Models: reading, settings, errors."""

import numpy
import pytest

import carom


def test_a_file_takes_parameters(models):
    assert carom.load(models / "pendulum.yaml").end == carom.load(str(models / "pendulum.yaml")).end
    assert carom.load(models / "pendulum.yaml", {"end": "250 ms"}).end == 0.25
    assert carom.load(models / "pendulum.yaml", L="0.5 m").info["bodies"][0]["com"][1] == pytest.approx(-0.375)


def test_a_dictionary_is_a_model(falling):
    assert falling.title == "a ball" and falling.method == "moreau"
    assert falling.signals["ball.y"] == "m"
    assert falling.joints == {"free": (3, 3)}


def test_numbers_of_numpy_are_numbers():
    mass = numpy.float32(3)
    model = carom.Model({"bodies": {"b": {"mass": mass, "inertia": numpy.ones(3)}}, "joints": {"j": {"free": ["ground", "b"]}},
                         "method": "smooth", "end": numpy.int64(2)})
    assert model.end == 2 and model.info["bodies"][0]["mass"] == 3


def test_an_error_has_the_text_of_the_command_line(tmp_path):
    path = tmp_path / "wrong.yaml"
    path.write_text("bodies: {b: {mas: 1}}\n")
    with pytest.raises(carom.ModelError) as caught:
        carom.load(path)
    assert caught.value.line == 1 and caught.value.column == 14
    assert "^" in str(caught.value) and "mass" in str(caught.value)
    assert caught.value.file.endswith("wrong.yaml")


def test_an_unknown_setting_is_refused(models):
    with pytest.raises(carom.Error, match="end"):
        carom.load(models / "pendulum.yaml", ned=1)


def test_a_missing_file_is_a_file_error(tmp_path):
    with pytest.raises(carom.FileError):
        carom.load(tmp_path / "absent.yaml")
    with pytest.raises(OSError):
        carom.open(tmp_path / "absent.h5")
