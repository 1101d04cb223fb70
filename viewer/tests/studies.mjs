// Pages of modes and fits, and runs as glTF in three.js.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createReadStream, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { open, check } from './harness.mjs';

const PENDULUM = `title: Double pendulum
space: planar
gravity: [0, -9.81]
bodies:
  a: {mass: 2, inertia: 0, com: [0, -0.7]}
  b: {mass: 2, inertia: 0, com: [0, -0.7]}
joints: {first: {revolute: [ground, a]}, second: {revolute: [a, b], at: [0, -0.7]}}
end: 1
`;

const SWING = `title: Swing
space: planar
parameters: {l: 0.5 m, spare: 0.5}
bodies: {bob: {mass: 1, inertia: 0, com: [0, -l]}}
joints: {pin: {revolute: [ground, bob]}}
forces: {idle: {along: pin, effort: 0*spare}}
initial: {pin: {q: 0.01}}
end: 2
`;

const SPIN = `title: Spin
gravity: [0, 0, 0]
bodies: {box: {mass: 1, inertia: [1, 1, 1], shape: {box: [0.2, 0.4, 0.6]}}}
joints: {free: {free: [ground, box]}}
initial: {box: {velocity: [1, 2, 3], omega: [0, 0, 2]}}
record: {every: 0.1}
end: 1
`;

// What the page of three.js asks for, and nothing else.
const PAGE = `<!doctype html><script type="importmap">{"imports": {"three": "/three/build/three.module.js", "three/addons/": "/three/examples/jsm/"}}</script>
<script type="module">
import * as three from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
const { scene, animations } = await new GLTFLoader().loadAsync('/run.glb'), mixer = new three.AnimationMixer(scene);
mixer.clipAction(animations[0]).play();
window.look = (name, t) => {
  mixer.setTime(t);
  scene.updateMatrixWorld(true);
  const body = scene.getObjectByName(name), box = new three.Box3().setFromObject(body), p = new three.Vector3().setFromMatrixPosition(body.matrixWorld);
  return { at: p.toArray(), min: box.min.toArray(), max: box.max.toArray(), duration: animations[0].duration };
};
window.ready = true;
</script>`;

function serve(glb) {
  const three = join(import.meta.dirname, '../node_modules/three');
  const server = createServer((request, response) => {
    const url = decodeURIComponent(request.url);
    if (url === '/') return response.setHeader('content-type', 'text/html').end(PAGE);
    if (url === '/favicon.ico') return response.end();
    if (url.endsWith('.js')) response.setHeader('content-type', 'text/javascript');
    return createReadStream(url === '/run.glb' ? glb : join(three, url.replace('/three/', ''))).pipe(response);
  });
  return new Promise((done) => { server.listen(0, '127.0.0.1', () => done(server)); });
}

