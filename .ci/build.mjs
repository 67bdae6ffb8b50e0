// Writes dist/, the program as an installed package runs it: JavaScript, the files it reads, the declarations
// of the client, and a package.json of its own. Node takes no types out of files under node_modules. Run by:
// npm run build
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules, stripTypeScriptTypes } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';

import { declarationsText } from '../http/client/declarations.ts';
import { compact } from '../http/page/files.ts';
import { bundle, entries } from '../runtime/process/bundle.mjs';

const root = dirname(import.meta.dirname);
const dist = join(root, 'dist');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** Read or loaded at run time, beside the module that does it; nothing that `tsc` writes. */
const assets = [
  '*.wasm',
  'speaker.onnx',
  'speaker-plda.bin',
  'fits.bin',
  'overlap.onnx',
  'own-weights.bin',
  '*.sql',
  'npm.mjs',
  'nvidia.mjs',
];

function compile() {
  rmSync(dist, { recursive: true, force: true });
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  // Standard output is for what `npm pack` prints.
  const { status } = spawnSync(process.execPath, [tsc, '--project', 'tsconfig.build.json'], {
    cwd: root,
    stdio: ['ignore', process.stderr, process.stderr],
  });
  if (status !== 0) throw new Error('the sources do not compile');
}

/**
 * Only what the client's types are made of: no other file is an entry for other programs. Those of its methods
 * are computed from the schemas of the routes, and written out here.
 */
async function writeDeclarations() {
  writeFileSync(join(dist, 'http', 'client', 'methods.d.ts'), await declarationsText());
  const reached = new Map();
  const reach = (file) => {
    if (reached.has(file)) return;
    const text = readFileSync(file, 'utf8');
    reached.set(file, readableByOlder(text));
    for (const specifier of specifiers(text).filter((one) => one.startsWith('.')))
      reach(resolve(dirname(file), specifier.replace(/\.ts$/, '.d.ts')));
  };
  reach(join(dist, 'http', 'client', 'client.d.ts'));
  for (const name of globSync('**/*.d.ts', { cwd: dist })) {
    const file = join(dist, name);
    if (reached.has(file)) writeFileSync(file, reached.get(file));
    else rmSync(file);
  }
}

