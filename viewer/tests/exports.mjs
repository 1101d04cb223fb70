// What the page gives as files: the numbers it stores, and drawings that stand on their own.
import assert from 'node:assert/strict';
import { checksOn, download } from './harness.mjs';
import * as fixtures from './fixtures.mjs';

const rows = ({ content }) => content.toString().trimEnd().split('\n').map((line) => line.split(','));
// Read again, a number is that which is stored: 32 bits of a quantity, 64 of a time.
const isSingle = (x) => Math.fround(x) === x;

// Reads a drawing in a page of its own: texts, paths, whether it draws as a picture.
const look = (page, svg) => page.evaluate(async (source) => {
  const tree = new DOMParser().parseFromString(source, 'image/svg+xml'), all = (tag) => [...tree.getElementsByTagName(tag)];
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(source)}`;
  await picture.decode();
  return { broken: all('parsererror').length, title: all('title')[0]?.textContent, texts: all('text').map((e) => e.textContent), fonts: [...new Set(all('text').map((e) => e.getAttribute('font-family')))],
    curves: all('path').filter((e) => e.getAttribute('d').length > 200).length, width: picture.naturalWidth, height: picture.naturalHeight, outside: all('text').map((e) => Number(e.getAttribute('x'))).filter((x) => x < 0 || x > picture.naturalWidth).length };
}, svg.content.toString());

export function exportChecks(browser, scratch) {
  const { on } = checksOn(browser, scratch);

  on('exports: CSV of a plot has the stored numbers in SI units', fixtures.brief, async (page, run) => {
    const csv = rows(await download(page, () => page.locator('.timeplot button', { hasText: 'CSV' }).first().click()));
    assert.deepEqual(csv[0], ['t [s]', 'fall.q [m]']);
    assert.equal(csv.length - 1, run.time.length);
    run.time.forEach((t, i) => {
      assert.equal(Number(csv[i + 1][0]), t);
      assert.equal(Math.fround(Number(csv[i + 1][1])), Math.fround(run.tables.joints[0][2][i]));
    });
    await page.evaluate(() => window.carom.clock.show(1e-4, 2e-4));
    const part = rows(await download(page, () => page.locator('.timeplot button', { hasText: 'CSV' }).first().click())).slice(1).map(([t]) => Number(t));
    assert.deepEqual(part, run.time.filter((t) => t >= 1e-4 && t <= 2e-4), 'only what is in view');
  });

  on('exports: CSV of portrait, ledger and impacts', fixtures.ball, async (page, run) => {
    const portrait = rows(await download(page, () => page.locator('#portraits button', { hasText: 'CSV' }).first().click()));
    assert.deepEqual(portrait[0], ['run', 't [s]', 'fall.q [m]', 'fall.u [m/s]']);
    assert.equal(Math.fround(Number(portrait[5][3])), Math.fround(run.tables.joints[1][2][4]));
    assert.ok(portrait.slice(1).flat().every((x) => x.length <= 24), 'no more digits than are stored');
    const energy = rows(await download(page, () => page.locator('#energy button', { hasText: 'CSV' }).click()));
    assert.deepEqual(energy[0], ['t [s]', 'energy.kinetic [J]', 'energy.gravity [J]', 'energy.impact [J]', 'energy.imbalance [J]']);
    const impacts = rows(await download(page, () => page.locator('#events button', { hasText: 'CSV' }).click()));
    assert.deepEqual(impacts[0].slice(0, 3), ['contact', 'start [s]', 'end [s]']);
    assert.equal(Number(impacts[1][1]), run.impacts.rows[0].start);
    assert.ok(impacts[0].includes('impulse_normal [N·s]'));
  });

  on('exports: two runs in one CSV, each column says whose', fixtures.pair, async (page) => {
    const csv = rows(await download(page, () => page.locator('.timeplot button', { hasText: 'CSV' }).first().click()));
    assert.deepEqual(csv[0], ['t [s]', 'a: fall.q [m]', 'b: fall.q [m]']);
    assert.ok(isSingle(Math.fround(Number(csv[9][1]))));
  });

  on('exports: drawings open on their own, with title, axes, units and curves', fixtures.brief, async (page) => {
    for (const [where, texts, curves] of [['.timeplot', ['Height', 'fall.q', 't [µs]', '[µm]'], 1], ['#portraits', ['Phase portrait', 'fall.u [m/s]', 'fall.q [µm]'], 1], ['#energy', ['Energy ledger', 't [µs]', 'energy [J]', 'kinetic', 'gravity'], 4]]) {
      const svg = await download(page, () => page.locator(`${where} button`, { hasText: 'SVG' }).first().click()), seen = await look(page, svg);
      assert.match(svg.name, /\.svg$/);
      assert.equal(seen.broken, 0);
      assert.match(seen.title, /· Bouncing ball$/);
      for (const text of texts) assert.ok(seen.texts.some((t) => t.includes(text)), `${where}: '${text}' among ${seen.texts}`);
      assert.ok(seen.curves >= curves, `${where}: ${seen.curves} curves`);
      assert.ok(seen.fonts.every((f) => /sans-serif$/.test(f)), `fonts that every machine has: ${seen.fonts}`);
      assert.ok(seen.width > 100 && seen.height > 100 && seen.outside === 0);
      assert.doesNotMatch(svg.content.toString(), /var\(|href|NaN|undefined/);
    }
  });

  on('exports: a legend of many curves stays within the drawing', () => fixtures.dense(50), async (page) => {
    const svg = await download(page, () => page.locator('.timeplot button', { hasText: 'SVG' }).first().click()), seen = await look(page, svg);
    assert.equal(seen.outside, 0);
    for (let k = 0; k < 8; k++) assert.ok(seen.texts.includes(`output${k}`));
  }, { width: 390, height: 844 });

  on('exports: the scene as PNG', fixtures.ball, async (page) => {
    const png = await download(page, () => page.locator('#scene button', { hasText: 'PNG' }).click());
    assert.equal(png.content.subarray(1, 4).toString(), 'PNG');
    assert.ok(png.content.length > 2000);
  });
}
