// Every model under models/: run it, report it, open it, play it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { check, open, times } from './harness.mjs';

const MODELS = join(import.meta.dirname, '../../models');

export function modelChecks(browser, scratch, tool) {
  const record = (model, name, ...more) => {
    execFileSync(tool, ['run', join(MODELS, `${model}.yaml`), '-o', join(scratch, `${name}.h5`), '--quiet', ...more]);
    return join(scratch, `${name}.h5`);
  };
  const report = (name, ...records) => {
    execFileSync(tool, ['report', ...records, '-o', join(scratch, `${name}.html`)]);
    return join(scratch, `${name}.html`);
  };

  for (const model of readdirSync(MODELS).filter((f) => f.endsWith('.yaml')).map((f) => f.slice(0, -5))) {
    check(`report of ${model}`, async () => {
      const page = await open(browser, report(model, record(model, model)));
      const before = await page.evaluate(() => [...window.carom.scene.poses[0].data]);
      await page.evaluate(() => {
        const { clock } = window.carom;
        clock.seek((clock.start + clock.end) / 2);
      });
      const { clock, shown } = await times(page);
      assert.ok(shown.length > 1 && shown.every((t) => t === clock), 'scene, plots and table show one time');
      const after = await page.evaluate(() => [...window.carom.scene.poses[0].data]);
      assert.ok(after.every(Number.isFinite), 'every pose is a number');
      assert.notDeepEqual(after, before, 'something has moved');
      assert.deepEqual(page.trouble, []);
      assert.deepEqual(page.reached, []);
      await page.shut();
    });
  }

  check('two runs of the slider-crank in one page', async () => {
    const page = await open(browser, report('two', record('slider-crank', 'first'), record('slider-crank', 'second', '--set', 'clearance=0.5 mm')));
    assert.equal(await page.locator('.runs li').count(), 2);
    assert.ok(await page.locator('#compare tbody tr').count() > 10, 'a table of differences');
    assert.equal(await page.evaluate(() => window.carom.scene.solids.length), 2, 'a ghost in the scene');
    assert.deepEqual(page.trouble, []);
    await page.shut();
  });
}
