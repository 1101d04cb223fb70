"""What Python adds to the time of a step, beside a C program on the same library. Processor time of this thread."""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import carom

ROOT = Path(__file__).resolve().parents[2]
STEPS = 1_000_000
CART = {
    "space": "planar", "bodies": {"cart": {"mass": 2, "inertia": 1}}, "initial": {"rail": {"q": 1}},
    "joints": {"rail": {"prismatic": ["ground", "cart"], "axis": "x"}}, "method": {"moreau": {"step": "1 ms"}}, "end": 1}
PUSHED = {
    **CART, "callbacks": {"push": {"inputs": ["rail.q", "rail.u"], "outputs": ["force"]}},
    "forces": {"engine": {"along": "rail", "effort": "push.force"}}}
PROGRAM = r"""
#include <carom/carom.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); return t.tv_sec + 1e-9 * t.tv_nsec; }
static bool push(void *context, double t, const double *in, double *out) { out[0] = -8 * in[0]; return true; }
static carom_sim *open_sim(const char *path) {
  carom_error error;
  carom_sim *sim = carom_sim_create(carom_model_load(path, NULL, 0, &error), &error);
  carom_sim_bind(sim, "push", &(carom_callback){.call = push}, &error);
  return sim;
}
int main(int argc, char **argv) {
  long steps = atol(argv[3]);
  carom_sim *first = open_sim(argv[1]), *sim = open_sim(argv[1]), *pushed = open_sim(argv[2]);
  double start = now();
  carom_sim_advance(first, steps * 1e-3, NULL);
  double advanced = now();
  for (long i = 0; i < steps; i++) carom_sim_step(sim, 1e9, NULL);
  double stepped = now();
  carom_sim_advance(pushed, steps * 1e-3, NULL);
  printf("%.17g %.17g %.17g\n", advanced - start, stepped - advanced, now() - stepped);
}
"""


def in_c(folder: Path) -> list:
    build = os.environ["CAROM_BUILD"]
    for name, model in (("cart", CART), ("pushed", PUSHED)):
        (folder / f"{name}.json").write_text(json.dumps(model))
    (folder / "steps.c").write_text(PROGRAM)
    subprocess.run(["cc", "-O2", folder / "steps.c", "-o", folder / "steps", f"-I{ROOT}/include", f"-L{build}", "-lcarom",
                    f"-Wl,-rpath,{build}"], check=True)
    printed = subprocess.run([folder / "steps", folder / "cart.json", folder / "pushed.json", str(STEPS)],
                             capture_output=True, text=True, check=True).stdout
    return [float(word) for word in printed.split()]


def timed(function) -> float:
    start = time.thread_time()
    function()
    return time.thread_time() - start


def step_often(sim) -> None:
    for _ in range(STEPS):
        sim.step()


def in_python() -> list:
    pushed, busy = carom.Model(PUSHED).sim(), threading.Event()
    pushed.bind("push", lambda t, q, u: -8 * q)
    other = threading.Thread(target=lambda: [None for _ in iter(busy.is_set, True)])
    other.start()
    first, stepped = carom.Model(CART).sim(), carom.Model(CART).sim()
    advanced = timed(lambda: first.advance(STEPS * 1e-3))
    busy.set()
    other.join()
    return [advanced, timed(lambda: step_often(stepped)), timed(lambda: pushed.advance(STEPS * 1e-3))]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        turns = [(in_c(Path(folder)), in_python()) for _ in range(3)]
    c, python = ([min(times) for times in zip(*of_all)] for of_all in zip(*turns))  # the least of each
    each = [1e6 * (p - q) / STEPS for p, q in zip(python, c)]
    print(f"python, a million steps in one advance beside a busy thread: {python[0] / c[0]:.3f} of C (at most 1.02 wanted)")
    print(f"python, a million calls of step: {each[1]:.2f} us each above C (at most 1 wanted)")
    print(f"python, a force as a function: {each[2]:.2f} us a call above C (at most 3 wanted)")


if __name__ == "__main__":
    sys.exit(main())
