// Keeps what Node makes of a TypeScript source when it takes the types out. Node does that anew for every file in every
// thread and process; by content, it is done once. Loaded with --import, so that threads and child processes inherit it;
// without it everything runs the same, only slower to start.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { threadId } from 'node:worker_threads';

const root = new URL('../../', import.meta.url).href;
const packages = new URL('../../node_modules/', import.meta.url);
/** One folder a version: another Node may strip otherwise. */
const folder = fileURLToPath(new URL(`.cache/stripped-${process.version}/`, packages));

function stripped(source) {
  const file = join(folder, `${createHash('sha1').update(source).digest('hex')}.js`);
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Positions stay as they are: types become spaces.
    const text = stripTypeScriptTypes(source);
    keep(file, text);
    return text;
  }
}

function keep(file, text) {
  const part = `${file}.${process.pid}-${threadId}.part`;
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(part, text);
    renameSync(part, file);
  } catch {
    // Installed where nothing can be written: each start strips anew.
  }
}

registerHooks({
  load: (url, context, next) => {
    const own = url.startsWith(root) && url.endsWith('.ts') && !url.startsWith(packages.href);
    if (!own) return next(url, context);
    const source = stripped(readFileSync(fileURLToPath(url), 'utf8'));
    return { format: 'module', source, shortCircuit: true };
  },
});
