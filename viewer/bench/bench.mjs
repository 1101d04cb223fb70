// node bench/bench.mjs: how soon the first picture of a page of 5 MB, how many pictures a second with 200 bodies, in
// Chromium with software rendering.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { launch, folder, open } from '../tests/harness.mjs';
import { writePage } from '../tests/encode.mjs';
import { many } from '../tests/fixtures.mjs';

const ROUNDS = 5, SECONDS = 4;
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const line = (what, value, unit, asked) => console.log(`${what.padEnd(58)} ${value.padStart(7)} ${unit.padEnd(4)} asked ${asked}`);

const browser = await launch(), scratch = folder(), heavy = join(scratch, 'heavy.html'), light = join(scratch, 'light.html');
writePage(heavy, [many(200, 3000)]);
writePage(light, [many(200, 400)]);

const first = [];
for (let k = 0; k < ROUNDS; k++) {
  const page = await open(browser, heavy, { width: 1280, height: 800 });
  first.push(await page.evaluate(() => performance.getEntriesByName('carom-first-picture')[0].startTime));
  await page.shut();
}
line(`first picture, page of ${(statSync(heavy).size / 1e6).toFixed(1)} MB, median of ${ROUNDS}`, (median(first) / 1000).toFixed(2), 's', '< 1');

for (const [what, css] of [['window', ''], ['scene', '#scene .view { position: fixed !important; inset: 0; width: 1280px; height: 800px !important; z-index: 50 }']]) {
  const page = await open(browser, light, { width: 1280, height: 800 });
  if (css) {
    await page.addStyleTag({ content: css });
    await page.waitForTimeout(500);
  }
  const rate = await page.evaluate(async (seconds) => {
    const { clock, scene } = window.carom;
    clock.set('speed', 0.5);
    clock.play(true);
    await new Promise((done) => { setTimeout(done, 1000); });
    const from = scene.view.pictures, start = performance.now();
    await new Promise((done) => { setTimeout(done, 1000 * seconds); });
    return (scene.view.pictures - from) / (performance.now() - start) * 1000;
  }, SECONDS);
  line(`pictures a second, 200 bodies, ${what} of 1280 × 800`, rate.toFixed(1), '1/s', '>= 15');
  await page.shut();
}
await browser.close();
