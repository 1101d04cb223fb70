// node gallery.mjs MODEL...: pictures of these models' reports in docs/gallery, over all of them index.html, which leads to the
// reports, and README.md, which is checked in and leads to the models; docs/report.png for the README. Called by scripts/gallery.
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { launch, open } from '../viewer/tests/harness.mjs';
import { animate } from './webp.mjs';

const ROOT = join(import.meta.dirname, '..'), GALLERY = join(ROOT, 'docs/gallery'), README_MODEL = 'slider-crank';
const escape = (text) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

// What a model says of itself: title, source, and the comment at its top, unless that explains a line below it.
function describe(text) {
  const field = (key) => {
    const found = text.match(new RegExp(`^${key}: *(?:>-\\n((?:  .*\\n)+)|(.*)$)`, 'm'));
    return found ? (found[1] ?? found[2]).replace(/\s+/g, ' ').trim() : '';
  };
  const lines = text.split('\n'), first = lines.findIndex((line) => line.startsWith('# '));
  const comment = [];
  for (let i = first; i >= 0 && i < Math.min(lines.length, first + 12) && lines[i].startsWith('#'); i++) comment.push(lines[i].replace(/^# ?/, ''));
  const near = first >= 0 && first < 12;
  const words = near ? comment.join(' ').replace(/\s+/g, ' ').trim() : '';
  return { title: field('title'), source: field('source'), words };
}

// Part of the run after which the picture is taken: something has moved by then, and these have not yet come to rest.
const USUAL = 0.4, EARLIER = { stones: 0.11, dominoes: 0.3 };
const goodTime = (page, part) => page.evaluate((share) => {
  const run = JSON.parse(document.getElementById('carom-run').textContent).runs[0];
  return run.t0 + share * (run.t1 - run.t0);
}, part);

// The scene alone, without its buttons, in the shape of the cards.
const SIZE = { width: 900, height: 600 };
const FILLED = '#scene .view { position: fixed !important; inset: 0; width: 900px; height: 600px !important; z-index: 50 } .zoomers, .corner { display: none !important }';

async function picture(browser, name) {
  const page = await open(browser, join(GALLERY, `${name}.html`), SIZE);
  await page.addStyleTag({ content: FILLED });
  await page.evaluate((t) => window.carom.clock.seek(t), await goodTime(page, EARLIER[name] ?? USUAL));
  await page.waitForTimeout(400);
  await page.evaluate(() => window.carom.scene.frame());
  await page.waitForTimeout(200);
  await page.evaluate(() => window.carom.scene.view.render(2));   // smooth edges
  await page.locator('#scene .view').screenshot({ path: join(GALLERY, `${name}.jpg`), type: 'jpeg', quality: 60 });
  await page.shut();
}

// The whole run in one moving picture, for models whose motion one picture does not show.
const MOVING = ['hexapod-flat', 'hexapod-stairs'], FRAMES = 60, FRAME_MS = 110, SMALL = { width: 480, height: 320 };

const asWebp = (page, png) => page.evaluate(async (data) => {
  const image = new Image();
  image.src = `data:image/png;base64,${data}`;
  await image.decode();
  const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
  canvas.getContext('2d').drawImage(image, 0, 0);
  return canvas.toDataURL('image/webp', 0.6).split(',')[1];
}, png.toString('base64'));

async function movingPicture(browser, name) {
  const page = await open(browser, join(GALLERY, `${name}.html`), SMALL), frames = [];
  await page.addStyleTag({ content: FILLED.replace('900px', `${SMALL.width}px`).replace('600px', `${SMALL.height}px`) });
  await page.evaluate(() => window.carom.scene.frame());
  for (let k = 0; k < FRAMES; k++) {
    await page.evaluate((t) => window.carom.clock.seek(t), await goodTime(page, k / (FRAMES - 1)));
    await page.waitForTimeout(60);
    await page.evaluate(() => window.carom.scene.view.render(2));
    const png = await page.locator('#scene .view').screenshot({ type: 'png' });
    frames.push(Buffer.from(await asWebp(page, png), 'base64'));
  }
  writeFileSync(join(GALLERY, `${name}.webp`), animate(frames, SMALL.width, SMALL.height, FRAME_MS));
  await page.shut();
}

async function readmePicture(browser) {
  const page = await open(browser, join(GALLERY, `${README_MODEL}.html`), { width: 1440, height: 900 });
  await page.locator('#events tbody tr').nth(5).click();  // in the middle of an impact
  await page.evaluate(() => window.scrollTo(0, 0));
  await page.waitForTimeout(500);
  await page.screenshot({ path: join(ROOT, 'docs/report.png') });
  await page.shut();
}

const about = (name) => describe(readFileSync(join(ROOT, 'models', `${name}.yaml`), 'utf8'));

// A report that is not there, as only some models were run: its model instead.
function card(name) {
  const { title, source, words } = about(name);
  const link = existsSync(join(GALLERY, `${name}.html`)) ? `${name}.html` : `../../models/${name}.yaml`;
  return `<article><a href="${link}"><img src="${name}.jpg" alt="" loading="lazy"><h2>${escape(title || name)}</h2></a>
${source ? `<p class="source">${escape(source)}</p>\n` : ''}${words ? `<p>${escape(words)}</p>\n` : ''}<p class="model">models/${name}.yaml</p></article>`;
}

// A moving picture, and figures that a script of the model has drawn.
const more = (name) => [[`${name}, moving`, `${name}.webp`], [`${name}, figures`, `${name}.svg`]].filter(([, file]) => existsSync(join(GALLERY, file)));

function section(name) {
  const { title, source, words } = about(name);
  const markdown = (text) => text.replace(/[\\`*_<>[\]]/g, '\\$&');
  return [`## ${markdown(title || name)}`, `[![${name}](${name}.jpg)](../../models/${name}.yaml)`, source && `*${markdown(source)}*`, markdown(words),
    ...more(name).map(([alt, file]) => `![${alt}](${file})`),
    `[models/${name}.yaml](../../models/${name}.yaml)`].filter(Boolean).join('\n\n');
}

const STYLE = `:root { color-scheme: light dark } body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem }
main { display: grid; gap: 1.5rem; grid-template-columns: repeat(auto-fill, minmax(20rem, 1fr)) }
article { border: 1px solid #8886; border-radius: 6px; overflow: hidden; padding-bottom: .5rem } article > p, h2 { margin: .5rem 1rem }
h2 { font-size: 1.05rem } img { width: 100%; display: block; aspect-ratio: 3/2; object-fit: cover; background: #fff }
.source, .model { font-size: .85rem; opacity: .75 } a:focus-visible { outline: 3px solid #0b5cad }`;

const page = (cards) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>carom: gallery</title>
<style>${STYLE}</style>
<h1>Gallery</h1>
<p>Every model that comes with carom. Each picture leads to the report of its run.</p>
<main>
${cards.join('\n')}
</main>
`;

const readme = (sections) => `# Gallery

Every model that comes with carom, most of them two fifths of the way through their run. \`make gallery\` runs them all and writes their reports, and \`index.html\` beside this
page, which leads to them.

${sections.join('\n\n')}
`;

const names = readdirSync(join(ROOT, 'models')).filter((f) => f.endsWith('.yaml')).map((f) => f.slice(0, -5)).sort();
const browser = await launch();
const wanted = process.argv.slice(2);
for (const name of wanted) await picture(browser, name);
for (const name of wanted.filter((w) => MOVING.includes(w))) await movingPicture(browser, name);
if (wanted.includes(README_MODEL)) await readmePicture(browser);
await browser.close();
writeFileSync(join(GALLERY, 'index.html'), page(names.map(card)));
writeFileSync(join(GALLERY, 'README.md'), readme(names.map(section)));
console.log(`docs/gallery/index.html, ${names.length} models`);
