// What the page does, on runs made by hand.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, launch, open, times } from './harness.mjs';
import { writePage } from './encode.mjs';
import * as fixtures from './fixtures.mjs';

const sameTime = async (page, t, within = 0) => {
  const { clock, shown } = await times(page);
  assert.ok(Math.abs(clock - t) <= within, `clock at ${clock}, not ${t}`);
  assert.ok(shown.length >= 3 && shown.every((s) => s === clock), `all show ${clock}: ${shown}`);
};
const download = async (page, act) => {
  const [file] = await Promise.all([page.waitForEvent('download'), act()]);
  return { name: file.suggestedFilename(), content: readFileSync(await file.path()) };
};

export function pageChecks(browser, scratch) {
  const write = (name, runs, compare) => {
    const path = join(scratch, `${name}.html`);
    writePage(path, runs, compare);
    return path;
  };
  // A check on one fixture: opens it, looks that nothing went wrong, shuts it.
  const on = (name, make, run, settings) => check(name, async () => {
    const made = make(), page = await open(browser, Array.isArray(made) ? write('page', made[0], made[1]) : write('page', [made]), settings);
    await run(page, made);
    assert.deepEqual(page.trouble, []);
    assert.deepEqual(page.reached, []);
    await page.shut();
  });

  check('a page without a run says how to make one', async () => {
    const page = await open(browser, join(import.meta.dirname, '../dist/index.html'));
    assert.match(await page.textContent('body'), /holds no run/);
    assert.deepEqual(page.trouble, []);
    await page.shut();
  });

  on('play moves bodies, space pauses', fixtures.ball, async (page) => {
    const picture = () => page.locator('#scene .view').screenshot();
    const before = await picture();
    await page.keyboard.press('Space');
    await page.waitForFunction(() => window.carom.clock.t > 0.05);
    await page.keyboard.press('Space');
    const at = await page.evaluate(() => window.carom.clock.t);
    assert.notDeepEqual(await picture(), before);
    await page.waitForTimeout(200);
    assert.equal(await page.evaluate(() => window.carom.clock.t), at, 'paused');
  });

  on('scrubbing sets one time everywhere', fixtures.ball, async (page) => {
    await page.locator('#dock input[type=range]').fill('25000');
    await sameTime(page, 0.5);
    await page.locator('#dock .time').fill('1.25');
    await page.keyboard.press('Enter');
    await sameTime(page, 1.25);
    await page.locator('.strip').click({ position: { x: 2, y: 20 } });
    await sameTime(page, 0, 0.01);
  });

  on('keys: frames, impacts, speed, loop, view', fixtures.ball, async (page, run) => {
    await page.locator('body').click({ position: { x: 5, y: 5 } });
    await page.keyboard.press('ArrowRight');
    await sameTime(page, run.time[1], 1e-12);
    await page.keyboard.press('Shift+ArrowRight');
    await sameTime(page, run.impacts.rows[0].start);
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Shift+ArrowLeft');
    await sameTime(page, run.impacts.rows[0].start);
    await page.keyboard.press('+');
    assert.ok(await page.evaluate(() => window.carom.clock.isZoomed));
    await page.keyboard.press('0');
    assert.ok(!await page.evaluate(() => window.carom.clock.isZoomed));
    const speed = () => page.evaluate(() => window.carom.clock.speed), first = await speed();
    await page.keyboard.press('[');
    assert.ok(await speed() < first);
    await page.keyboard.press('?');
    assert.ok(await page.locator('dialog').isVisible());
    await page.locator('dialog button').click();
    assert.ok(!await page.locator('dialog').isVisible());
  });

  on('speeds go from real time down to 1 in 10000', fixtures.ball, async (page) => {
    const values = await page.locator('#dock select option').evaluateAll((list) => list.map((o) => Number(o.value)));
    assert.equal(Math.max(...values), 1);
    assert.equal(Math.min(...values), 1e-4);
  });

  on('a click on an impact goes there; sort and filter', fixtures.ball, async (page, run) => {
    const rows = page.locator('#events tr.row');
    assert.equal(await rows.count(), run.impacts.rows.length);
    await rows.nth(1).click();
    await sameTime(page, run.impacts.rows[1].start);
    assert.equal(await rows.nth(1).getAttribute('aria-selected'), 'true');
    assert.equal(await page.locator('#events tr[aria-selected=true]').count(), 1, 'one row is marked');
    await page.locator('#events th button', { hasText: 'start' }).click();
    assert.equal(await rows.first().getAttribute('data-row'), String(run.impacts.rows.length - 1), 'descending by start');
    await page.locator('#events th button', { hasText: 'approach' }).click();
    assert.equal(await rows.first().getAttribute('data-row'), '0', 'the fastest first');
    await page.locator('#events select').selectOption('0');
    assert.equal(await rows.count(), run.impacts.rows.length);
    await rows.first().focus();
    await page.keyboard.press('ArrowDown');
    await sameTime(page, run.impacts.rows[1].start);
  });

  on('zoom shows the recorded samples', fixtures.thinned, async (page, run) => {
    assert.match(await page.locator('.timeplot .state').first().textContent(), /not raw: \d+ of 8\u202f?001/);
    await page.locator('#events label', { hasText: 'zoom in' }).click();
    await page.locator('#events tr.row').first().click();
    assert.match(await page.locator('.timeplot .state').first().textContent(), /raw: all \d+ recorded samples.*each dot a sample/);
    const { name, content } = await download(page, () => page.locator('.timeplot button', { hasText: 'CSV' }).first().click());
    assert.match(name, /\.csv$/);
    const off = await page.evaluate(() => {
      const { t, window: [a, b] } = window.carom.clock, over = document.querySelector('.timeplot .u-over').getBoundingClientRect(), line = document.querySelector('.timeplot .cursor').getBoundingClientRect();
      return Math.abs(line.left + line.width / 2 - over.left - (t - a) / (b - a) * over.width);
    });
    assert.ok(off < 1.5, `the cursor stands ${off} px beside the time`);
    const window = await page.evaluate(() => window.carom.clock.window), lines = content.toString().trim().split('\n').slice(1).map((l) => l.split(',').map(Number));
    const expected = run.time.map((t, i) => [t, run.tables.joints[0][2][i]]).filter(([t]) => t >= window[0] && t <= window[1]);
    assert.equal(lines.length, expected.length);
    lines.forEach(([t, v], i) => {
      assert.equal(t, expected[i][0]);
      assert.equal(Math.fround(v), Math.fround(expected[i][1]), 'the sample itself, not a smoothed one');
    });
  });

  on('dragging in a plot zooms all, a double click takes it back', fixtures.ball, async (page) => {
    const box = await page.locator('.timeplot .u-over').first().boundingBox();
    await page.mouse.move(box.x + 0.25 * box.width, box.y + 30);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.5 * box.width, box.y + 40, { steps: 4 });
    await page.mouse.up();
    const [a, b] = await page.evaluate(() => window.carom.clock.window);
    assert.ok(Math.abs(a - 0.5) < 0.02 && Math.abs(b - 1) < 0.02, `view from ${a} to ${b}`);
    await page.mouse.dblclick(box.x + 0.5 * box.width, box.y + 30);
    assert.ok(!await page.evaluate(() => window.carom.clock.isZoomed));
  });

  on('any quantity can be plotted', fixtures.ball, async (page) => {
    const before = await page.locator('.timeplot').count();
    await page.locator('#plots .add input').fill('ball.y');
    await page.keyboard.press('Enter');
    assert.equal(await page.locator('.timeplot').count(), before + 1);
    await page.locator('.timeplot header input').last().fill('energy.kinetic');
    await page.keyboard.press('Enter');
    assert.match(await page.locator('.timeplot').last().textContent(), /energy\.kinetic/);
    await page.locator('.timeplot button[aria-label^=Close]').last().click();
    assert.equal(await page.locator('.timeplot').count(), before);
  });

  on('exports: CSV, SVG, PNG', fixtures.ball, async (page) => {
    const svg = await download(page, () => page.locator('.timeplot button', { hasText: 'SVG' }).first().click());
    assert.match(svg.content.toString(), /^<svg [\s\S]*<path d="M[\s\S]*<\/svg>\n$/);
    const portrait = await download(page, () => page.locator('#portraits button', { hasText: 'SVG' }).first().click());
    assert.match(portrait.content.toString(), /<\/svg>\n$/);
    const energy = await download(page, () => page.locator('#energy button', { hasText: 'CSV' }).click());
    assert.match(energy.content.toString(), /^t,energy\.kinetic/);
    const impacts = await download(page, () => page.locator('#events button', { hasText: 'CSV' }).click());
    assert.match(impacts.content.toString(), /^contact,start,end/);
    const png = await download(page, () => page.locator('#scene button', { hasText: 'PNG' }).click());
    assert.equal(png.content.subarray(1, 4).toString(), 'PNG');
    assert.ok(png.content.length > 2000);
  });

  on('two runs: ghosts, paired curves, matched impacts, differences', fixtures.pair, async (page) => {
    assert.equal(await page.locator('.timeplot').first().locator('.chip').count(), 2);
    assert.match(await page.textContent('#compare'), /a against b[\s\S]*Impacts side by side[\s\S]*alone/);
    const ghosts = page.locator('#scene label', { hasText: 'ghosts' }), visible = () => page.evaluate(() => window.carom.scene.solids[1].group.visible);
    assert.ok(await visible());
    await ghosts.click();
    assert.ok(!await visible());
    await page.locator('#compare tr.row').first().click();
    await sameTime(page, 0.9);
  });

  on('a run without contacts', fixtures.withoutContacts, async (page) => {
    assert.match(await page.textContent('#events'), /Nothing in this model can touch/);
  });

  on('a run of one frame', fixtures.oneFrame, async (page) => {
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('+');
    assert.equal(await page.evaluate(() => window.carom.clock.t), 0);
  });

  on('a run that failed', fixtures.failed, async (page) => {
    assert.match(await page.textContent('.banner'), /failed at 1 s\. model\.yaml:12: the step became too small/);
    assert.equal(await page.locator('.badge.bad').count(), 1);
  });

  on('markup and quotes in names are text', fixtures.hostile, async (page) => {
    await page.locator('#scene label', { hasText: 'names' }).click();
    await page.locator('#events tr.row').first().click();
    const svg = await download(page, () => page.locator('.timeplot button', { hasText: 'SVG' }).nth(1).click());
    assert.ok(!svg.content.toString().includes('<img'), 'escaped in SVG');
    assert.equal(await page.evaluate(() => window.hurt), undefined);
    assert.equal(await page.locator('img').count(), 0);
    assert.equal(await page.textContent('h1'), fixtures.HOSTILE);
    assert.ok((await page.textContent('#about')).includes(fixtures.HOSTILE));
  });

  on('the page reaches no server, even when asked to', fixtures.ball, async (page) => {
    const outcome = await page.evaluate(() => Promise.allSettled([fetch('https://example.org/'), new Promise((ok, no) => {
      const image = new Image();
      image.onload = ok;
      image.onerror = () => no(new Error('blocked'));
      image.src = 'https://example.org/x.png';
    })]).then((list) => list.map((r) => r.status)));
    assert.deepEqual(outcome, ['rejected', 'rejected']);
    const source = readFileSync(join(import.meta.dirname, '../dist/index.html'), 'utf8');
    assert.match(source, /default-src 'none'; script-src 'sha256-/);
    assert.doesNotMatch(source, /<(script|link|img|iframe)[^>]+(src|href)="(?!data:)/);
    assert.deepEqual(page.reached.splice(0).map((r) => r.failure()?.errorText), ['csp'], 'refused before it left');
    page.trouble.splice(0);   // the two refusals
  });

  check('without WebGL all but the scene works', async () => {
    const blind = await launch(['--disable-3d-apis']);
    const page = await open(blind, write('blind', [fixtures.ball()]));
    assert.match(await page.textContent('#scene'), /needs WebGL/);
    await page.locator('#events tr.row').first().click();
    assert.ok(await page.evaluate(() => window.carom.clock.t > 0));
    assert.deepEqual(page.trouble, []);
    await blind.close();
  });

  for (const [width, height, scheme] of [[1440, 900, 'light'], [1440, 900, 'dark'], [390, 844, 'light'], [390, 844, 'dark']]) {
    on(`fits ${width} × ${height}, ${scheme}`, fixtures.ball, async (page) => {
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0, 'nothing sticks out sideways');
      assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--dark').trim()), scheme === 'dark' ? '1' : '0');
      const low = await page.evaluate(contrasts);
      assert.deepEqual(low, [], 'text of at least 4.5 to 1');
    }, { width, height, scheme });
  }

  on('every control has a name, and the focus is seen', fixtures.ball, async (page) => {
    const nameless = await page.evaluate(() => [...document.querySelectorAll('button, select, input, a, [tabindex="0"]')]
      .filter((e) => !(e.getAttribute('aria-label') || e.textContent.trim() || e.closest('label')?.textContent.trim())).map((e) => e.outerHTML));
    assert.deepEqual(nameless, []);
    const seen = new Set();
    for (let k = 0; k < 60; k++) {
      await page.keyboard.press('Tab');
      const at = await page.evaluate(() => {
        const e = document.activeElement, style = getComputedStyle(e);
        return { name: e.getAttribute('aria-label') ?? e.textContent.trim().slice(0, 30), outline: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1 };
      });
      assert.ok(at.outline, `focus of ${at.name} is seen`);
      seen.add(at.name);
    }
    for (const name of ['Play (space)', 'Time in view', 'Speed', 'Closer', 'Filter by contact']) assert.ok(seen.has(name), `${name} is reached by Tab`);
  });

  on('contact colours differ for dichromats', fixtures.ball, async (page) => {
    for (const choice of ['light', 'dark']) {
      const colours = await page.evaluate((c) => {
        document.documentElement.dataset.theme = c;
        const style = getComputedStyle(document.documentElement);
        return ['stick', 'slip', 'impact'].map((n) => style.getPropertyValue(`--${n}`).trim());
      }, choice);
      for (const [kind, matrix] of Object.entries(DICHROMAT)) {
        const seen = colours.map((c) => simulate(c, matrix));
        for (let i = 0; i < 3; i++) for (let k = 0; k < i; k++) {
          const apart = Math.hypot(...seen[i].map((v, n) => v - seen[k][n]));
          assert.ok(apart > 0.12, `${choice}, ${kind}: ${colours[i]} and ${colours[k]} are ${apart.toFixed(2)} apart`);
        }
      }
    }
  });
}

// Runs in the page: pairs of text and background that are too close, by WCAG's relative luminance.
function contrasts() {
  const style = getComputedStyle(document.documentElement), get = (n) => style.getPropertyValue(`--${n}`).trim();
  const light = (hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16) / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((s, v, k) => s + v * [0.2126, 0.7152, 0.0722][k], 0);
  const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  const low = [];
  for (const text of ['ink', 'muted', 'accent', 'good', 'warn', 'bad']) for (const back of ['panel', 'paper', 'raised']) {
    if (ratio(get(text), get(back)) < 4.5) low.push(`${text} on ${back}: ${ratio(get(text), get(back)).toFixed(2)}`);
  }
  return low;
}

// Viénot, Brettel and Mollon 1999: how those without the long or the middle cones see linear RGB.
const DICHROMAT = {
  protanope: [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
  deuteranope: [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]],
};
function simulate(hex, matrix) {
  const linear = [1, 3, 5].map((k) => (parseInt(hex.slice(k, k + 2), 16) / 255) ** 2.2);
  return matrix.map((row) => Math.max(0, row.reduce((s, v, k) => s + v * linear[k], 0)) ** (1 / 2.2));
}
