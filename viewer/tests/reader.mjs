// For whoever reads the page: by keyboard, without colours, on paper, with little patience.
import assert from 'node:assert/strict';
import { checksOn, download, times } from './harness.mjs';
import * as fixtures from './fixtures.mjs';

// Two runs with three quantities in their first plot.
const pair = () => {
  const [runs, compare] = fixtures.pair();
  for (const run of runs) run.plots[0].columns = [['joints', 0], ['joints', 1], ['contacts', 0]];
  return [runs, compare];
};

export function readerChecks(browser, scratch) {
  const { on } = checksOn(browser, scratch);
  const pages = { 'a run': fixtures.twoContacts, 'a loop': fixtures.pressed, 'a section': fixtures.turning, 'two runs': pair, 'no contacts': fixtures.withoutContacts, 'a failed run': fixtures.failed, 'a model in space': () => fixtures.many(5, 50) };

  for (const [name, make] of Object.entries(pages)) {
    on(`keyboard: every control of ${name} is reached, named, and seen in focus`, make, async (page) => {
      assert.deepEqual(await nameless(page), [], 'controls without a name');
      const { reached, unseen } = await tabThrough(page);
      assert.deepEqual(unseen, [], 'the focus is seen');
      const missed = await page.evaluate(() => [...document.querySelectorAll('button, select, input, a[href], summary, [tabindex="0"]')]
        .filter((e) => !e.disabled && e.checkVisibility() && !e.dataset.reached).map((e) => e.outerHTML.slice(0, 120)));
      assert.deepEqual(missed, [], `${reached} reached, these not`);
    });
  }

  on('the window of a laptop holds verdict, scene and time line', fixtures.ball, async (page) => {
    const bottom = await page.evaluate(() => document.querySelector('#scene .view').getBoundingClientRect().bottom);
    const top = await page.evaluate(() => document.querySelector('#dock').getBoundingClientRect().top);
    assert.ok(bottom <= top, `scene down to ${bottom}, time line from ${top}`);
  }, { width: 1366, height: 657 });

  on('keyboard: portraits, plots and the ledger take keys of their own', fixtures.turning, async (page) => {
    const panel = page.locator('#portraits .panel', { hasText: 'Phase portrait' }).first(), canvas = panel.locator('canvas[tabindex]');
    const ink = () => canvas.evaluate((c) => c.toDataURL()), before = await ink();
    await canvas.focus();
    await page.keyboard.press('+');
    assert.notEqual(await ink(), before, 'closer');
    assert.ok(!await page.evaluate(() => window.carom.clock.isZoomed), 'the time in view stays');
    await page.keyboard.press('0');
    assert.equal(await ink(), before, 'all again');
    await page.locator('#energy canvas[tabindex]').focus();
    await page.keyboard.press('ArrowRight');
    assert.ok(await page.evaluate(() => window.carom.clock.t > 0), 'a sample on');
    await page.locator('.timeplot .plot').first().focus();
    await page.keyboard.press('+');
    assert.ok(await page.evaluate(() => window.carom.clock.isZoomed), 'less time in view');
  });

  on('keyboard: rows of the impact table', () => fixtures.dense(), async (page, run) => {
    const rows = page.locator('#events tr.row'), marked = () => page.locator('#events tr[aria-selected=true]').getAttribute('data-row');
    const at = () => page.evaluate(() => [Number(document.activeElement.dataset.row), window.carom.clock.t]);
    await rows.first().focus();
    for (const [key, row] of [['ArrowDown', 1], ['End', run.impacts.rows.length - 1], ['ArrowDown', run.impacts.rows.length - 1], ['Home', 0], ['ArrowUp', 0]]) {
      await page.keyboard.press(key);
      const [focused, t] = await at();
      assert.equal(focused, row, key);
      assert.equal(await marked(), String(row), `${key} marks it`);
      assert.ok(Math.abs(t - run.impacts.rows[row].start) < 1e-3, `${key} goes there`);
    }
    await page.keyboard.press('PageDown');
    assert.ok((await at())[0] > 5, 'a page on');
  });

  on('thousands of impacts: sorted and filtered at once, and a strip that can be read', () => fixtures.dense(), async (page) => {
    const slow = await page.evaluate(() => {
      const start = performance.now();
      for (const button of document.querySelectorAll('#events th button')) button.click();
      return performance.now() - start;
    });
    assert.ok(slow < 1500, `nine sorts of 2000 rows in ${slow.toFixed()} ms`);
    const strip = page.locator('#dock .strip');
    assert.match(await strip.getAttribute('title'), /^Each bar shows the strongest/);
    const { inked, gaps, width } = await stripColumns(page);
    assert.ok(Math.abs(inked - 0.3 * 3 / 4) < 0.02, `three of four pixels where the two bursts are, which take three tenths: ${inked}`);
    assert.ok(Math.abs(gaps - 0.3 * width / 4) < 5, `a gap every four pixels there: ${gaps} of ${width}`);
    await page.evaluate(() => window.carom.clock.show(0.3, 0.32));
    assert.match(await strip.getAttribute('title'), /^Each mark is an impact/);
  });

  on('a filter by kind', fixtures.twoContacts, async (page, run) => {
    const lasting = run.impacts.rows.filter((r) => r.end - r.start > 0.05);
    await page.getByLabel('Filter by kind').selectOption({ label: `lasting contacts (${lasting.length})` });
    assert.equal(await page.locator('#events tr.row').count(), lasting.length);
    assert.deepEqual(await restitutions(page), lasting.map(() => '–'), 'only an impact has a restitution');
    await page.getByLabel('Filter by kind').selectOption({ label: 'all kinds' });
    await page.locator('#events [data-sort="restitution_achieved"]').click();
    const sorted = await restitutions(page);
    assert.ok(sorted.length > 3 && Number(sorted[0]) >= 0.6, `the largest first: ${sorted}`);
    await page.getByLabel('Filter by kind').selectOption({ label: `lasting contacts (${lasting.length})` });
    assert.deepEqual(await page.getByLabel('Filter by contact').locator('option').allTextContents(),
      ['all contacts', ...[0, 1].map((k) => `${run.impacts.points[k].name} (${run.impacts.rows.filter((r) => r.point === k).length})`)]);
  });

  on('episodes of pairs beside impacts of points', fixtures.pairs, async (page, run) => {
    const { rows } = run.episodes, shown = () => page.locator('#episodes tr.row').count();
    assert.match(await page.textContent('#head p'), new RegExp(`${rows.length}\\sepisodes with ${run.impacts.rows.length}\\simpacts`));
    assert.match(await page.textContent('#episodes h2'), new RegExp(`^Episodes \\(${rows.length}\\)$`));
    await page.getByLabel('Filter by pair').selectOption({ label: 'block-floor (1)' });
    assert.equal(await shown(), 1);
    assert.deepEqual((await page.locator('#episodes tr.row td').allTextContents()).slice(1, 4), ['block-floor', '2.000', '0'], 'pair, length, impacts');
    await page.getByLabel('Filter by pair').selectOption({ label: `ball-floor (${rows.length - 1})` });
    await page.locator('#episodes tr.row').nth(2).click();
    assert.equal((await times(page)).clock, rows.filter((r) => r.pair === 0)[2].start, 'a click goes to its start');
    assert.equal(await page.evaluate(() => window.carom.clock.stops), null, 'the keys still stop at every impact');
    const { content } = await download(page, () => page.getByLabel('Episodes: these rows as CSV').click());
    assert.equal(String(content).trim().split('\n').length, rows.length, 'a head and the rows that are shown');
  });

  on('regimes as lanes: sticks, slides and is apart differ by height', fixtures.pairs, async (page) => {
    assert.deepEqual(await page.locator('#regimes li').allTextContents(), ['ball-floor', 'block-floor']);
    assert.match(await page.locator('#regimes canvas').getAttribute('aria-label'), /block-floor: sticks 1\stime, slides 1\stime/);
    const [apart, slides, sticks] = await page.evaluate(() => {
      const canvas = document.querySelector('#regimes canvas'), { width, height } = canvas, { data } = canvas.getContext('2d').getImageData(0, 0, width, height), scale = height / canvas.clientHeight;
      const tall = (lane, t) => [...Array(Math.round(18 * scale)).keys()].filter((y) => data[4 * ((y + Math.round(18 * scale * lane)) * width + Math.round(t / 2 * width)) + 3] > 100).length;
      return [tall(0, 0.2), tall(1, 0.2), tall(1, 1)];
    });
    assert.ok(0 < apart && apart < slides && slides < sticks, `${apart}, ${slides}, ${sticks} pixels`);
    const box = await page.locator('#regimes canvas').boundingBox();
    await page.locator('#regimes canvas').click({ position: { x: box.width / 4, y: 5 } });
    assert.ok(Math.abs((await times(page)).clock - 0.5) < 0.01, 'a click goes there');
  });

  on('a record without episodes and regimes has no room for them', fixtures.ball, async (page) => {
    assert.equal(await page.locator('#episodes *, #regimes *').count(), 0);
    assert.doesNotMatch(await page.textContent('#head'), /episode/i);
  });

  on('contact that sticks and that slips differ in the strip by thickness', () => fixtures.dense(), async (page) => {
    const thick = await page.evaluate(() => {
      const canvas = document.querySelector('#dock .strip canvas'), { width, height } = canvas, { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
      // Rows below the base line and above the numbers, at the middle of each burst.
      const at = (share) => [...Array(height).keys()].filter((y) => y > height - 20 && y < height - 12 && data[4 * (y * width + Math.round(share * width)) + 3] > 200).length;
      return [at(0.17), at(0.73)];
    });
    assert.ok(thick[0] > thick[1], `${thick[0]} and ${thick[1]} rows of pixels`);
  });

  on('without colours: curves, arrows, levels and bands are told apart', () => fixtures.dense(), async (page) => {
    await distinctSwatches(page, 8);
    const shapes = await page.locator('#scene .legend svg').evaluateAll((list) => list.map((e) => e.innerHTML.replace(/(stroke|fill)="[^"]*"|style="[^"]*"|class="[^"]*"/g, '')));
    assert.ok(shapes.length >= 3 && new Set(shapes).size === shapes.length, 'arrows by their shape');
    const bands = await page.locator('#energy .chip').evaluateAll((list) => list.map((e) => [e.textContent, e.querySelectorAll('path').length]));
    assert.ok(bands.some(([name, hatch]) => name === 'impact (lost)' && hatch === 1) && bands.some(([name, hatch]) => name === 'kinetic' && hatch === 0), 'what is lost is hatched');
  });
  on('without colours: curves of two runs', pair, (page) => distinctSwatches(page, 6));
  on('every curve of a run has the colour of the run', pair, async (page) => {
    const strokes = (selector) => page.locator(selector).evaluateAll((list) => list.map((e) => e.style.stroke));
    const runs = await strokes('#verdict .runs svg line'), curves = new Set(await strokes('.timeplot .chip svg line'));
    assert.equal(new Set(runs).size, 2);
    assert.deepEqual([...curves].sort(), [...runs].sort());
    const chips = new Set(await strokes('#portraits .chip svg line'));
    assert.deepEqual([...chips].sort(), [...runs].sort());
  });
  on('a residual of zero is not shown as no problem', fixtures.turning, async (page) => {
    assert.equal(await page.textContent('#verdict [data-check="solver"] .value'), '≪ 10⁻⁸');
  });
  on('without colours: levels of the verdict', fixtures.turning, async (page) => {
    const signs = await page.locator('#verdict .checks .sign').evaluateAll((list) => [...new Map(list.map((e) => [e.getAttribute('aria-label'), e.querySelector('path').getAttribute('d')])).values()]);
    assert.equal(new Set(signs).size, 3);
  });

  for (const scheme of ['light', 'dark']) {
    on(`colours of contact and of curves differ for dichromats, ${scheme}`, fixtures.ball, async (page) => {
      const groups = await page.evaluate(() => {
        const style = getComputedStyle(document.documentElement), get = (n) => style.getPropertyValue(`--${n}`).trim();
        return [['stick', 'slip', 'impact'].map(get), [...Array(8).keys()].map((k) => get(`series-${k}`)), ['good', 'bad'].map(get)];
      });
      for (const colours of groups) for (const [kind, matrix] of Object.entries(DICHROMAT)) {
        const seen = colours.map((c) => simulate(c, matrix));
        for (let i = 0; i < seen.length; i++) for (let k = 0; k < i; k++) {
          const apart = Math.hypot(...seen[i].map((v, n) => v - seen[k][n]));
          assert.ok(apart > APART, `${kind}: ${colours[i]} and ${colours[k]} are ${apart.toFixed(2)} apart`);
        }
      }
    }, { scheme });

    for (const [name, make] of [['a run', fixtures.turning], ['two runs', pair], ['a failed run', fixtures.failed]]) {
      on(`all text of ${name} has a contrast of 4.5 to 1, ${scheme}`, make, async (page) => {
        await page.locator('#events tr.row').first().click();
        await page.mouse.move(5, 5);
        assert.deepEqual(await page.evaluate(weakTexts), []);
      }, { scheme });
    }
  }

  on('on paper: one column, nothing cut off, no controls', fixtures.turning, async (page) => {
    await page.emulateMedia({ media: 'print' });
    for (const gone of ['#dock', '#head nav', '.timeplot header input', '.tools button']) assert.ok(!await page.locator(gone).first().isVisible(), `${gone} is not printed`);
    assert.equal(await page.evaluate(() => getComputedStyle(document.getElementById('work')).display), 'block');
    assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll('.source, .scroller')].filter((e) => e.scrollHeight > e.clientHeight + 1).map((e) => e.className)), [], 'no text is hidden by scrolling');
    const pages = (await page.pdf({ format: 'A4' })).toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;
    assert.ok(pages >= 2 && pages <= 6, `${pages} pages`);
  }, { scheme: 'dark' });

  on('who wants less motion gets none unasked', fixtures.ball, async (page) => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).scrollBehavior), 'auto');
    assert.ok(!await page.evaluate(() => window.carom.clock.playing || document.getAnimations().length > 0));
  });

  on('how the run was made, in words', fixtures.brief, async (page) => {
    const text = await page.textContent('#about');
    for (const part of ['contact by force laws', 'Adams, variable step and order', 'relative tolerance10⁻¹⁰', 'bound of penetration at first contact1 µm', 'longest step10 µs', 'a roweach step', 'some key3', '(1\u00a0line)']) {
      assert.ok(text.includes(part), `'${part}' in ${text}`);
    }
    for (const part of ['dump', 'alpha', 'Baumgarte', 'compression', 'step_', 'highest order']) assert.ok(!text.includes(part), `no '${part}'`);
  });
}

