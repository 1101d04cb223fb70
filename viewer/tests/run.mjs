// node tests/run.mjs [path of carom] [only checks whose name has this in it]
// Without a carom only what needs no run of a model is checked.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { launch, folder, runChecks } from './harness.mjs';
import { pageChecks } from './page.mjs';
import { readerChecks } from './reader.mjs';
import { exportChecks } from './exports.mjs';
import { modelChecks } from './models.mjs';
import { geometryChecks } from './geometry.mjs';
import { sweepChecks } from './sweeps.mjs';
import { diagramChecks } from './diagrams.mjs';
import { studyChecks } from './studies.mjs';

const tool = process.argv[2] || process.env.CAROM || join(import.meta.dirname, '../../build/release/carom');
const browser = await launch(), scratch = folder();
geometryChecks();
pageChecks(browser, scratch);
readerChecks(browser, scratch);
exportChecks(browser, scratch);
if (existsSync(tool)) {
  modelChecks(browser, scratch, tool);
  sweepChecks(browser, scratch, tool);
  diagramChecks(browser, scratch, tool);
  studyChecks(browser, scratch, tool);
}
else console.log(`no carom at ${tool}: models are left out`);
const failed = await runChecks(process.argv[3]);
await browser.close();
rmSync(scratch, { recursive: true });
process.exit(failed ? 1 : 0);
