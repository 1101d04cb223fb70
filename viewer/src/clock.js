// The one time of the page and the stretch of time in view. Scene, plots, table and strip all listen here and none
// keeps a time of its own.

export class Clock {
  constructor(start, end) {
    this.start = start;
    this.end = Math.max(end, start);
    this.t = start;
    this.window = [start, this.end];
    this.playing = false;
    this.loop = true;
    this.speed = 1;                       // simulated over real time
    this.run = null;                      // whose impacts and energies are shown, of several runs
    this.shifts = null;                   // by run: how far from the time it is shown, where impacts are laid side by side [s]
    this.stops = null;                    // times the impact keys stop at, where the table shows but some
    this.listeners = { time: new Set(), window: new Set(), state: new Set(), run: new Set(), data: new Set() };   // data: every row is there
  }

  on(what, listener) {
    this.listeners[what].add(listener);
    return () => this.listeners[what].delete(listener);
  }

  tell(what) {
    for (const listener of this.listeners[what]) listener(this);
  }

  // A time out of view brings the view along.
  seek(t, shifts = null) {
    this.shifts = shifts;
    this.t = Math.min(this.end, Math.max(this.start, t));
    const [a, b] = this.window;
    if (this.t < a || this.t > b) this.show(this.t - (b - a) / 2, this.t + (b - a) / 2);
    this.tell('time');
  }

  // The stretch from a to b, shifted into the run, no finer than doubles can tell apart.
  show(a, b) {
    const least = Math.max(1e-12, 1e-13 * Math.abs(this.end));
    let width = Math.min(this.end - this.start, Math.max(b - a, least));
    let from = Math.min(this.end - width, Math.max(this.start, a));
    this.window = [from, from + width];
    this.tell('window');
  }

  showAll() {
    this.show(this.start, this.end);
  }

  get isZoomed() {
    const [a, b] = this.window;
    return b - a < (this.end - this.start) * (1 - 1e-9);
  }

  zoom(factor, about = this.t) {
    const [a, b] = this.window;
    this.show(about - (about - a) * factor, about + (b - about) * factor);
  }

  play(on = !this.playing) {
    if (on === this.playing) return;
    this.playing = on && this.end > this.start;
    if (this.playing) this.shifts = null;
    if (this.playing) {
      const [a, b] = this.window;
      if (this.t >= b || this.t < a) this.seek(a);
      this.last = undefined;
      requestAnimationFrame((now) => this.frame(now));
    }
    this.tell('state');
  }

  frame(now) {
    if (!this.playing) return;
    // A picture that took long does not make time leap: impacts would be jumped over.
    const passed = this.last === undefined ? 0 : Math.min(0.1, (now - this.last) / 1000);
    this.last = now;
    const [a, b] = this.window;
    let t = this.t + passed * this.speed;
    if (t >= b) {
      if (this.loop) t = a + ((t - b) % Math.max(b - a, 1e-300));
      else {
        t = b;
        this.playing = false;
        this.tell('state');
      }
    }
    this.t = Math.min(b, Math.max(a, t));
    this.tell('time');
    if (this.playing) requestAnimationFrame((next) => this.frame(next));
  }

  // Impacts and energies of this run from now on.
  pick(run) {
    this.run = run;
    this.stops = null;
    this.tell('run');
  }

  set(key, value) {
    this[key] = value;
    this.tell('state');
  }
}
