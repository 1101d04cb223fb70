// What the page does, on runs made by hand.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, checksOn, download, launch, open, times } from './harness.mjs';
import * as fixtures from './fixtures.mjs';

const sameTime = async (page, t, within = 0) => {
  const { clock, shown } = await times(page);
  assert.ok(Math.abs(clock - t) <= within, `clock at ${clock}, not ${t}`);
  assert.ok(shown.length >= 3 && shown.every((s) => s === clock), `all show ${clock}: ${shown}`);
};

export function pageChecks(browser, scratch) {
  const { on, write } = checksOn(browser, scratch);

  check('a page without a run says how to make one', async () => {
    const page = await open(browser, join(import.meta.dirname, '../dist/index.html'));
    assert.match(await page.textContent('body'), /contains no run/);
    assert.deepEqual(page.trouble, []);
    await page.shut();
  });

  check('the first picture does not wait for the numbers, and what cannot be unpacked is said', async () => {
    const run = fixtures.ball(), path = write('damaged', [run]);
    writeFileSync(path, readFileSync(path, 'utf8').replace(/(id="carom-blob-0">)[^<]{40}/, '$1'));
    const page = await open(browser, path), { y, first, text } = await page.evaluate(() => ({
      y: Number(document.querySelector('#scene .view').dataset.time), first: performance.getEntriesByName('carom-first-picture').length, text: document.body.textContent }));
    assert.equal(first, 1);
    assert.equal(y, run.time[0]);
    assert.match(text, /data of this page could not be read/);
    assert.equal(page.trouble.length, 1, 'no more than that error');
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

  on('smooth edges wait for the picture to stand still, however slow the pictures come', fixtures.ball, async (page) => {
    const ratios = await page.evaluate(async () => {
      const { clock, scene: { view } } = window.carom, { render } = view, list = [];
      view.render = (ratio) => {
        list.push(ratio ?? view.ratio);
        render.call(view, ratio);
      };
      const off = clock.on('time', () => { for (const end = performance.now() + 250; performance.now() < end;); });
      clock.play(true);
      await new Promise((done) => { setTimeout(done, 1500); });
      const moving = list.splice(0).slice(1);          // what stood still before may still be on its way
      clock.play(false);
      off();
      await new Promise((done) => { setTimeout(done, 1000); });
      return { soft: view.soft, moving, still: list.at(-1) };
    });
    assert.ok(ratios.soft && ratios.moving.length >= 2, JSON.stringify(ratios));
    assert.ok(ratios.moving.every((r) => r === 1), `${ratios.moving}`);
    assert.equal(ratios.still, 2);
  }, { smooth: true });

  on('a scene of another size is drawn before it is shown', fixtures.ball, async (page) => {
    const drawn = await page.evaluate(() => new Promise((done) => {
      const { view } = window.carom.scene, { host } = view;
      let before = null;
      // An observer that comes later is told later, and both before the browser paints.
      new ResizeObserver(() => {
        if (before !== null) return done(view.pictures > before && view.height === host.clientHeight);
        before = view.pictures;
        host.parentElement.style.height = `${host.parentElement.clientHeight - 60}px`;
        return undefined;
      }).observe(host);
    }));
    assert.ok(drawn);
  });

  on('scrubbing sets one time everywhere', fixtures.ball, async (page) => {
    await page.locator('#dock input[type=range]').fill('25000');
    await sameTime(page, 0.5);
    await page.locator('#dock .time').fill('1.25');
    await page.keyboard.press('Enter');
    await sameTime(page, 1.25);
    for (const wrong of ['abc', '', '  ']) {
      await page.locator('#dock .time').fill(wrong);
      await page.keyboard.press('Enter');
      await sameTime(page, 1.25);
      assert.equal(Number(await page.locator('#dock .time').inputValue()), 1.25, `"${wrong}" is not taken`);
    }
    await page.locator('.strip').click({ position: { x: 2, y: 20 } });
    await sameTime(page, 0, 0.01);
  });

  on('keys: frames, impacts, speed, loop, view', fixtures.ball, async (page, run) => {
    await page.locator('body').click({ position: { x: 5, y: 5 } });
    await page.keyboard.press('ArrowRight');
    await sameTime(page, run.time[1], 1e-12);
    await page.keyboard.press('Shift+ArrowRight');
    await sameTime(page, fixtures.arrivals(run)[0]);
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Shift+ArrowLeft');
    await sameTime(page, fixtures.arrivals(run)[0]);
    await page.keyboard.press('+');
    assert.ok(await page.evaluate(() => window.carom.clock.isZoomed));
    await page.keyboard.press('0');
    assert.ok(!await page.evaluate(() => window.carom.clock.isZoomed));
    const speed = () => page.evaluate(() => window.carom.clock.speed), first = await speed();
    await page.keyboard.press('[');
    assert.ok(await speed() < first);
    const loops = () => page.evaluate(() => window.carom.clock.loop), looped = await loops();
    await page.keyboard.press('l');
    assert.equal(await loops(), !looped);
    assert.equal(await page.locator('#dock button[aria-label^=Loop]').getAttribute('aria-pressed'), String(!looped));
    await page.keyboard.press('l');
    assert.equal(await loops(), looped);
    await page.keyboard.press('?');
    assert.ok(await page.locator('dialog').isVisible());
    await page.locator('dialog button').click();
    assert.ok(!await page.locator('dialog').isVisible());
  });

  for (const [make, word] of [[fixtures.ball, 'move'], [fixtures.many, 'turn']]) {
    on(`the scene by keyboard: arrows ${word} the view`, make, async (page) => {
      const scene = page.locator('#scene .view'), eye = () => page.evaluate(() => {
        const { camera, controls } = window.carom.scene.view;
        return { at: camera.position.toArray(), target: controls.target.toArray(), zoom: camera.zoom, away: camera.position.distanceTo(controls.target), t: window.carom.clock.t, zoomed: window.carom.clock.isZoomed };
      });
      await page.locator('#scene .tools button').last().focus();
      await page.keyboard.press('Tab');
      assert.ok(await scene.evaluate((e) => e === document.activeElement), 'Tab reaches it after its controls');
      assert.match(await scene.getAttribute('aria-label'), new RegExp(`Scene: arrows ${word} the view`));
      assert.ok(await page.locator('#scene .keys').isVisible(), 'says its keys');
      await page.waitForTimeout(400);            // until the page has its heights: a scene that is fitted follows them
      const before = await eye();
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowUp');
      const moved = await eye();
      assert.notDeepEqual(moved.at, before.at);
      if (word === 'turn') assert.ok(moved.target.every((v, k) => Math.abs(v - before.target[k]) < 1e-12), 'about its middle, to rounding');
      else assert.notDeepEqual(moved.target, before.target);
      await page.keyboard.press('+');
      const closer = await eye();
      assert.ok(word === 'turn' ? closer.away < moved.away : closer.zoom > moved.zoom);
      assert.deepEqual([closer.t, closer.zoomed], [before.t, false], 'neither time nor plots took these keys');
      await page.keyboard.press('f');
      const fitted = await eye();
      assert.ok(Math.abs(fitted.away - before.away) < 1e-9 * before.away && Math.abs(fitted.zoom - before.zoom) < 1e-9, 'F fits');
      await page.keyboard.press('?');
      assert.match(await page.textContent('dialog'), /With the scene in focus/);
    });
  }

  on('speeds go from real time down to 1 in 10000', fixtures.ball, async (page) => {
    const values = await page.locator('#dock select option').evaluateAll((list) => list.map((o) => Number(o.value)));
    assert.equal(Math.max(...values), 1);
    assert.equal(Math.min(...values), 1e-4);
  });

  on('a click on an impact goes there; sort and filter', fixtures.ball, async (page, run) => {
    const rows = page.locator('#events tr.row');
    assert.equal(await rows.count(), run.impacts.rows.length);
    await rows.nth(1).click();
    await sameTime(page, fixtures.arrivals(run)[1]);
    assert.equal(await rows.nth(1).getAttribute('aria-selected'), 'true');
    assert.equal(await page.locator('#events tr[aria-selected=true]').count(), 1, 'one row is marked');
    await page.locator('#events th button', { hasText: 'start' }).click();
    assert.equal(await rows.first().getAttribute('data-row'), String(run.impacts.rows.length - 1), 'descending by start');
    await page.locator('#events th button', { hasText: 'approach' }).click();
    assert.equal(await rows.first().getAttribute('data-row'), '0', 'the fastest first');
    assert.ok(await page.evaluate(() => window.carom.report.runs[0].byName.get('ball-floor.fn').at(window.carom.clock.t) > 0), 'the plots show a force there');
    await rows.first().focus();
    await page.keyboard.press('ArrowDown');
    await sameTime(page, fixtures.arrivals(run)[1]);
  });

  on('a filter: rows and keys go by one contact', fixtures.twoContacts, async (page, run) => {
    const rows = page.locator('#events tr.row'), of = (point) => run.impacts.rows.filter((r) => r.point === point);
    assert.ok(of(0).length && of(1).length && of(0).length !== of(1).length);
    assert.match(await page.textContent('#events h2'), new RegExp(`\\(${run.impacts.rows.length}\\)`));
    await page.getByLabel('Filter by contact').selectOption('1');
    assert.equal(await rows.count(), of(1).length);
    assert.ok((await rows.locator('td.text').allTextContents()).every((name) => name === 'pin'));
    const stops = [...new Set(of(1).map(({ start }) => run.time.find((t) => t >= start)))];
    await page.locator('#scene .view').focus();
    for (const t of stops) {
      await page.keyboard.press('Shift+ArrowRight');
      await sameTime(page, t);
    }
    await page.keyboard.press('Shift+ArrowLeft');
    await sameTime(page, stops.at(-2));
  });

  on('resting contact is no impact', fixtures.twoContacts, async (page, run) => {
    const hits = run.impacts.rows.filter((r) => r.kind !== 1), strongest = Math.max(...hits.map((r) => r.impulse_normal));
    const text = await page.textContent('#dock .where');
    assert.match(text, new RegExp(`^${hits.length}.impacts, the strongest ${Number(strongest.toPrecision(4))} N·s, 1.lasting contact$`));
    const states = (t) => page.evaluate((at) => {
      window.carom.clock.seek(at);
      return window.carom.scene.overlay.contacts.at(at).map((f) => f.state);
    }, t);
    assert.deepEqual(await states(1.9), [2], 'lies and slips, from its first row on');
    assert.deepEqual(await states(fixtures.arrivals(run)[0]), [3, 3], 'both strike at the first impact');
  });

  on('zoom in on an episode that lasts shows tens of rows', fixtures.twoContacts, async (page, run) => {
    await page.locator('#events label', { hasText: 'zoom in' }).click();
    for (const row of [0, run.impacts.rows.length - 1]) {
      await page.locator('#events tr.row').nth(row).click();
      const [a, b] = await page.evaluate(() => window.carom.clock.window), shown = run.time.filter((t) => t >= a && t <= b).length, { start } = run.impacts.rows[row];
      assert.ok(shown >= 15 && shown <= 100 && a < start && b > start, `${shown} rows from ${a} to ${b}`);
    }
  });

  on('the magnifier and the trace draw', fixtures.twoContacts, async (page) => {
    const ink = (which) => page.evaluate((s) => {
      const c = document.querySelector(s), { data } = c.getContext('2d').getImageData(0, 0, c.width, c.height);
      let sum = 0;
      for (let i = 0; i < data.length; i += 4) sum += (data[i] + 3 * data[i + 1] + 7 * data[i + 2] + 11 * data[i + 3]) * (1 + i % 977);
      return sum;
    }, which);
    const drawn = async (act) => {
      await page.evaluate(act);
      await page.waitForTimeout(120);
    };
    await drawn(() => window.carom.clock.seek(0.3));
    const first = await ink('.lens canvas');
    assert.ok(first > 0, 'the magnifier is not blank');
    await drawn(() => window.carom.clock.seek(0.6));
    assert.notEqual(await ink('.lens canvas'), first, 'the journal moves in it');
    await page.waitForTimeout(300);
    const bare = await ink('#scene .overlay');
    await page.locator('#scene select', { hasText: 'no trace' }).selectOption({ label: 'trace ball, mass centre' });
    await page.waitForTimeout(300);
    assert.notEqual(await ink('#scene .overlay'), bare, 'the trace is seen');
  });

  on('force over penetration: one impact, pressed rows only', fixtures.pressed, async (page, run) => {
    const panel = page.locator('#portraits .panel', { hasText: 'Force over penetration of' });
    const loop = async () => (await download(page, () => panel.last().locator('button', { hasText: 'CSV' }).click())).content.toString().trim().split('\n').slice(1).map((l) => l.split(',').slice(1).map(Number));
    await page.locator('#events tr.row').nth(1).click();
    const { start, end } = run.impacts.rows[1], rows = await loop();
    assert.ok(rows.length > 50 && rows.every(([t, depth, force]) => t >= start && t <= end && depth > 0 && force > 0), 'rows of that impact, bodies pressed together');
    await page.locator('#events tr.row').first().click();
    assert.ok((await loop()).every(([t]) => t < start), 'another impact, another loop');
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

  on('the scene as PNG: title, time, scale and arrows', fixtures.ball, async (page) => {
    const png = await download(page, () => page.locator('#scene button', { hasText: 'PNG' }).click());
    assert.equal(png.content.subarray(1, 4).toString(), 'PNG');
    const size = await page.evaluate(() => [window.carom.scene.view.width, window.carom.scene.view.height]);
    assert.deepEqual([png.content.readUInt32BE(16), png.content.readUInt32BE(20)], [2 * size[0], 2 * (size[1] + 44 + 26)], 'twice as fine as the screen, with a head for title and time and a foot for the arrows');
    const inked = await page.evaluate(inkOf, [png.content.toString('base64'), [['title', 0, 0, 0.5, 40], ['time', 0.7, 0, 1, 40], ['scene', 0.2, 60, 0.8, size[1]], ['scale', 0.7, size[1] + 10, 1, size[1] + 44], ['arrows', 0, size[1] + 46, 0.6, size[1] + 70]]]);
    for (const [what, share] of Object.entries(inked)) assert.ok(share > 0.002, `${what} is drawn: ${share}`);
    assert.match(png.name, /^ball-scene-0\.png$/);
  });

  on('two runs: ghosts, paired curves, matched impacts, differences', fixtures.pair, async (page) => {
    assert.equal(await page.locator('.timeplot').first().locator('.chip').count(), 2);
    assert.match(await page.textContent('#compare'), /a against b[\s\S]*Impacts side by side[\s\S]*only b/);
    const ghosts = page.locator('#scene label', { hasText: 'ghosts' }), visible = () => page.evaluate(() => window.carom.scene.solids[1].group.visible);
    assert.ok(await visible());
    await ghosts.click();
    assert.ok(!await visible());
    await ghosts.click();
    assert.ok(await visible());
    await page.locator('#compare tr.row').first().click();
    await sameTime(page, 0.9);
  });

  on('the switch makes another run solid: scene, arrows, trace, magnifier', fixtures.loosePair, async (page, [[a, b]]) => {
    const state = () => page.evaluate(() => {
      const { scene } = window.carom, box = document.querySelector('.lens .whose');
      return { solid: scene.solids.map((s) => !s.isGhost), title: document.querySelector('#scene h2').textContent, lens: box.textContent,
        arrows: scene.overlay.run.name, shown: [scene.lens.drawn.at[0], scene.lens.drawn.at[1]],
        legend: [...document.querySelectorAll('.who button')].map((e) => `${e.querySelector('b').textContent} ${e.querySelector('span').textContent} ${e.getAttribute('aria-pressed')}`) };
    });
    await page.evaluate(() => window.carom.clock.seek(0.6));
    await page.waitForTimeout(150);
    const first = await state();
    assert.deepEqual([first.solid, first.title, first.lens, first.arrows], [[true, false], 'Scene of a', 'a', 'a']);
    assert.deepEqual(first.legend, ['a solid true', 'b ghost false']);
    await page.locator('#scene select', { hasText: 'no trace' }).selectOption({ label: 'trace ball, mass centre' });
    await page.locator('.who button', { hasText: 'b' }).last().click();
    await page.waitForTimeout(150);
    const second = await state();
    assert.deepEqual([second.solid, second.title, second.lens, second.arrows], [[false, true], 'Scene of b', 'b', 'b']);
    assert.deepEqual(second.legend, ['a ghost false', 'b solid true']);
    assert.notDeepEqual(second.shown, first.shown, 'the journal of the other run');
    assert.equal(await page.locator('#dock select').last().inputValue(), '1', 'the dock follows');
    assert.equal(await page.evaluate(() => window.carom.scene.overlay.trace.name), 'ball, mass centre', 'the same point is traced');
    assert.ok(a.name !== b.name);
  });

  on('impacts side by side: a click takes each run to its own impact', fixtures.pair, async (page, [[a, b], [pair]]) => {
    const rows = page.locator('table.pairs tr.row'), all = pair.matched.length + pair.only_first.length + pair.only_second.length;
    assert.equal(await rows.count(), all);
    await rows.first().click();
    const times = fixtures.arrivals(a)[0];
    await sameTime(page, times);
    const at = await page.evaluate(() => ({ shift: window.carom.clock.shifts[1], readout: document.querySelector('#scene .readout').textContent }));
    assert.ok(Math.abs(at.shift - (fixtures.arrivals(b)[0] - times)) < 1e-12, 'the second stands at its own');
    const pick = page.locator('#compare select');
    await pick.selectOption({ label: `matched (${pair.matched.length})` });
    assert.equal(await rows.count(), pair.matched.length);
    await pick.selectOption('3');
    assert.equal(await rows.count(), pair.only_second.length);
    await rows.first().focus();
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate(() => window.carom.clock.run.name), 'b', 'an impact of the second run alone brings that run to the front');
    await sameTime(page, fixtures.arrivals(b)[pair.only_second[0]]);
    await page.keyboard.press('ArrowRight');
    assert.equal(await page.evaluate(() => window.carom.clock.shifts), null, 'one time for all again');
  });

  on('impacts side by side fit a narrow screen', fixtures.pair, async (page) => {
    const { wide, cells } = await page.locator('table.pairs').evaluate((table) => ({ wide: table.parentElement.scrollWidth - table.parentElement.clientWidth,
      cells: [...table.tHead.rows[0].cells].reduce((sum, cell) => sum + cell.colSpan, 0) - table.tBodies[0].rows[0].cells.length }));
    assert.deepEqual([wide, cells], [0, 0], 'no wider than its place, heads over their columns');
  }, { width: 390, height: 844 });

  on('runs of other mechanisms and other lengths say so', fixtures.strangers, async (page) => {
    assert.match(await page.textContent('#compare'), /different mechanisms[\s\S]*the time that both have/);
    assert.deepEqual(await page.evaluate(() => window.carom.scene.solids.map((s) => s.group.visible)), [true, false], 'no ghost of a stranger');
    assert.equal(await page.evaluate(() => window.carom.scene.view.planar), true);
    await page.locator('.who button').last().click();
    assert.deepEqual(await page.evaluate(() => [window.carom.scene.view.planar, ...window.carom.scene.solids.map((s) => s.group.visible)]), [false, false, true], 'the spatial one from a spatial view');
    await page.locator('.who button').first().click();
    assert.equal(await page.evaluate(() => window.carom.scene.view.planar), true);
  });

  const methods = () => {
    const [[a, b], compare] = fixtures.pair(), name = 'a-mechanism-of-long-name';
    return [[{ ...a, name, method: 'moreau' }, { ...b, name: `${name}-2`, method: 'event' }], compare];
  };
  on('two methods: each part says whose it is, and can be switched', methods, async (page, [[, second]]) => {
    assert.match(await page.textContent('#compare h2'), /^moreau against event$/);
    assert.match(await page.textContent('#scene h2'), /moreau/);
    assert.equal(await page.locator('#verdict .checks > li').count(), 1, 'what is good takes one line');
    assert.deepEqual(await page.locator('#compare .scroller').evaluateAll((list) => list.filter((e) => e.scrollWidth > e.clientWidth).length), 0, 'no table is wider than its place');
    await page.locator('#dock select').last().selectOption({ label: 'event' });
    assert.equal(await page.textContent('#events h2'), `Impacts of event (${second.impacts.rows.length})`);
    assert.equal(await page.textContent('#energy h2'), 'Energy ledger of event');
    await page.locator('#scene .view').focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Shift+ArrowRight');
    await sameTime(page, fixtures.arrivals(second)[1]);
  }, { width: 1440, height: 900 });

  on('a spatial model fills the scene and stays within it', fixtures.many, async (page) => {
    const { corners, width, height } = await page.evaluate(() => {
      const { view } = window.carom.scene, { min, max } = view.bounds;
      return { width: view.width, height: view.height, corners: [...Array(8).keys()].map((k) => view.project([0, 1, 2].map((n) => (k >> n & 1 ? max[n] : min[n])))) };
    });
    const span = (k) => Math.max(...corners.map((p) => p[k])) - Math.min(...corners.map((p) => p[k]));
    assert.ok(corners.every(([x, y]) => x > 0 && x < width && y > 0 && y < height), 'all of its box is seen');
    assert.ok(span(0) > 0.8 * width || span(1) > 0.75 * height, `${span(0)} of ${width}, ${span(1)} of ${height}`);
  });

  on('every kind of shape is drawn, each at its place', fixtures.allShapes, async (page, run) => {
    const seen = await page.evaluate(() => {
      const { scene, clock } = window.carom, { view } = scene;
      clock.seek(0.5);
      view.render();
      return scene.poses[0].bodies.map((_, b) => {
        const p = view.project(scene.poses[0].point(b, [0, 0, 0]));
        return b ? view.bodyAt(scene.solids[0], ...p) : 0;
      });
    });
    seen.forEach((number, b) => assert.equal(number, b, `${run.scene.bodies[b].name}: body ${number} at the place of ${b}`));
  });

  on('every kind of the plane is drawn', fixtures.flatShapes, async (page) => {
    const seen = await page.evaluate(() => {
      const { scene } = window.carom, { view } = scene;
      return scene.poses[0].bodies.slice(1).map((_, b) => view.bodyAt(scene.solids[0], ...view.project(scene.poses[0].point(b + 1, [0, 0, 0]))) - b - 1);
    });
    assert.ok(seen.length === 8 && seen.every((off) => off === 0), `${seen}`);
  });

  for (const scheme of ['light', 'dark']) {
    on(`a spatial scene has a floor, a light side and a shadow, ${scheme}`, fixtures.lone, async (page) => {
      const { lit, dim, floor, shadow } = await page.evaluate(() => {
        const { scene } = window.carom, { view } = scene, canvas = document.createElement('canvas'), sun = view.light.uniforms.sun.value.toArray(), c = canvas.getContext('2d');
        view.zoom(4);
        view.render(1);
        [canvas.width, canvas.height] = [view.width, view.height];
        c.drawImage(view.renderer.domElement, 0, 0, view.width, view.height);
        const bright = (p) => {
          const [x, y] = view.project(p), { data } = c.getImageData(Math.round(x) - 1, Math.round(y) - 1, 3, 3);
          return data.reduce((sum, v, k) => sum + (k % 4 < 3 ? v : 0), 0) / 27;
        };
        // A ball of 0.1 m radius stands 0.4 m high; its shadow falls along the light.
        const fall = sun.map((v) => -v * 0.4 / sun[2]), eye = view.camera.position.toArray().map((v, k) => v - [0, 0, 0.4][k]), size = Math.hypot(...eye), side = (s) => sun.map((v, k) => (k === 2 ? 0.4 : 0) + 0.06 * eye[k] / size + 0.07 * s * v);
        return { lit: bright(side(1)), dim: bright(side(-0.5)), floor: bright([0.15, -0.15, 0]), shadow: bright([fall[0], fall[1], 0]) };
      });
      assert.ok(lit > dim + 20, `the side towards the light is brighter: ${lit}, ${dim}`);
      assert.ok(floor > 20 && shadow < 0.85 * floor, `the floor is darker under the ball: ${shadow}, ${floor}`);
    }, { scheme });
  }

  on('the camera: sides, perspective and orthographic', fixtures.allShapes, async (page) => {
    const scene = page.locator('#scene .view'), eye = () => page.evaluate(() => {
      const { view } = window.carom.scene, { camera, controls } = view, to = camera.position.clone().sub(controls.target);
      view.render();
      return { inside: view.cloud.map((p) => view.project(p)).every(([x, y]) => x > 0 && x < view.width && y > 0 && y < view.height), side: to.normalize().toArray(), kind: camera.type, scale: view.scale, chosen: document.querySelector('#scene select[aria-label^="View from"]').value,
        corners: [...Array(8).keys()].map((k) => view.project([0, 1, 2].map((n) => (k >> n & 1 ? view.bounds.max[n] : view.bounds.min[n])))), width: view.width };
    });
    await scene.focus();
    for (const [key, side] of [['1', [0, -1, 0]], ['2', [1, 0, 0]], ['3', [0, 0, 1]], ['4', [0.612, -0.612, 0.5]]]) {
      await page.keyboard.press(key);
      const seen = await eye();
      assert.ok(seen.side.every((v, k) => Math.abs(v - side[k]) < 2e-3), `${key}: ${seen.side}`);
      assert.ok(seen.inside, `${key}: all is in the picture`);
    }
    const before = await eye();
    await page.keyboard.press('p');
    const flat = await eye();
    assert.deepEqual([before.kind, flat.kind, flat.chosen], ['PerspectiveCamera', 'OrthographicCamera', 'oblique']);
    assert.ok(flat.side.every((v, k) => Math.abs(v - before.side[k]) < 1e-6) && flat.inside, 'from the same side');
    const [a, b, c, d] = [0, 1, 2, 3].map((k) => flat.corners[k]);
    assert.ok(Math.hypot(a[0] - b[0] - c[0] + d[0], a[1] - b[1] - c[1] + d[1]) < 1e-6 * flat.width, 'parallels stay parallel');
    await page.keyboard.press('ArrowLeft');
    const turned = await eye();
    assert.equal(turned.chosen, 'hand');
    await page.keyboard.press('p');
    const back = await eye();
    assert.ok(back.kind === 'PerspectiveCamera' && Math.abs(back.scale / turned.scale - 1) < 1e-9 && back.side.every((v, k) => Math.abs(v - turned.side[k]) < 1e-6), 'as large as before, from the same side');
    await page.keyboard.press('f');
    assert.equal((await eye()).chosen, '', 'F: the best side again');
  });

  on('the camera follows a body, by list, key and double click, and keeps it when rows come', fixtures.allShapes, async (page) => {
    const state = (t) => page.evaluate((at) => {
      const { scene, clock } = window.carom, { view } = scene;
      if (at !== null) clock.seek(at);
      view.render();
      const p = view.project(scene.poses[0].point(Math.max(0, scene.followed), [0, 0, 0]));
      return { body: scene.followed, off: Math.hypot(p[0] - view.width / 2, p[1] - view.height / 2), list: Number(document.querySelector('#scene select[aria-label^="The camera follows"]').value), eye: view.camera.position.toArray(), where: p };
    }, t);
    await page.locator('#scene select[aria-label^="The camera follows"]').selectOption('3');
    const first = await state(0), later = await state(1.3);
    assert.ok(first.body === 3 && first.off < 0.5 && later.off < 0.5, `in the middle: ${first.off}, ${later.off}`);
    assert.notDeepEqual(later.eye, first.eye, 'the eye goes along');
    await page.evaluate(() => window.carom.clock.tell('data'));
    const kept = await state(null);
    assert.ok(kept.body === 3 && kept.eye.every((v, k) => Math.abs(v - later.eye[k]) < 1e-9), 'new rows leave the view as it is');
    await page.locator('#scene .view').focus();
    await page.keyboard.press('b');
    const next = await state(null);
    assert.deepEqual([next.body, next.list], [4, 4]);
    await page.keyboard.press('Escape');
    assert.deepEqual(await state(null).then(({ body, list }) => [body, list]), [-1, -1]);
    await page.keyboard.press('f');
    const at = await page.evaluate(() => {
      const { scene } = window.carom, { view } = scene;
      view.render();
      const box = view.host.getBoundingClientRect(), [x, y] = view.project(scene.poses[0].point(1, [0, 0, 0]));
      return [box.left + x, box.top + y];
    });
    await page.mouse.dblclick(...at);
    assert.equal((await state(null)).body, 1, 'a double click on the box');
    await page.keyboard.press('f');
    assert.equal((await state(null)).body, -1, 'F shows all again');
  });

  on('the camera goes along with a small body that travels far', fixtures.thrown, async (page) => {
    const state = (t) => page.evaluate((at) => {
      const { scene, clock } = window.carom, { view } = scene;
      clock.seek(at);
      view.render();
      const p = view.project(scene.poses[0].point(1, [0, 0, 0]));
      return { body: scene.followed, list: Number(document.querySelector('#scene select[aria-label^="The camera follows"]').value), off: Math.hypot(p[0] - view.width / 2, p[1] - view.height / 2), part: 0.06 * view.scale / view.height, cell: view.cell };
    }, t);
    const start = await state(0), later = await state(1.3);
    for (const { body, list, off, part } of [start, later]) assert.ok(body === 1 && list === 1 && off < 0.5 && part > 0.15 && part < 0.6, `from the start, in the middle and large: ${[body, list, off, part]}`);
    assert.ok(start.cell <= 0.1, `the grid suits what is seen: ${start.cell}`);
    await page.locator('#scene .view').focus();
    await page.keyboard.press('3');
    const top = await state(0.5), side = await page.evaluate(() => window.carom.scene.view.side);
    assert.ok(top.body === 1 && top.off < 0.5 && side === 'top', 'from another side, too');
    await page.keyboard.press('f');
    const all = await state(1);
    assert.ok(all.body === -1 && all.part < 0.05 && all.cell >= 0.5, `F shows its whole way: ${[all.part, all.cell]}`);
  });

  on('ground with edges: all of it is shown, and has the grid of the floor', fixtures.onSlab, async (page) => {
    const { body, lines, fields } = await page.evaluate(() => {
      const { scene, clock } = window.carom, { view } = scene, canvas = document.createElement('canvas'), c = canvas.getContext('2d');
      clock.seek(clock.end);
      scene.lookFrom('top');
      view.render(2);
      [canvas.width, canvas.height] = [view.width, view.height];
      c.drawImage(view.renderer.domElement, 0, 0, view.width, view.height);
      const bright = (x, y) => c.getImageData(...view.project([x, y, 0]).map(Math.round), 1, 1).data.slice(0, 3).reduce((sum, v) => sum + v, 0) / 3;
      const at = [...Array(5).keys()].map((k) => (k - 4) * view.cell), mean = (off) => at.reduce((sum, x) => sum + bright(x + off, 0.5 * view.cell), 0) / at.length;
      return { body: scene.followed, lines: mean(0), fields: mean(0.5 * view.cell) };
    });
    assert.equal(body, -1, 'the camera stays');
    assert.ok(lines < fields - 8, `lines on it are darker: ${lines}, ${fields}`);
  });

  on('the camera follows a body in the plane', fixtures.ball, async (page) => {
    const off = (t) => page.evaluate((at) => {
      const { scene, clock } = window.carom, { view } = scene;
      clock.seek(at);
      view.render();
      const p = view.project(scene.placeOf(1));
      return scene.followed === 1 ? Math.hypot(p[0] - view.width / 2, p[1] - view.height / 2) : Infinity;
    }, t);
    assert.equal(await off(0), Infinity, 'not unless it is told to');
    await page.locator('#scene .view').focus();
    await page.keyboard.press('b');
    assert.ok(await off(0) < 0.5 && await off(0.7) < 0.5, 'in the middle');
    await page.keyboard.press('Escape');
    assert.equal(await off(0), Infinity);
  });

  on('touches: every point at its place with its force, as many as there are at a time', fixtures.touched, async (page, run) => {
    const points = (t) => page.evaluate((at) => {
      const { clock, scene } = window.carom, { view, overlay } = scene;
      clock.seek(at);
      view.render();
      return overlay.contacts.points(at).map((point) => ({ ...point, arrow: overlay.arrowOf(point), foot: view.project(point.at) }));
    }, t);
    const four = await points(0.52), row = run.time.findLastIndex((t) => t <= 0.52), given = run.touches.at[row][1];
    assert.equal(four.length, 4);
    four.forEach(({ at, force, state, arrow, foot }, k) => {
      const { at_x: x, at_y: y, force_x: fx, force_z: fz, slip } = given[k];
      assert.ok([x, y, 0].every((v, n) => Math.abs(v - at[n]) < 1e-6) && [fx, 0, fz].every((v, n) => Math.abs(v - force[n]) < 1e-6) && state === slip, 'as recorded, on the body that moves');
      assert.ok(Math.hypot(arrow.p[0] - foot[0], arrow.p[1] - foot[1]) < 1e-9 && arrow.along[1] < 0, 'from the point upwards');
    });
    const lengths = four.map(({ arrow }) => arrow.length);
    assert.ok(lengths.every((v, k) => !k || v > lengths[k - 1]) && Math.abs((lengths[3] / lengths[0]) / Math.cbrt(4) - 1) < 0.1, `a larger force is longer, by its cube root: ${lengths}`);
    assert.equal((await points(1.2)).length, 2);
    assert.equal((await points(1.8)).length, 0, 'nothing touches any more');
    assert.match(await page.textContent('#scene .legend'), /sticks[\s\S]*slips/);
    assert.ok(await page.locator('#scene label', { hasText: 'forces' }).count() === 1);
  });

  on('a table of many impacts scrolls with a run that plays, but not in every picture', fixtures.dense, async (page) => {
    const { scrolls, last, time } = await page.evaluate(async () => {
      const { clock } = window.carom, scroller = document.querySelector('#events .scroller');
      let scrolls = 0;
      scroller.addEventListener('scroll', () => scrolls++);
      clock.seek(0.2);
      clock.set('speed', 0.1);
      const start = performance.now();
      clock.play(true);
      await new Promise((done) => { setTimeout(done, 2000); });
      clock.play(false);
      const time = performance.now() - start;
      await new Promise((done) => { setTimeout(done, 400); });
      return { scrolls, last: scroller.scrollTop, time };
    });
    assert.ok(scrolls >= 1 && last > 0, 'it goes along');
    assert.ok(scrolls <= time / 250 + 3, `${scrolls} times in ${time} ms`);
  });

  on('more than a thousand touches at a time', fixtures.crowdTouched, async (page) => {
    const box = page.locator('#scene label', { hasText: 'forces' }).locator('input'), draw = () => page.evaluate(() => {
      const { clock, scene } = window.carom, canvas = document.querySelector('#scene .overlay');
      clock.seek(1);
      scene.view.render();
      const start = performance.now(), list = scene.overlay.contacts.points(1);
      scene.drawOver();
      const time = performance.now() - start, { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      return { count: list.length, spent: time, ink: data.reduce((sum, v, k) => sum + (k % 4 === 3 && v > 200 ? 1 : 0), 0) };
    });
    assert.ok(!await box.isChecked(), 'arrows for all of them would cover the scene');
    const without = await draw();
    await box.check();
    const { count, spent, ink } = await draw();
    assert.match(await page.textContent('#scene .legend'), /width ∝ ∛force/);
    assert.equal(count, 1200);
    assert.ok(ink > without.ink + 3000, `${ink} pixels, ${without.ink} without`);
    assert.ok(spent < 2000, `${spent} ms`);
  });

  on('a run without contacts', fixtures.withoutContacts, async (page) => {
    assert.match(await page.textContent('#events'), /This model has no contacts/);
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
      assert.ok(await page.evaluate(() => document.querySelector('#scene .view').getBoundingClientRect().bottom <= document.getElementById('dock').getBoundingClientRect().top + 2), 'the scene is on the first screen');
    }, { width, height, scheme });
  }
}

// Runs in the page: how much of some parts of a picture (from left and right in shares, top and bottom in CSS pixels) is not ground.
async function inkOf([base64, parts]) {
  const image = await createImageBitmap(new Blob([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))])), canvas = document.createElement('canvas'), result = {};
  [canvas.width, canvas.height] = [image.width, image.height];
  const c = canvas.getContext('2d');
  c.drawImage(image, 0, 0);
  const rgb = c.getImageData(1, 1, 1, 1).data;
  for (const [name, left, top, right, bottom] of parts) {
    const { data } = c.getImageData(left * image.width, 2 * top, (right - left) * image.width, 2 * (bottom - top));
    let off = 0;
    for (let i = 0; i < data.length; i += 4) if (Math.abs(data[i] - rgb[0]) + Math.abs(data[i + 1] - rgb[1]) + Math.abs(data[i + 2] - rgb[2]) > 60) off++;
    result[name] = off / (data.length / 4);
  }
  return result;
}
