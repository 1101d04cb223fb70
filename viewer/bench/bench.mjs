// node bench/bench.mjs [path of carom]: how soon the first picture of a page of 5 MB, how many pictures a second with 200 bodies and with 1000 spheres
// that fall into a box, from the tool where there is one, in Chromium with software rendering. Processor time of the whole browser stands beside the
// clock's: on a busy machine it is what can be compared.
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { launch, folder, open } from '../tests/harness.mjs';
import { writePage } from '../tests/encode.mjs';
import { many, crowd } from '../tests/fixtures.mjs';
import { pileModel } from './crowd.mjs';

const ROUNDS = 5, SECONDS = 5, SIZE = { width: 1280, height: 800 };
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const line = (what, value, unit, asked = '') => console.log(`${what.padEnd(62)} ${value.padStart(7)} ${unit.padEnd(4)} ${asked && `asked ${asked}`}`);

const browser = await launch(), session = await browser.newBrowserCDPSession(), scratch = folder();
const busy = async () => (await session.send('SystemInfo.getProcessInfo')).processInfo.reduce((sum, p) => sum + p.cpuTime, 0);
const light = join(scratch, 'light.html'), crowded = join(scratch, 'crowd.html'), tool = process.argv[2];
writePage(light, [many(200, 400)]);
if (tool && existsSync(tool)) {
  writeFileSync(join(scratch, 'crowd.yaml'), pileModel());
  execFileSync(tool, ['run', join(scratch, 'crowd.yaml'), '-o', join(scratch, 'crowd.h5'), '--quiet', '--report', crowded], { stdio: 'ignore' });
} else writePage(crowded, [crowd()]);
line('page of 1000 spheres', (statSync(crowded).size / 1e6).toFixed(1), 'MB', '< 20');

// Pages of 5 and of 16 MB: the first picture needs the words of a page alone, so that its size should hardly matter.
for (const frames of [1400, 4200]) {
  const path = join(scratch, `${frames}.html`), first = [], spent = [];
  writePage(path, [many(200, frames)]);
  for (let k = 0; k < ROUNDS; k++) {
    const before = await busy(), page = await open(browser, path, SIZE);
    spent.push(await busy() - before);
    first.push(await page.evaluate(() => performance.getEntriesByName('carom-first-picture')[0].startTime));
    await page.shut();
  }
  line(`first picture, page of ${(statSync(path).size / 1e6).toFixed(1)} MB, median of ${ROUNDS}`, (median(first) / 1000).toFixed(2), 's', '< 1');
  line('  processor time of its main thread until then', (await mainThread(path) / 1000).toFixed(2), 's');
  line('  processor time of the whole browser until all is shown', median(spent).toFixed(2), 's');
}

// Milliseconds of processor time that the page's main thread took before the first picture, from a trace.
async function mainThread(path) {
  const context = await browser.newContext({ viewport: SIZE }), page = await context.newPage();
  await browser.startTracing(page, { categories: ['toplevel', 'blink.user_timing'] });
  await page.goto(pathToFileURL(path).href);
  await page.waitForFunction(() => document.documentElement.dataset.ready);
  const events = JSON.parse((await browser.stopTracing()).toString()).traceEvents, mark = events.find((e) => e.name === 'carom-first-picture');
  await context.close();
  return events.filter((e) => e.ph === 'X' && e.pid === mark.pid && e.tid === mark.tid && e.ts <= mark.ts && e.name.endsWith('RunTask')).reduce((sum, e) => sum + (e.tdur ?? 0), 0) / 1000;
}

const WHOLE = '#scene .view { position: fixed !important; inset: 0; width: 1280px; height: 800px !important; z-index: 50 }';
for (const [bodies, path, speed] of [['200 bodies', light, 0.5], ['1000 spheres', crowded, 0.1]]) for (const [what, css] of [['window', ''], ['scene', WHOLE]]) await rate(`${bodies}, ${what}`, path, css, speed);
await rate('1000 spheres with forces, window', crowded, '', 0.1, true);

// Pictures that a run gives while it plays.
async function rate(what, path, css, speed, forces = null) {
  const page = await open(browser, path, SIZE);
  if (css) {
    await page.addStyleTag({ content: css });
    await page.waitForTimeout(500);
  }
  const pictures = () => page.evaluate(() => [window.carom.scene.view.pictures, performance.now()]);
  await page.evaluate(([s, f]) => {
    const { clock, scene } = window.carom;
    scene.options.forces = f;
    clock.set('speed', s);
    clock.play(true);
  }, [speed, forces]);
  await page.waitForTimeout(1000);
  const start = await busy(), [n0, t0] = await pictures();
  await page.waitForTimeout(1000 * SECONDS);
  const [n1, t1] = await pictures(), used = await busy() - start;
  line(`pictures a second, ${what} of 1280 × 800`, ((n1 - n0) / (t1 - t0) * 1000).toFixed(1), '1/s', '>= 15');
  line('  processor time a picture', (1000 * used / (n1 - n0)).toFixed(1), 'ms');
  await page.shut();
}
await browser.close();
rmSync(scratch, { recursive: true });
