// Every model under models/: run it, report it, open it, play it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { check, open, times } from './harness.mjs';
import { crowdModel } from '../bench/crowd.mjs';

const MODELS = join(import.meta.dirname, '../../models');

const carom = promisify(execFile);

export function modelChecks(browser, scratch, tool) {
  // By the name of a model or by its file.
  const record = async (model, name, ...more) => {
    await carom(tool, ['run', model.endsWith('.yaml') ? model : join(MODELS, `${model}.yaml`), '-o', join(scratch, `${name}.h5`), '--quiet', ...more]);
    return join(scratch, `${name}.h5`);
  };
  const report = async (name, ...records) => {
    await carom(tool, ['report', ...records, '-o', join(scratch, `${name}.html`)]);
    for (const file of records) rmSync(file);
    return join(scratch, `${name}.html`);
  };

  for (const model of readdirSync(MODELS).filter((f) => f.endsWith('.yaml')).map((f) => f.slice(0, -5))) {
    check(`report of ${model}`, async (path) => {
      const page = await open(browser, path);
      const places = () => page.evaluate(() => [...window.carom.scene.poses[0].data, ...window.carom.scene.poses[0].sheets.flatMap((sheet) => [...sheet?.moved ?? []])]);
      const before = await places();
      await page.evaluate(() => {
        const { clock } = window.carom;
        clock.seek((clock.start + clock.end) / 2);
      });
      const { clock, shown } = await times(page);
      assert.ok(shown.length > 1 && shown.every((t) => t === clock), 'scene, plots and table show one time');
      const after = await places();
      assert.ok(after.every(Number.isFinite), 'every pose is a number');
      assert.notDeepEqual(after, before, 'something has moved');
      assert.deepEqual(page.trouble, []);
      assert.deepEqual(page.reached, []);
      await page.shut();
    }, async () => report(model, await record(model, model)));
  }

  // Kinds that no model under models/ has.
  const loose = `parameters: {c: 0.5 mm}
bodies:
  rod: {mass: 0.5, inertia: [1e-3, 1e-3, 1e-4], com: [0.1, 0, 0.02]}
  block: {mass: 0.4, inertia: [4e-4, 5e-4, 3e-4], com: [5 mm, 2 mm, 0]}
joints:
  journal: {revolute: [ground, rod], axis: y, clearance: c, radius: 10 mm, length: 40 mm, axial_clearance: 1 mm, material: steel}
  channel: {prismatic: [ground, block], at: [0, 0.3, 0], axis: x, clearance: c, length: 60 mm, width: 30 mm, height: 20 mm, material: steel}
materials: {steel: {restitution: 0.5, friction: 0.1}}
forces: {shake: {force: block, components: [0, "5*sin(200*t)", "9*sin(130*t)"]}}
initial: {journal: {u: 3}, channel: {u: 0.5}}
method: {moreau: {step: 2e-5}}
end: 0.2 s
`;
  const looseFile = join(scratch, 'loose.yaml');
  writeFileSync(looseFile, loose);
  for (const [kind, model] of [['guide', 'slider-crank'], ['bearing', 'slider-crank-revolute'], ['socket', 'socket-pendulum'], ['journal', looseFile], ['channel', looseFile]]) {
    check(`the magnifier draws a ${kind} as recorded`, async (path) => {
      const page = await open(browser, path, { width: 1440, height: 900 });
      const seen = await page.evaluate((wanted) => {
        const { clock, scene } = window.carom, { lens } = scene, list = [];
        lens.contact = lens.loose.find((c) => c.kind === wanted);
        for (let k = 1; k < 40; k++) {
          const { times } = lens.column('x').axis;      // at recorded rows: between them a gap does not go straight
          const row = Math.floor(k / 40 * times.length), gap = (i) => lens.column('gap').values[i];
          clock.seek(times[row]);
          scene.drawOver();
          const at = (key) => lens.column(key)?.at(clock.t) ?? 0, d = lens.drawn;
          list.push({ x: at('x'), y: at('y'), z: at('z'), gap: gap(row), change: Math.max(Math.abs(gap(row) - gap(row - 1)), Math.abs(gap(row + 1) - gap(row))), clearance: lens.contact.clearance, ends: lens.middles(), corners: lens.corners(), middle: d.middle, wall: d.wall, half: d.half });
        }
        return list;
      }, kind);
      // The drawn gap on a side: what the walls stand off the inner part when it is in the middle, per clearance. Poses are stored as
      // singles: 6e-8 of some 0.5 m, a ten-thousandth of the clearance.
      for (const s of seen) {
        const pixels = s.wall - s.half[1], ecc = s.ends.map(([x, y]) => [(x - s.middle[0]) / pixels, (s.middle[1] - y) / pixels]), mean = [0, 1].map((k) => ecc.reduce((sum, e) => sum + e[k], 0) / ecc.length);
        const recorded = { guide: Math.abs(s.y), socket: Math.hypot(s.x, s.y, s.z) }[kind] ?? Math.hypot(s.x, s.y), near = (a, b, what, more = 0) => assert.ok(Math.abs(a - b) < 2e-3 + more, `${what}: ${a}, not ${b}`);
        near(Math.hypot(...mean), recorded / s.clearance, 'eccentricity over clearance');
        // And what the nearest point leaves open is the recorded gap, of a journal where no shoulder is nearer. A step of moreau
        // records its gap at the step's middle: what it changes from row to row is allowed.
        const open = s.corners.length ? Math.min(...s.corners.flatMap(([x, y]) => [s.wall - Math.abs(y - s.middle[1]), kind === 'guide' ? Infinity : s.wall - Math.abs(x - s.middle[0])])) / pixels : 1 - Math.max(...ecc.map((e) => Math.hypot(...e)));
        if (kind === 'journal') assert.ok(s.gap / s.clearance < open + 2e-3 + s.change / s.clearance, 'no end is nearer than the gap says');
        else near(open, s.gap / s.clearance, 'gap over clearance', s.change / s.clearance);
      }
      assert.ok(new Set(seen.map((s) => s.ends[0].join())).size > 10, 'it moves');
      assert.deepEqual(page.trouble, []);
      await page.shut();
    }, async () => report(`lens-${kind}`, await record(model, `lens-${kind}`, '--end', '0.05')));
  }

  // A load of 10 N at 1 m bends the root of a section with A = 4 cm² and I = 1 cm⁴: M c/I with c = √(3 I/A) is 8.66 MPa. After 1 s the oscillation has fallen to exp(-0.05 · 2π · 14.5), a hundredth.
  check('a beam at rest has the bending stress of its load', async (path) => {
    const page = await open(browser, path), { root, tip, largest } = await page.evaluate(() => {
      const { clock, scene } = window.carom, beam = scene.poses[0].beams[1];
      clock.seek(clock.end);
      return { root: beam.stressAt(0), tip: beam.stressAt(beam.x.length - 1), largest: scene.poses[0].largestStress(200) };
    });
    assert.ok(Math.abs(root / 8.66e6 - 1) < 0.02, `${root}`);
    assert.ok(tip < 0.02 * root && largest > 1.8 * root && largest < 2.3 * root, `${tip} ${largest}`);
    assert.deepEqual(page.trouble, []);
    await page.shut();
  }, async () => report('stressed', await record('cantilever', 'stressed')));

  check('a solid shows its stress in colour and its deflection larger', async (path) => {
    const page = await open(browser, path), look = () => page.evaluate(() => {
      const { scene } = window.carom, [skin] = scene.solids[0].soft.skins, tint = [...skin.geometry.attributes.tint.array], colours = new Set(tint.map((v, k) => (k % 3 ? '' : tint.slice(k, k + 3).map((c) => c.toFixed(2)).join()))).size - 1;
      const sheet = scene.poses[0].sheets[1];
      return { colours, wide: Math.max(...[...sheet.moved].map((v, k) => Math.abs(v - sheet.vertices[k]))), legend: document.querySelector('#scene .legend').textContent };
    });
    const plain = await look();
    assert.equal(plain.colours, 1, 'one colour without stress');
    await page.locator('#scene label.check', { hasText: 'stress' }).locator('input').check();
    const stressed = await look();
    assert.ok(stressed.colours > 10, `${stressed.colours} colours`);
    assert.match(stressed.legend, /stress up to [0-9.]+ .?Pa/);
    await page.getByLabel('Deflections of flexible bodies in the scene').selectOption('10');
    const larger = await look();
    assert.ok(Math.abs(larger.wide / plain.wide - 10) < 1e-9, `${larger.wide} of ${plain.wide}`);
    assert.deepEqual(page.trouble, []);
    await page.shut();
  }, async () => report('coloured', await record('tuning-fork', 'coloured')));

  check('the arrow on a ball that rests on a floor points up, whichever is named first', async (paths) => {
    for (const path of paths) {
      const page = await open(browser, path), { state, force } = await page.evaluate(() => {
        const { clock, scene } = window.carom;
        clock.seek(clock.end);
        return scene.overlay.contacts.at(clock.end)[0];
      });
      assert.ok(state > 0 && Math.abs(force[2] - 9.81) < 1e-6, `${state}, ${force}`);
      await page.shut();
    }
  }, async () => {
    const surfaces = ['floor: {plane: ground, material: m}', 'ball: {sphere: b, radius: 0.1, material: m}'], paths = [];
    for (const [k, list] of [surfaces, [...surfaces].reverse()].entries()) {
      const file = join(scratch, `resting${k}.yaml`);
      writeFileSync(file, `bodies: {b: {mass: 1, inertia: 4e-3}}\njoints: {j: {free: [ground, b], at: [0, 0, 0.1]}}\nsurfaces: {${list}}\nmaterials: {m: {friction: 0.3}}\nmethod: {moreau: {step: 1 ms}}\nend: 0.05 s\n`);
      paths.push(await report(`resting${k}`, await record(file, `resting${k}`)));
    }
    return paths;
  });

  check('bricks that stand: every point that touches sticks, as recorded', async ({ path, rows }) => {
    const page = await open(browser, path), seen = await page.evaluate(() => {
      const { clock, scene } = window.carom;
      clock.seek(0.1);
      scene.view.render();
      return scene.overlay.contacts.points(0.1);
    });
    assert.ok(rows.length >= 8 && seen.length === rows.length, `${seen.length} of ${rows.length} points`);
    rows.forEach((row, k) => {
      const sense = Math.sign(seen[k].force[1] * row.force_y), near = (a, b) => Math.abs(a - b) <= 1e-6 * (1 + Math.abs(b));
      assert.ok(near(seen[k].at[0], row.at_x) && near(seen[k].at[1], row.at_y) && near(sense * seen[k].force[1], row.force_y), `point ${k}`);
      assert.equal(seen[k].state, 1, `point ${k} sticks`);
    });
    assert.deepEqual(page.trouble, []);
    await page.shut();
  }, async () => {
    const file = await record('overhang', 'bricks', '--end', '0.2', '--set', 'record.touches=true'), { stdout } = await carom(tool, ['export', file, '--table', 'touches'], { maxBuffer: 1e8 });
    const [head, ...lines] = stdout.trim().split('\n').map((line) => line.split(','));
    const rows = lines.map((line) => Object.fromEntries(line.map((v, k) => [head[k], Number(v)]))).filter(({ t }) => t === 0.1);
    return { path: await report('bricks', file), rows };
  });

  check('a thousand spheres: one page below 20 MB, a draw call for all, each at its place', async (path) => {
    assert.ok(statSync(path).size < 20e6, `${statSync(path).size} bytes`);
    const page = await open(browser, path), { calls, hits, free } = await page.evaluate(() => {
      const { scene, clock } = window.carom, { view, poses: [poses], solids: [solids] } = scene, list = [];
      clock.seek(0.3);
      view.render(1);
      const { calls: all } = view.renderer.info.render;
      // A sphere is seen at its middle unless one nearer to the eye covers that.
      const away = (p) => view.camera.position.distanceTo({ x: p[0], y: p[1], z: p[2] }), places = poses.bodies.map((_, b) => poses.point(b, [0, 0, 0]));
      for (let b = 1; b < places.length; b += 41) {
        const [x, y] = view.project(places[b]), seen = view.bodyAt(solids, x, y);
        if (seen !== b && !(seen > 0 && away(places[seen]) < away(places[b]))) list.push([b, seen]);
      }
      return { calls: all, hits: list, free: [...places.keys()].filter((b) => b % 41 === 1).length };
    });
    assert.deepEqual(hits, [], `of ${free} spheres`);
    assert.ok(calls <= 3, `${calls} draw calls`);
    assert.deepEqual(page.trouble, []);
    await page.shut();
  }, async () => {
    writeFileSync(join(scratch, 'crowd.yaml'), crowdModel());
    return report('crowd', await record(join(scratch, 'crowd.yaml'), 'crowd'));
  });

  check('two runs of the slider-crank in one page', async (path) => {
    const page = await open(browser, path);
    assert.equal(await page.locator('.runs li').count(), 2);
    assert.ok(await page.locator('#compare tbody tr').count() > 10, 'a table of differences');
    assert.equal(await page.evaluate(() => window.carom.scene.solids.length), 2, 'a ghost in the scene');
    assert.deepEqual(page.trouble, []);
    await page.shut();
  }, async () => report('two', await record('slider-crank', 'first'), await record('slider-crank', 'second', '--set', 'clearance=0.5 mm')));
}
