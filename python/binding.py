"""Makes the module `carom._c` from the public headers: every function and struct of the C interface, by cffi.

The library is taken from CAROM_BUILD, a build folder of the source tree, else from build/release of this tree, else from
where pkg-config finds it. It is linked statically, so that the module does not depend on where the library lies.
"""

import os
import re
import subprocess
import tempfile
from pathlib import Path

from cffi import FFI

HERE = Path(__file__).resolve().parent

# Functions that C calls and Python answers. `context` is a handle of a Python object.
CALLBACKS = """
extern "Python" {
  bool carom_py_go_on(void *context);
  bool carom_py_call(void *context, double t, const double *inputs, double *outputs);
  void carom_py_save(void *context, double *memory);
  void carom_py_restore(void *context, const double *memory);
  carom_status carom_py_prepare(void *context, carom_sim *sim, carom_error *error);
  bool carom_py_progress(void *context, const carom_progress *progress);
  bool carom_py_fit_progress(void *context, const carom_fit_progress *progress);
  bool carom_py_bifurcation_progress(void *context, const carom_bifurcation_progress *progress);
  void carom_py_warn(void *context, const char *sentence);
  void carom_py_before(void *context, int index, carom_sim *sim);
  void carom_py_after(void *context, int index, carom_sim *sim);
}
"""


def pkg_config(*arguments: str) -> list:
    found = subprocess.run(["pkg-config", *arguments], capture_output=True, text=True, check=False)
    return found.stdout.split() if found.returncode == 0 else []


def headers() -> Path:
    """Those of the source tree, or of a copy of this folder that has them beside it."""
    return HERE / "include" if (HERE / "include").exists() else HERE.parent / "include"


def find_library() -> tuple:
    """Returns the folder of the headers, the archive, and what else the linker needs."""
    build = Path(os.environ.get("CAROM_BUILD", HERE.parent / "build" / "release"))
    if (build / "libcarom.a").exists():
        described = {**os.environ, "PKG_CONFIG_PATH": str(build)}
        needs = subprocess.run(
            ["pkg-config", "--static", "--libs", "carom"], env=described, capture_output=True, text=True, check=True
        ).stdout.split()
        return headers(), build / "libcarom.a", [n for n in needs if n != "-lcarom"]
    libdir, include = pkg_config("--variable=libdir", "carom"), pkg_config("--variable=includedir", "carom")
    if not libdir or not (Path(libdir[0]) / "libcarom.a").exists():
        raise SystemExit("carom: the C library is not there; run 'make' or 'make install' in the source tree first")
    needs = [n for n in pkg_config("--static", "--libs", "carom") if n != "-lcarom"]
    return Path(include[0]), Path(libdir[0]) / "libcarom.a", needs


def declarations(include: Path) -> str:
    """The public headers after the preprocessor, which is all that cffi reads."""
    with tempfile.TemporaryDirectory() as empty:
        for name in ("stddef.h", "stdbool.h", "stdint.h"):  # cffi knows what is in them
            (Path(empty) / name).write_text("")
        text = '#include "carom/carom.h"\n'
        command = [os.environ.get("CC", "cc"), "-E", "-P", "-nostdinc", "-D__attribute__(x)=", f"-I{empty}",
                   f"-I{include}", "-"]
        found = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    # cffi cannot write a pointer to constant rows of three numbers; no function here needs to look inside.
    return re.sub(r"typedef struct carom_points \{[^}]*\}", "typedef struct carom_points { ...; }", found)


def builder() -> FFI:
    include, archive, needs = find_library()
    ffi = FFI()
    ffi.cdef(declarations(include))
    ffi.cdef(CALLBACKS)
    ffi.set_source(
        "carom._c",
        '#include "carom/carom.h"\n',
        include_dirs=[str(include)],
        extra_objects=[str(archive)],
        depends=[str(archive)],  # linked anew after each change of the library
        extra_link_args=needs + ["-lm"],
        py_limited_api=True,
    )
    return ffi


if __name__ == "__main__":
    builder().compile(verbose=True)
