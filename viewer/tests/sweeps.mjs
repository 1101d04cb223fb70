// Pages of sweeps: every kind of drawing, the row behind a click, and that its command repeats the run.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, open } from './harness.mjs';

const MODEL = `title: A throw
space: planar
gravity: [0, -10]
parameters: {h: 1 m, v: 0 m/s, bad: 0}
bodies: {ball: {mass: 2 - bad, inertia: 1}}
joints: {free: {free: [ground, ball]}}
initial: {free: {q: [0, 0, h], u: [0, 0, v]}}
outputs: {height: ball.y}
method: smooth
record: {every: 0.1}
end: 0.5
`;

export function sweepChecks(browser, scratch, tool) {
  const model = join(scratch, "it's a throw.yaml");
  const make = (name, ...words) => {
    writeFileSync(model, MODEL);
    const record = join(scratch, `${name}.h5`), page = join(scratch, `${name}.html`);
    try {
      execFileSync(tool, ['sweep', model, '-q', '--force', '-o', record, ...words], { stdio: 'pipe' });
    } catch (error) {
      assert.equal(error.status, 1, String(error.stderr));   // some rows failed
    }
    execFileSync(tool, ['report', record, '--force', '-o', page]);
    return page;
  };
  const kinds = (page) => page.getByLabel('Kind of drawing');
  const ended = async (page) => {
    assert.deepEqual(page.trouble, []);
    assert.deepEqual(page.reached, []);
    await page.shut();
  };
  // How many pixels of the drawing have a colour of their own.
  const inked = (page) => page.evaluate(() => {
    const canvas = document.querySelector('#sweep canvas'), { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 0 && Math.abs(data[i] - data[i + 2]) > 30) count++;
    return count;
  });
  const clickRow = async (page, number) => {
    const place = await page.evaluate((n) => {
      const { rows, chart } = window.carom, point = chart.points.find((p) => rows.values('row')[p.row] === n), box = chart.canvas.getBoundingClientRect();
      return [box.left + point.x, box.top + (point.box ? (point.box[1] + point.box[3]) / 2 : point.y)];
    }, number);
    await page.mouse.click(...place);
    return page.locator('section[aria-label=Row]');
  };

  check('sweep: 10 000 rows in every kind of drawing, and a click repeats a run', async (path) => {
    const page = await open(browser, path);
    assert.equal(await page.evaluate(() => window.carom.rows.count), 10000);
    for (const kind of ['heat', 'scatter', 'histogram', 'lines', 'heat']) {
      const start = Date.now();
      await kinds(page).selectOption(kind);
      assert.equal(await page.locator('#sweep canvas').first().getAttribute('data-kind'), kind);
      assert.ok(await inked(page) > 500, `${kind} draws`);
      assert.ok(Date.now() - start < 3000, `${kind} took ${Date.now() - start} ms`);
    }
    const row = await clickRow(page, 4217);
    assert.equal(await row.locator('h2').textContent(), 'Row 4217');
    // the command, given to a shell as it stands, gives the value of the row to the last bit
    const command = (await row.locator('code').textContent()).replace(/^carom/, `'${tool}'`), record = join(scratch, 'again.h5');
    execFileSync('sh', ['-c', `${command} -q -o '${record}'`]);
    const last = execFileSync(tool, ['export', record, '--table', 'outputs']).toString().trim().split('\n').at(-1).split(',').at(-1);
    assert.equal(Number(last), await page.evaluate(() => window.carom.rows.values('last(height)')[4217]));
    await ended(page);
  }, async () => make('many', '--vary', 'h=1 m:2 m:100', '--vary', 'v=1 m/s:100 m/s:100:log', '-j', '2'));

  check('sweep: one quantity is drawn as lines, with a row by its number', async (path) => {
    const page = await open(browser, path);
    assert.equal(await kinds(page).inputValue(), 'lines');
    await page.getByLabel('Number of a row').fill('3');
    await page.keyboard.press('Enter');
    assert.equal(await page.locator('section[aria-label=Row] h2').textContent(), 'Row 3');
    const values = await page.locator('section[aria-label=Row] dd').allTextContents();
    assert.equal(values[0], '4 m');
    await ended(page);
  }, async () => make('few', '--vary', 'h=1 m:5 m:5'));

  check('sweep: words, rows that failed and their messages', async (path) => {
    const page = await open(browser, path);
    assert.match(await page.locator('#head p').textContent(), /4\u00a0rows · 2 failed/);
    await page.getByRole('button', { name: 'row 3' }).click();
    const row = page.locator('section[aria-label=Row]');
    assert.match(await row.locator('.trouble').textContent(), /mass/);
    assert.match(await row.locator('code').textContent(), /^carom run '.*it'\\''s a throw.yaml' --set coordinates=absolute --set bad=3$/);
    await ended(page);
  }, async () => make('failed', '--vary', 'coordinates=joint,absolute', '--vary', 'bad=0,3'));

  check('sweep: a sample as points, with indices of sensitivity', async (path) => {
    const page = await open(browser, path);
    assert.equal(await kinds(page).inputValue(), 'scatter');
    assert.equal(await page.locator('.indices').count(), 1);
    const cells = (await page.locator('.indices td').allTextContents()).map((text) => Number.parseFloat(text));
    // the height at the end is h + v/2 - 1.25, and both ranges are one wide: the variances are as 1 to 1/4
    for (const [k, exact] of [0.8, 0.8, 0.2, 0.2].entries()) assert.ok(Math.abs(cells[k] - exact) < 0.05, `${cells}`);
    const made = await page.locator('section[aria-label="How the sweep was made"] code').textContent();
    assert.match(made, /^carom sweep .* --vary 'h=1 m:2 m' --vary 'v=0 m\/s:1 m\/s' --sample 512 --seed 1 --points sobol --sensitivity --take 'last\(height\)' -o /);
    await page.getByLabel('Second quantity').selectOption('v');
    assert.ok(await inked(page) > 500);
    await ended(page);
  }, async () => make('sample', '--vary', 'h=1 m:2 m', '--vary', 'v=0 m/s:1 m/s', '--sample', '512', '--sensitivity', '--take', 'last(height)'));
}