const APART = 0.12;           // of the colour cube's edge: about thirty of 255 steps

// Controls without an accessible name, as the browser itself computes it.
async function nameless(page) {
  const session = await page.context().newCDPSession(page), { nodes } = await session.send('Accessibility.getFullAXTree');
  const focusable = (n) => n.properties?.some((p) => p.name === 'focusable' && p.value.value) && !['RootWebArea', 'row', 'option', 'menuListPopup', 'MenuListPopup'].includes(n.role?.value);
  return nodes.filter((n) => !n.ignored && focusable(n) && !n.name?.value?.trim()).map((n) => `${n.role?.value} ${n.backendDOMNodeId}`);
}

// Tab by Tab through the whole page, until it leaves.
async function tabThrough(page) {
  const unseen = [];
  let reached = 0;
  await page.emulateMedia({ reducedMotion: 'reduce' });   // a page that glides would be looked at too early
  for (; reached < 400; reached++) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(() => {
      const e = document.activeElement;
      if (!e || e === document.body || e.dataset.reached) return null;
      e.dataset.reached = 'true';
      const style = getComputedStyle(e), box = e.getBoundingClientRect(), edge = (id) => document.getElementById(id).getBoundingClientRect();
      // Not under the dock nor under a head that stays: as much as there is of it, or a line's height.
      const free = (element, { top, bottom }) => element.closest('#dock, #head, .skip') || Math.min(bottom, edge('dock').top) - Math.max(top, edge('head').bottom, 0) >= Math.min(16, bottom - top - 1);
      const light = (c) => c.match(/[\d.]+/g).slice(0, 3).map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)).reduce((s, v, k) => s + v * [0.2126, 0.7152, 0.0722][k], 0);
      const [a, b] = [light(style.outlineColor), light(getComputedStyle(document.querySelector('.panel')).backgroundColor)];
      const seen = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2 && (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) >= 3 && box.width > 0 && free(e, box) && box.right > 0 && box.left < innerWidth;
      return { name: e.outerHTML.slice(0, 100), seen };
    });
    if (!at) break;
    if (!at.seen) unseen.push(at.name);
  }
  return { reached, unseen };
}

