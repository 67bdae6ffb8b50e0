// Makes a few files of a package that consists of hundreds: typebox has 683, and each of our threads loads
// it.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, posix } from 'node:path';

const require = createRequire(import.meta.url);
/** The package.json of typebox. */
const manifest = join(dirname(dirname(require.resolve('typebox'))), 'package.json');
const { version, exports } = JSON.parse(readFileSync(manifest, 'utf8'));

export const bundled = `typebox-${version}`;

/** From what the package is imported as to the file that has it, below the folder of `bundle`. */
export const entries = new Map(
  Object.keys(exports).map((path) => [posix.join('typebox', path), `${outputOf(path)}.mjs`]),
);

/** Writes the files into a folder. Throws where esbuild is not installed or cannot be run. */
export function bundle(folder) {
  const points = Object.entries(exports).map(([path, { default: file }]) => ({
    in: join(dirname(manifest), file),
    out: outputOf(path),
  }));
  require('esbuild').buildSync({
    entryPoints: points,
    outdir: folder,
    bundle: true,
    // Modules that several entries import stay one module, so that they share its state.
    splitting: true,
    format: 'esm',
    platform: 'node',
    outExtension: { '.js': '.mjs' },
    logLevel: 'silent',
  });
}

function outputOf(path) {
  return path === '.' ? 'index' : path.slice(2);
}
