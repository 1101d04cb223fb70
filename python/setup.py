"""Builds the package `carom` on the C library of this source tree, or on an installed one."""

import re
from pathlib import Path

from setuptools import setup

HERE = Path(__file__).resolve().parent


def version() -> str:
    for folder in (HERE.parent / "include", HERE / "include"):
        header = folder / "carom" / "version.h"
        if header.exists():
            return re.search(r'CAROM_VERSION "([^"]+)"', header.read_text())[1]
    return "0"


setup(
    name="carom",
    version=version(),
    description="Contact-impact dynamics of multibody systems",
    python_requires=">=3.9",
    packages=["carom"],
    package_data={"carom": ["py.typed"]},
    install_requires=["cffi>=1.15", "numpy"],
    setup_requires=["cffi>=1.15"],
    cffi_modules=["binding.py:builder"],
    options={"bdist_wheel": {"py_limited_api": "cp39"}},
)
