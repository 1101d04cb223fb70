// A browser, pages from disk that may not err nor reach out, and a list of named checks.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { writePage } from './encode.mjs';

export const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const LANES = 2;              // checks at a time: a check often waits for one process of the browser
const SKIPPED = 77;           // what CTest takes for "not run here"
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync',
  '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];

export async function launch(more = []) {
  const playwright = await import('playwright-core').catch(() => null);
  if (!playwright || !existsSync(CHROMIUM)) {
    console.log(`skipped: ${playwright ? `no browser at ${CHROMIUM}` : 'playwright-core is not installed (npm ci in viewer/)'}`);
    process.exit(SKIPPED);
  }
  return playwright.chromium.launch({ executablePath: CHROMIUM, args: [...FLAGS, ...more] });
}

export const folder = () => mkdtempSync(join(tmpdir(), 'carom-viewer-'));

// Pages that are free, by their browser. To start a renderer takes three times as long as to load a report into one that runs.
const free = new Map();

// Leaves out the picture with smooth edges that a software renderer draws, for a second, 150 ms after all else: it has to know before the page runs.
const WITHOUT_SMOOTH = () => {
  let carom;
  Object.defineProperty(window, 'carom', { configurable: true, get: () => carom, set(made) {
    carom = made;
    const view = made.scene?.view;
    if (!view) return;
    const { present } = view;
    view.present = () => {
      present.call(view);
      clearTimeout(view.pause);
    };
  } });
};

async function makePage(browser, smooth) {
  const context = await browser.newContext({ acceptDownloads: true }), page = await context.newPage();
  if (!smooth) await page.addInitScript(WITHOUT_SMOOTH);
  page.on('console', (m) => m.type() === 'error' && page.trouble.push(m.text()));
  page.on('pageerror', (e) => page.trouble.push(e.stack ?? String(e)));
  page.on('dialog', (d) => {
    page.trouble.push(`dialog: ${d.message()}`);
    d.dismiss();
  });
  context.on('request', (r) => {
    if (r.url() !== page.place && !r.url().startsWith('data:') && !r.url().startsWith('blob:')) page.reached.push(r);
  });
  return page;
}

// Opens a report from disk and waits until it is complete. What goes wrong gathers in page.trouble, what is asked for
// outside the file itself, as requests, in page.reached. page.shut gives the page back, as if it were new: nothing is stored, nothing held down.
// Smooth edges only for checks that look at them (`smooth`), in a page of their own.
export async function open(browser, path, { width = 1280, height = 800, scheme = 'light', smooth = false } = {}) {
  const page = (smooth ? null : free.get(browser)?.pop()) ?? await makePage(browser, smooth), place = pathToFileURL(path).href;
  Object.assign(page, { trouble: [], reached: [], place });
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: scheme, media: null, reducedMotion: null, forcedColors: null });
  await page.goto(place);
  await page.waitForFunction(() => document.documentElement.dataset.ready);
  page.shut = async () => {
    if (smooth) return page.context().close();
    await page.mouse.up();
    await page.mouse.move(0, 0);
    await page.evaluate(() => localStorage.clear());
    page.place = 'about:blank';
    await page.goto('about:blank');
    free.set(browser, [...(free.get(browser) ?? []), page]);
    return undefined;
  };
  return page;
}

// Times shown by the scene, each plot and the table; all the same or something is out of step.
export const times = (page) => page.evaluate(() => ({
  clock: window.carom.clock.t,
  shown: [...document.querySelectorAll('#scene .view, .timeplot, #events table')].map((e) => Number(e.dataset.time)),
  slider: Number(document.querySelector('#dock input[type=range]').value),
}));

// What an act lets the page give as a file.
export async function download(page, act) {
  const [file] = await Promise.all([page.waitForEvent('download'), act()]);
  return { name: file.suggestedFilename(), content: readFileSync(await file.path()) };
}

let written = 0;              // pages of fixtures
const checks = [];
// A check with a name. What it needs from elsewhere `prepare` makes, beforehand and beside the checks before it; `run` gets that.
export const check = (name, run, prepare) => checks.push({ name, run, prepare });

// on: a check on one fixture, which opens it, looks that nothing went wrong, and shuts it.
export function checksOn(browser, scratch) {
  const write = (name, runs, compare) => {
    const path = join(scratch, `${name}.html`);
    writePage(path, runs, compare);
    return path;
  };
  const on = (name, make, run, settings) => check(name, async () => {
    const made = make(), file = `page-${written++}`, page = await open(browser, Array.isArray(made) ? write(file, made[0], made[1]) : write(file, [made]), settings);
    await run(page, made);
    assert.deepEqual(page.trouble, []);
    assert.deepEqual(page.reached, []);
    await page.shut();
  });
  return { on, write };
}

export async function runChecks(only) {
  let passed = 0, failed = 0, last = Promise.resolve();
  const chosen = checks.filter(({ name }) => !only || name.includes(only));
  for (const c of chosen.filter(({ prepare }) => prepare)) {
    last = c.prepared = last.then(c.prepare, c.prepare);   // one after the other
    c.prepared.catch(() => {});                             // told by the check itself
  }
  const rest = chosen.values();
  const lane = async () => {    // takes the next check as long as there is one
    for (const { name, run, prepared } of rest) {
      const start = Date.now();
      try {
        await run(await prepared);
        passed++;
        console.log(`ok    ${name} (${Date.now() - start} ms)`);
      } catch (error) {
        failed++;
        console.log(`FAIL  ${name}\n${error.stack}`);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(LANES, availableParallelism()) }, lane));
  console.log(`${passed} passed, ${failed} failed`);
  return failed;
}
