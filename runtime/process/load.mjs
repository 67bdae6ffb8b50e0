// How a checkout loads its sources, quickly: what Node makes of a TypeScript source when it takes the types
// out is kept by content, as is what V8 compiles of a module, and a package of hundreds of files is loaded as
// a few. Node does all of that anew for each thread and process. Loaded with --import, so that threads and
// child processes inherit it; without it everything runs the same, only slower to start.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { enableCompileCache, registerHooks, stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { threadId } from 'node:worker_threads';
import { bundle, bundled, entries } from './bundle.mjs';

const root = new URL('../../', import.meta.url).href;
const packages = new URL('../../node_modules/', import.meta.url);
const cache = fileURLToPath(new URL('.cache/', packages));
/** One folder a version: another Node may strip otherwise. */
const folder = join(cache, `stripped-${process.version}`);

function stripped(source) {
  const file = join(folder, `${createHash('sha1').update(source).digest('hex')}.js`);
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Positions stay as they are: types become spaces.
    const text = stripTypeScriptTypes(source);
    keep(file, (part) => writeFileSync(part, text));
    return text;
  }
}

/** Null where it cannot be made: the package is loaded as it is. */
function bundleFolder() {
  const made = join(cache, bundled);
  if (!existsSync(made)) keep(made, bundle);
  return existsSync(made) ? made : null;
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

// Where nothing can be written, Node goes on without it.
enableCompileCache(join(cache, 'compiled'));

const isOwn = (url = '') => url.startsWith(root) && url.endsWith('.ts') && !url.startsWith(packages.href);

const bundles = bundleFolder();
registerHooks({
  resolve: (specifier, context, next) => {
    // Node looks for the file of each import, for links on its way and for the package it is in.
    if (specifier.startsWith('.') && isOwn(context.parentURL) && specifier.endsWith('.ts'))
      return { url: new URL(specifier, context.parentURL).href, format: 'module', shortCircuit: true };
    const entry = entries.get(specifier);
    if (entry === undefined || bundles === null) return next(specifier, context);
    return { url: pathToFileURL(join(bundles, entry)).href, format: 'module', shortCircuit: true };
  },
  load: (url, context, next) => {
    if (!isOwn(url)) return next(url, context);
    const source = stripped(readFileSync(fileURLToPath(url), 'utf8'));
    return { format: 'module', source, shortCircuit: true };
  },
});
