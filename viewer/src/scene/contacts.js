// What touches at a time, with which force, and whether it sticks, slips or strikes.
import { IMPACT_KIND } from '../data.js';

const CROWD = 150;            // points that touch at a time, above which an arrow for each would cover the scene
const MOST_FLASHES = 8, WEAKEST = 0.2;   // sixth root of a blow's energy over the strongest

export const FREE = 0, STICK = 1, SLIP = 2, IMPACT = 3;
export const STATE_NAMES = ['free', 'stick', 'slip', 'impact'];

export class ContactForces {
  constructor(run) {
    this.run = run;
    const column = (k) => (k === undefined ? undefined : run.column(['contacts', k]));
    this.contacts = (run.scene.contacts ?? []).map((about, number) => ({
      about, number,
      slip: column(about.columns.slip), at: about.columns.at?.map(column), force: about.columns.force?.map(column),
      // The force on the first body; seen on the second where the first stands still.
      sense: about.first?.body === 0 ? -1 : 1,
    }));
    this.axis = this.contacts.find((c) => c.slip)?.slip.axis;
    this.gather();
    this.largest = this.findLargest();
    this.isCrowd = Math.max(this.contacts.length, run.touches?.most ?? 0) > CROWD;
  }

  gather() {
    const { impacts } = this.run;
    for (const contact of this.contacts) contact.episodes = [];
    for (let i = 0; i < (impacts?.kept ?? 0); i++) {
      const start = impacts.get('start', i), end = impacts.get('end', i);
      this.contacts[impacts.contact(i)]?.episodes.push({ start, end: Math.max(end, impacts.arrival(i)), brief: end - start <= impacts.short, hits: impacts.blows.kind[i] === IMPACT_KIND });
    }
    const times = this.axis?.times, step = times?.length > 1 ? (times.at(-1) - times[0]) / (this.run.axes[0].rows - 1 || 1) : 0;
    this.first = 2 * step;
  }

  findLargest() {
    let largest = this.run.touches?.largest ?? 0;
    for (const { force } of this.contacts) {
      if (!force) continue;
      const size = Math.hypot(...force.map((c) => Math.max(Math.abs(c.min ?? 0), Math.abs(c.max ?? 0))));
      largest = Math.max(largest, size);
    }
    return largest;
  }

  // [{at, force, state, contact}] of everything that touches at t. Forces are those of a recorded row, never between two.
  at(t) {
    const list = [];
    if (!this.axis) return list;
    const { i: row } = this.axis.locate(t);
    for (const contact of this.contacts) {
      if (!contact.slip || !contact.force) continue;
      const state = contact.slip.values[row], episode = episodeAt(contact.episodes, t);
      if (!(state > FREE)) continue;
      const strikes = episode?.hits && (episode.brief || t - episode.start <= this.first);
      list.push({ contact, row, state: strikes ? IMPACT : state, at: this.vector(contact.at, row), force: this.vector(contact.force, row).map((v) => v * contact.sense) });
    }
    return list;
  }

  // The same of every point that touches, where the run has a table of them; else of every contact. Points that are near without a
  // force have the state FREE.
  points(t) {
    const { touches } = this.run;
    if (!touches?.isLoaded) return this.at(t);
    const [from, to] = touches.rowsAt(t), list = [];
    for (let row = from; row < to; row++) {
      const sense = touches.surfaces[touches.get('a', row)]?.body === 0 ? -1 : 1;      // seen on the body that can move
      list.push({ row, state: touches.get('slip', row), at: touches.vector('at', row), force: touches.vector('force', row).map((v) => v * sense) });
    }
    return list;
  }

  vector(columns, row) {
    return [0, 1, 2].map((k) => columns[k]?.values[row] ?? 0);
  }

  // Impacts that began within `past` before t, with their places and strengths (0 … 1), for a flash that the eye can catch.
  recent(t, past) {
    const { impacts } = this.run, list = [];
    if (!impacts?.kept || !this.axis) return list;
    const { blows } = impacts;
    for (let i = impacts.before(t); i >= 0 && list.length < MOST_FLASHES; i--) {
      const start = impacts.get('start', i), strength = (blows.strength[i] / (blows.most || 1)) ** (1 / 6);
      if (start < t - past) break;
      if (!(strength >= WEAKEST)) continue;
      const contact = this.contacts[impacts.contact(i)];
      if (!contact?.slip || !contact.at) continue;
      const row = impacts.forceRow(i);
      if (row >= 0) list.push({ at: this.vector(contact.at, row), age: (t - start) / past, strength });
    }
    return list;
  }
}

// The episode under way at t, the latest where several points of the element touch.
function episodeAt(episodes, t) {
  let low = -1, high = episodes.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (episodes[middle].start <= t) low = middle;
    else high = middle - 1;
  }
  for (let k = low; k >= 0 && k > low - 4; k--) if (episodes[k].end >= t) return episodes[k];
  return null;
}