export function studyChecks(browser, scratch, tool) {
  const write = (name, text) => {
    const path = join(scratch, name);
    writeFileSync(path, text);
    return path;
  };
  const carom = (...words) => execFileSync(resolve(tool), words, { stdio: 'pipe', cwd: scratch });

  check('modes: a click shows one mode, which moves by its shape', async (path) => {
    const page = await open(browser, path);
    const cells = await page.locator('#modes td').allTextContents();
    assert.match(cells[0], /^456\.01.mHz/);   // sqrt((2 - sqrt 2) 9.81/0.7)/2 pi Hz
    assert.match(cells[3], /^1\.1009.Hz/);
    await page.getByRole('button', { name: 'Mode 2' }).click();
    assert.equal(await page.evaluate(() => window.carom.clock.playing), true);
    await page.evaluate(() => window.carom.clock.play(false));
    const [[a, b], angles] = await page.evaluate(() => {
      const { clock, report } = window.carom, { tables } = report.runs[0];
      clock.seek(1);
      const joints = tables.get('joints');
      return [clock.window, joints.columns.filter((c) => c.name.endsWith('.q')).map((c) => c.values[41])];
    });
    assert.ok(Math.abs(a - 1) < 1e-9 && Math.abs(b - 2) < 1e-5);
    assert.ok(Math.abs(angles[1] / angles[0] + Math.SQRT2 + 1) < 1e-4, `${angles}`);   // 32 bits
    assert.equal(await page.getByRole('button', { name: 'Mode 2' }).getAttribute('aria-pressed'), 'true');
    assert.deepEqual(page.trouble, []);
    await page.shut();
  }, async () => {
    carom('modes', write('pair.yaml', PENDULUM), '-o', 'modes.h5', '--force');
    carom('report', 'modes.h5', '-o', 'modes.html', '--force');
    return join(scratch, 'modes.html');
  });

  check('fit: data, model, residuals, intervals and correlation', async (path) => {
    const page = await open(browser, path);
    assert.match(await page.locator('#head p').textContent(), /^fit to 60\u00a0samples · .* · none failed$/);
    const cells = await page.locator('section[aria-label=Parameters] td').allTextContents();
    assert.match(cells[0], /^599\.\d+ mm|^600(\.\d+)? mm/);
    assert.equal(await page.locator('section[aria-label=Correlation] td').first().textContent(), '1.000');
    assert.match(await page.locator('section[aria-label=Warnings]').textContent(), /do not tell 'spare'/);
    const inked = await page.evaluate(() => [...document.querySelectorAll('#sweep canvas')].map((canvas) => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      let count = 0;
      for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 0 && Math.abs(data[i] - data[i + 2]) > 60) count++;
      return count;
    }));
    assert.equal(inked.length, 3);   // intervals, of which one is thin and the other grey; traces; residuals
    assert.ok(inked[0] > 5 && inked[1] > 1000 && inked[2] > 1000, `${inked}`);
    assert.match(await page.locator('section[aria-label="How to use it"] code').textContent(), /^carom run swing\.yaml --set 'l=/);
    assert.deepEqual(page.trouble, []);
    assert.deepEqual(page.reached, []);
    await page.shut();
  }, async () => {
    write('swing.yaml', SWING);
    const rows = Array.from({ length: 60 }, (_, k) => [k / 30, Math.cos(Math.sqrt(9.81 / 0.6) * k / 30) * 0.01 + 1e-4 * Math.sin(17 * k * k)]);
    write('angle.csv', `t,angle\n${rows.map((row) => row.join(',')).join('\n')}\n`);
    carom('identify', 'swing.yaml', '--data', 'angle.csv', '--match', 'pin.q=angle', '--fit', 'l=0.3 m:0.9 m', '--fit', 'spare=0:1', '-o', 'fit.h5', '--force', '-q');
    carom('report', 'fit.h5', '-o', 'fit.html', '--force');
    return join(scratch, 'fit.html');
  });

  check('glTF: three.js shows the bodies where the run has them', async (glb) => {
    const server = await serve(glb), context = await browser.newContext(), page = await context.newPage(), trouble = [];
    page.on('pageerror', (e) => trouble.push(String(e)));
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    await page.waitForFunction(() => window.ready);
    // z is up in carom and y in glTF: (x, y, z) becomes (x, z, -y); after 0.5 s the box has turned by a radian about it
    const { at, min, max, duration } = await page.evaluate(() => window.look('box', 0.5));
    const near = (x, y, within = 1e-5) => assert.ok(Math.abs(x - y) < within, `${x} and ${y}`);
    near(duration, 1);
    [0.5, 1.5, -1].forEach((x, k) => near(at[k], x));
    const across = [0.2 * Math.cos(1) + 0.4 * Math.sin(1), 0.6, 0.2 * Math.sin(1) + 0.4 * Math.cos(1)];
    across.forEach((x, k) => near(max[k] - min[k], x, 1e-4));
    assert.deepEqual(trouble, []);
    await context.close();
    server.close();
  }, async () => {
    carom('run', write('spin.yaml', SPIN), '-q', '-o', 'spin.h5', '--force');
    carom('export', 'spin.h5', '--to', 'gltf', '-o', 'spin.glb', '--force');
    return join(scratch, 'spin.glb');
  });
}
