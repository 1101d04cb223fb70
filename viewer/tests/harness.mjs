// A browser, pages from disk that may not err nor reach out, and a list of named checks.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { writePage } from './encode.mjs';

export const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
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

// Opens a report from disk and waits until it is complete. What goes wrong gathers in page.trouble, what is asked for
// outside the file itself, as requests, in page.reached.
export async function open(browser, path, { width = 1280, height = 800, scheme = 'light' } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, acceptDownloads: true });
  const page = await context.newPage(), url = pathToFileURL(path).href;
  page.trouble = [];
  page.reached = [];
  page.on('console', (m) => m.type() === 'error' && page.trouble.push(m.text()));
  page.on('pageerror', (e) => page.trouble.push(e.stack ?? String(e)));
  page.on('dialog', (d) => {
    page.trouble.push(`dialog: ${d.message()}`);
    d.dismiss();
  });
  context.on('request', (r) => {
    if (r.url() !== url && !r.url().startsWith('data:') && !r.url().startsWith('blob:')) page.reached.push(r);
  });
  await page.goto(url);
  await page.waitForFunction(() => document.documentElement.dataset.ready);
  page.shut = () => context.close();
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

const checks = [];
export const check = (name, run) => checks.push({ name, run });

// on: a check on one fixture, which opens it, looks that nothing went wrong, and shuts it.
export function checksOn(browser, scratch) {
  const write = (name, runs, compare) => {
    const path = join(scratch, `${name}.html`);
    writePage(path, runs, compare);
    return path;
  };
  const on = (name, make, run, settings) => check(name, async () => {
    const made = make(), page = await open(browser, Array.isArray(made) ? write('page', made[0], made[1]) : write('page', [made]), settings);
    await run(page, made);
    assert.deepEqual(page.trouble, []);
    assert.deepEqual(page.reached, []);
    await page.shut();
  });
  return { on, write };
}

export async function runChecks(only) {
  let passed = 0, failed = 0;
  for (const { name, run } of checks) {
    if (only && !name.includes(only)) continue;
    const start = Date.now();
    try {
      await run();
      passed++;
      console.log(`ok    ${name} (${Date.now() - start} ms)`);
    } catch (error) {
      failed++;
      console.log(`FAIL  ${name}\n${error.stack}`);
    }
  }
  console.log(`${passed} passed, ${failed} failed`);
  return failed;
}