const restitutions = (page) => page.locator('#events tr.row').evaluateAll((rows) => {
  const k = [...document.querySelectorAll('#events th button')].findIndex((b) => b.dataset.sort === 'restitution_achieved');
  return rows.map((row) => row.cells[k].textContent);
});

// Within a plot no two keys of the legend are alike once their colours are taken away.
async function distinctSwatches(page, least) {
  const plots = await page.locator('.timeplot').evaluateAll((list) => list.map((plot) => [...plot.querySelectorAll('.chip svg')]
    .map((e) => `${e.querySelector('line').getAttribute('stroke-dasharray')} ${e.querySelector('polygon')?.getAttribute('points')}`)));
  for (const keys of plots) assert.equal(new Set(keys).size, keys.length, `all different: ${keys}`);
  assert.ok(Math.max(...plots.map((keys) => keys.length)) >= least, `a plot of ${least} curves`);
}

// Of the strip's pixel columns, the share that a bar fills at half its height, and how many gaps stand between.
const stripColumns = (page) => page.evaluate(() => {
  const canvas = document.querySelector('#dock .strip canvas'), { width, height } = canvas, { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
  const y = Math.round(0.5 * height), full = [...Array(width).keys()].map((x) => data[4 * (y * width + x) + 3] > 60 && data[4 * (y * width + x)] > data[4 * (y * width + x) + 1] + 30);
  return { width, inked: full.filter(Boolean).length / width, gaps: full.filter((on, x) => !on && full[x - 1]).length };
});

// Runs in the page: elements whose own text stands out too little from what is behind it, by WCAG's relative luminance.
function weakTexts() {
  const parse = (c) => {
    const [r, g, b, a = 1] = c.match(/[\d.]+/g).map(Number);
    return c.startsWith('color(') ? [255 * r, 255 * g, 255 * b, a] : [r, g, b, a];
  };
  const light = (rgb) => rgb.map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)).reduce((s, v, k) => s + v * [0.2126, 0.7152, 0.0722][k], 0);
  const behind = (e) => {
    const layers = [];
    for (let at = e; at; at = at.parentElement) {
      const layer = parse(getComputedStyle(at).backgroundColor);
      if (layer[3] > 0) layers.unshift(layer);
    }
    return layers.reduce((under, [r, g, b, a]) => [r, g, b].map((v, k) => a * v + (1 - a) * under[k]), [255, 255, 255]);
  };
  const weak = [];
  for (const e of document.querySelectorAll('body *')) {
    const own = [...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.textContent.trim());
    if (!own || !e.checkVisibility() || e.closest('script, style, noscript, :disabled, datalist')) continue;
    const back = behind(e), [r, g, b, a] = parse(getComputedStyle(e).color), text = [r, g, b].map((v, k) => a * v + (1 - a) * back[k]);
    const [x, y] = [light(text), light(back)], ratio = (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
    if (ratio < 4.5) weak.push(`${e.tagName}.${e.className} '${e.textContent.trim().slice(0, 30)}' ${ratio.toFixed(2)}`);
  }
  return weak;
}

// How those without the long, the middle or the short cones see linear RGB: Viénot, Brettel and Mollon 1999, the last by the same projection.
const DICHROMAT = {
  protanope: [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
  deuteranope: [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]],
  tritanope: [[1.01354, 0.14268, -0.15622], [-0.01181, 0.87561, 0.13619], [0.07707, 0.81208, 0.11085]],
};
function simulate(hex, matrix) {
  const full = hex.length === 4 ? `#${[...hex.slice(1)].map((c) => c + c).join('')}` : hex;
  const linear = [1, 3, 5].map((k) => (parseInt(full.slice(k, k + 2), 16) / 255) ** 2.2);
  return matrix.map((row) => Math.min(1, Math.max(0, row.reduce((s, v, k) => s + v * linear[k], 0))) ** (1 / 2.2));
}
