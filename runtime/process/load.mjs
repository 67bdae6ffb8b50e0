// How our modules are loaded, quickly: a module of ours is where its import says, so Node need not look for
// it, and what V8 compiles of it is kept. In a checkout, what Node makes of a TypeScript source when it takes
// the types out is kept by content, too, and a package of hundreds of files is loaded as a few. Node does all
// of that anew for each thread and process. Loaded with --import, so that threads and child processes inherit
// it; without it everything runs the same, only slower to start.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { threadId } from 'node:worker_threads';

const root = new URL('../../', import.meta.url);
const isCheckout = existsSync(new URL('cli/framehound.ts', root));
const packages = new URL('node_modules/', root);
/** Removed with the packages, or with this package. */
const cache = fileURLToPath(new URL('.cache/', isCheckout ? packages : new URL('dist/', root)));
/** One folder a version: another Node may strip otherwise. */
const folder = join(cache, `stripped-${process.version}`);

function stripped(source) {
  const file = join(folder, `${createHash('sha1').update(source).digest('hex')}.js`);
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Positions stay as they are: types become spaces.
    const text = module.stripTypeScriptTypes(source);
    keep(file, (part) => writeFileSync(part, text));
    return text;
  }
}

/** Others may do the same at the same time; whoever is first wins. */
function keep(path, write) {
  const part = `${path}.${process.pid}-${threadId}.part`;
  try {
    mkdirSync(join(path, '..'), { recursive: true });
    write(part);
    renameSync(part, path);
  } catch {
    // Installed where nothing can be written, or another one was first.
    rmSync(part, { recursive: true, force: true });
  }
}

/** The files of packages that are bundled, by what they are imported as; none where they cannot be made. */
async function bundledPackages() {
  const { bundle, bundled, entries } = await import('./bundle.mjs');
  const made = join(cache, bundled);
  if (!existsSync(made)) keep(made, bundle);
  return existsSync(made) ? new Map([...entries].map(([name, file]) => [name, join(made, file)])) : new Map();
}

// Where nothing can be written, Node goes on without it.
module.enableCompileCache(join(cache, 'compiled'));

const own = isCheckout ? root.href : new URL('dist/', root).href;
const extension = isCheckout ? '.ts' : '.js';
const isOwn = (url = '') => url.startsWith(own) && url.endsWith(extension) && !url.startsWith(packages.href);

// The build has replaced them in the modules of an installed package.
const bundles = isCheckout ? await bundledPackages() : new Map();
// Node before 22.15 has no hooks, and loads an installed package without them.
module.registerHooks?.({
  resolve: (specifier, context, next) => {
    // Node looks for the file of each import, for links on its way and for the package it is in.
    if (specifier.startsWith('.') && isOwn(context.parentURL) && specifier.endsWith(extension))
      return { url: new URL(specifier, context.parentURL).href, format: 'module', shortCircuit: true };
    const file = bundles.get(specifier);
    if (file === undefined) return next(specifier, context);
    return { url: pathToFileURL(file).href, format: 'module', shortCircuit: true };
  },
  load: (url, context, next) => {
    if (!isCheckout || !isOwn(url)) return next(url, context);
    const source = stripped(readFileSync(fileURLToPath(url), 'utf8'));
    return { format: 'module', source, shortCircuit: true };
  },
});