/** What TypeScript 5.5 cannot read, or only with Node's own types: none of it is in a type of the client. */
function readableByOlder(text) {
  return text
    .replace(/((?:from|import\()\s*(['"])\.[^'"]*)\.ts\2/g, '$1.js$2')
    .replace(/\b((?:Uint|Int|Float)\d+Array)<Array\w+>/g, '$1')
    .replace(/\bNodeJS\.\w+/g, 'string');
}

function specifiers(text) {
  const all =
    /^(?:import|export)\b[^;']* from '([^'\s]+)'|\bimport\(['"]([^'"\s]+)['"]\)|^import '([^'\s]+)'/gm;
  return [...text.matchAll(all)].map(([, from, dynamic, bare]) => from ?? dynamic ?? bare);
}

function copyAssets() {
  const found = assets.flatMap((name) => {
    const files = globSync(`{actors,cli,events,http,runtime}/**/${name}`, { cwd: root });
    if (files.length === 0) throw new Error(`${name} was not found`);
    return files;
  });
  // What the launcher installs the pinned Node by.
  const node = ['runtime/node/package.json', 'runtime/node/package-lock.json'];
  for (const name of [...found, ...node, 'actors/samples/media'])
    cpSync(join(root, name), join(dist, name), { recursive: true });
}

/** A package of hundreds of files goes along as a few, and is imported from there. */
function bundlePackage() {
  const folder = join(dist, 'bundled');
  bundle(folder);
  for (const name of globSync('**/*.js', { cwd: dist })) {
    const file = join(dist, name);
    const to = (entry) => relative(dirname(file), join(folder, entry)).replaceAll('\\', '/');
    const text = readFileSync(file, 'utf8');
    const rewritten = text.replace(/(from )'([^'\s]+)'/g, (whole, before, specifier) => {
      const entry = entries.get(specifier);
      return entry === undefined ? whole : `${before}'${to(entry).replace(/^(?!\.)/, './')}'`;
    });
    if (rewritten !== text) writeFileSync(file, rewritten);
  }
}

/** The web page: its modules without their types, so that nothing is left to do when they are served. */
function writePage() {
  for (const name of globSync('http/page/app/**/*.{ts,css,svg}', { cwd: root })) {
    const isModule = name.endsWith('.ts');
    const target = join(dist, isModule ? name.replace(/ts$/, 'js') : name);
    mkdirSync(dirname(target), { recursive: true });
    if (!isModule) cpSync(join(root, name), target);
    else writeFileSync(target, moduleOfPage(readFileSync(join(root, name), 'utf8')));
  }
}

function moduleOfPage(source) {
  return compact(stripTypeScriptTypes(source)).replace(/(from |import\()'(\.[^']+)\.ts'/g, "$1'$2.js'");
}

/** Packages that the launcher installs into dist/: whatever is imported and is no dependency of the package. */
function installedBySetup() {
  const names = new Set();
  for (const name of globSync('**/*.js', { cwd: dist })) {
    for (const specifier of specifiers(readFileSync(join(dist, name), 'utf8'))) {
      if (specifier.startsWith('.') || specifier.startsWith('node:') || builtinModules.includes(specifier))
        continue;
      names.add(specifier.match(/^(@[^/]+\/)?[^/]+/)[0]);
    }
  }
  const own = [...names].filter((name) => !Object.hasOwn(manifest.dependencies, name)).sort();
  const unknown = own.find((name) => !Object.hasOwn(manifest.devDependencies, name));
  if (unknown) throw new Error(`${unknown} is imported and not declared in package.json`);
  return Object.fromEntries(own.map((name) => [name, manifest.devDependencies[name]]));
}

/**
 * What the lock file of the checkout says of some packages and of all that they need: the same versions, the
 * same checksums.
 */
function lockOf({ name, version, dependencies }) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const kept = { '': { name, version, dependencies } };
  const waiting = Object.keys(dependencies).map((one) => ({ one, from: '' }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const path = pathIn(packages, next.from, next.one);
    if (path === undefined || Object.hasOwn(kept, path)) continue;
    const { dev: _, ...locked } = packages[path];
    kept[path] = locked;
    const { dependencies: needed, optionalDependencies: optional, peerDependencies: peers } = locked;
    for (const one of Object.keys({ ...needed, ...optional, ...peers })) waiting.push({ one, from: path });
  }
  const sorted = Object.fromEntries(Object.entries(kept).sort(([a], [b]) => (a < b ? -1 : 1)));
  return `${JSON.stringify({ name, version, lockfileVersion: 3, requires: true, packages: sorted }, null, 2)}\n`;
}

/**
 * As Node looks for it: in the package itself, then in those around it. Undefined for a peer that nobody
 * wants.
 */
function pathIn(packages, from, name) {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const path = `${at === '' ? '' : `${at}/`}node_modules/${name}`;
    if (Object.hasOwn(packages, path)) return path;
    if (at === '') return undefined;
  }
}

compile();
await writeDeclarations();
bundlePackage();
copyAssets();
writePage();
const { name, version, license } = manifest;
const own = {
  name: `${name}-dist`,
  version,
  license,
  private: true,
  type: 'module',
  dependencies: installedBySetup(),
};
writeFileSync(join(dist, 'package.json'), `${JSON.stringify(own, null, 2)}\n`);
writeFileSync(join(dist, 'package-lock.json'), lockOf(own));
// npm takes it along and removes it again (postpack): beside package-lock.json it would be read in its place.
if (process.argv.includes('--pack')) {
  writeFileSync(join(root, 'npm-shrinkwrap.json'), lockOf(manifest));
}
