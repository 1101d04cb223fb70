// Pages of bifurcation diagrams: points in both directions, changes, and the commands behind a click.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, open } from './harness.mjs';

// A mass on a spring before a stop, under a force; `bad` makes a value fail.
const MODEL = `title: A rattle
space: planar
parameters: {w: 24 rad/s, bad: 0}
bodies: {mass: {mass: 1 - bad, inertia: 1}}
joints: {slide: {prismatic: [ground, mass], axis: x, limits: [-1 m, 0], material: hard}}
forces:
  spring: {along: slide.q, stiffness: 100, damping: 1}
  drive: {motor: slide, effort: cos(w*t)}
materials: {hard: {restitution: 0.8}}
initial: {slide: {q: -0.01}}
method: event
end: 1
`;

export function diagramChecks(browser, scratch, tool) {
  const model = join(scratch, "it's a rattle.yaml");
  const make = (name, ...words) => {
    writeFileSync(model, MODEL);
    const record = join(scratch, `${name}.h5`), page = join(scratch, `${name}.html`);
    try {
      execFileSync(tool, ['bifurcation', model, '-q', '--force', '--period', '2*pi/w', '--cut', '60', '--points', '8', '-o', record, ...words], { stdio: 'pipe' });
    } catch (error) {
      assert.equal(error.status, 1, String(error.stderr));   // some values failed
    }
    execFileSync(tool, ['report', record, '--force', '-o', page]);
    return page;
  };
  const ended = async (page) => {
    assert.deepEqual(page.trouble, []);
    assert.deepEqual(page.reached, []);
    await page.shut();
  };
  const value = (page) => page.locator('section[aria-label=Value]');

  check('bifurcation: points of both directions, changes and a click', async (path) => {
    const page = await open(browser, path);
    assert.deepEqual(await page.evaluate(() => [window.carom.data.values.length, window.carom.data.kept, window.carom.data.signals]), [14, 112, ['slide.q', 'slide.u']]);
    const drawn = () => page.evaluate(() => window.carom.chart.points.length);
    const both = await drawn();
    await page.getByLabel('backward').uncheck();
    assert.equal(2 * await drawn(), both);
    await page.getByLabel('Signal').selectOption('slide.u');
    await page.getByLabel('backward').check();
    assert.equal(await drawn(), both);
    assert.match(await page.locator('section[aria-label=Changes]').textContent(), /flip/);
    const place = await page.evaluate(() => {
      const { chart } = window.carom, point = chart.points.find((p) => p.row === 2), box = chart.canvas.getBoundingClientRect();
      return [box.left + point.x, box.top + point.y];
    });
    await page.mouse.click(...place);
    assert.match(await value(page).textContent(), /w = 24 rad\/s.*period1/);
    // The first command leads to the same value; the same point stands there, to the digits of a page.
    const command = await value(page).locator('code').first().textContent(), again = join(scratch, 'again.h5');
    execFileSync('/bin/sh', ['-c', `${command.replace(/^carom/, `"${tool}"`)} -q --force -o "${again}"`]);
    const points = execFileSync(tool, ['export', again, '--table', 'points']).toString().trim().split('\n').at(-1).split(',');
    const shown = await page.evaluate(() => { const { data } = window.carom; return data.column('slide.q')[3 * data.rule.points - 1]; });
    assert.equal(Number(points[5]), shown);
    await page.getByLabel('Number of a value').fill('13');
    await page.getByLabel('Number of a value').press('Enter');
    assert.match(await value(page).textContent(), /w = 20 rad\/s.*backward/);
    await ended(page);
  }, () => make('rattle', '--vary', 'w=20 rad/s,22 rad/s,24 rad/s,25 rad/s,26 rad/s,26.5 rad/s,26.8 rad/s', '--take', 'slide.q, slide.u'));

  check('bifurcation: values that failed hold their message', async (path) => {
    const page = await open(browser, path);
    await page.locator('section[aria-label="Values that failed"] button').first().click();
    assert.match(await value(page).textContent(), /bad = 2: failed.*mass/s);
    await ended(page);
  }, () => make('failed-values', '--vary', 'bad=0,2', '--one-way'));
}
