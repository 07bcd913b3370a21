// Bundles src/ into dist/, which is committed: weftd compiles dist/ in, and its build needs no npm.
//
//   npm ci --ignore-scripts && npm run build      writes dist/
//   npm run check                                 fails when dist/ is not what src/ gives

import {build} from 'esbuild';
import {readFileSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const check = process.argv.includes('--check');

const {outputFiles} = await build({
  absWorkingDir: here,
  entryPoints: {weft: 'src/main.js'},
  outdir: 'dist',
  bundle: true,
  minify: true,
  format: 'esm',
  target: ['es2022'],
  charset: 'utf8',
  legalComments: 'inline',
  write: false,
});
const files = new Map(outputFiles.map((file) => [file.path, Buffer.from(file.contents)]));
for (const name of ['index.html', 'weft.css', 'icon.svg'])
  files.set(join(here, 'dist', name), readFileSync(join(here, 'src', name)));

let stale = 0;
for (const [path, bytes] of files) {
  if (!check) {
    writeFileSync(path, bytes);
    console.log(`${path.slice(here.length + 1)} ${bytes.length} bytes`);
    continue;
  }
  let kept = Buffer.alloc(0);
  try {
    kept = readFileSync(path);
  } catch { /* missing counts as different */
  }
  if (Buffer.compare(kept, bytes) !== 0) {
    console.error(`${path.slice(here.length + 1)} is not what src/ gives: npm run build`);
    stale += 1;
  }
}
process.exit(stale === 0 ? 0 : 1);
