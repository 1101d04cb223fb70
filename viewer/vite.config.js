// One HTML file: the script and the style stand inside the page, nothing is fetched.
import { createHash } from 'node:crypto';
import { defineConfig } from 'vite';

// Text that ends a script element would end it early, wherever in the code it stands.
const safe = (code) => code.replace(/<\/(script|style)/gi, '<\\/$1').replace(/<!--/g, '<\\!--');

// Between the words of the data and its numbers, so that the first picture need not wait until the browser has read these.
// The only script that may run is this one, known by its hash; nothing may be fetched at all.
function addScript(page, code) {
  const hash = createHash('sha256').update(code).digest('base64');
  const policy = `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'`;
  return page.replace(/(Content-Security-Policy" content=")[^"]*/, (_, head) => head + policy).replace('<!--carom-script-->', () => `<script>${code}</script>`);
}

const inline = {
  name: 'inline',
  enforce: 'post',
  generateBundle(_, bundle) {
    const page = bundle['index.html'];
    for (const [name, part] of Object.entries(bundle)) {
      if (part === page) continue;
      const isStyle = name.endsWith('.css');
      const tag = isStyle ? `<link[^>]*${part.fileName}[^>]*>` : `<script[^>]*${part.fileName}[^>]*></script>`;
      const body = isStyle ? `<style>${part.source}</style>` : '';
      page.source = page.source.replace(new RegExp(tag), () => body);
      if (!isStyle) page.source = addScript(page.source, safe(part.code));
      delete bundle[name];
    }
  },
};

export default defineConfig({
  plugins: [inline],
  build: { target: 'es2022', modulePreload: false, rollupOptions: { output: { format: 'iife' } }, cssCodeSplit: false, assetsInlineLimit: 1e8, chunkSizeWarningLimit: 4000 },
});
