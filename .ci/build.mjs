// Writes dist/, the program as an installed package runs it: JavaScript, the files it reads, the declarations
// of the client, and in client/ the client as a package of its own. Node takes no types out of files under node_modules. Run by:
// npm run build
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { builtinModules, stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { buildSync } from 'esbuild';

import { declarationsText } from '../http/client/declarations.ts';
import { compact } from '../http/page/files.ts';
import { bundle, entries } from '../runtime/process/bundle.mjs';
import { npmProgram, withoutOuterNpm } from '../runtime/process/npm.ts';

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

/** Rewrites what TypeScript 5.5 cannot read, or only with Node's own types: no type of the client has it. */
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
  for (const name of [...found, 'actors/samples/media', 'actors/self-test/media'])
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

/** Throws if a package is imported that is not installed with this one. */
function expectDeclared() {
  const declared = { ...manifest.dependencies, ...manifest.optionalDependencies };
  for (const name of globSync('**/*.js', { cwd: dist })) {
    for (const specifier of specifiers(readFileSync(join(dist, name), 'utf8'))) {
      if (specifier.startsWith('.') || specifier.startsWith('node:') || builtinModules.includes(specifier))
        continue;
      const wanted = specifier.match(/^(@[^/]+\/)?[^/]+/)[0];
      if (!Object.hasOwn(declared, wanted))
        throw new Error(`${name}: ${wanted} is no dependency of package.json`);
    }
  }
}

/**
 * The binaries of the HTTP server go along for all systems: npm would leave them out on any other Node than 22,
 * and everything here runs on Node 22, whatever npm runs on.
 */
function fetchBundled(name) {
  const folder = join(root, 'node_modules', name);
  if (existsSync(folder)) return;
  const work = mkdtempSync(join(tmpdir(), 'framehound-bundled-'));
  const { command, args } = npmProgram();
  const pack = [...args, 'pack', `${name}@${manifest.optionalDependencies[name]}`, '--silent'];
  const options = { cwd: work, encoding: 'utf8', env: withoutOuterNpm(process.env) };
  const { status, stdout } = spawnSync(command, pack, options);
  if (status !== 0)
    process.stderr.write(`${name} is not on this registry: the package does not serve there\n`);
  else {
    mkdirSync(folder, { recursive: true });
    spawnSync('tar', ['-xzf', join(work, stdout.trim()), '-C', folder, '--strip-components=1'], options);
  }
  rmSync(work, { recursive: true });
}

/** The client as a package of its own, for projects that need no engine. */
function writeClient() {
  const folder = join(dist, 'client');
  buildSync({
    entryPoints: [join(dist, 'http', 'client', 'client.js')],
    outfile: join(folder, 'client.js'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'error',
  });
  for (const name of ['client.d.ts', 'methods.d.ts'])
    cpSync(join(dist, 'http', 'client', name), join(folder, name));
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  const own = {
    name: '@framehound/client',
    version: manifest.version,
    description: 'Typed client of a framehound service',
    license: manifest.license,
    type: 'module',
    engines: manifest.engines,
    exports: { types: './client.d.ts', default: './client.js' },
    dependencies: { 'socket.io-client': manifest.dependencies['socket.io-client'] },
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(own, null, 2)}\n`);
}

compile();
await writeDeclarations();
bundlePackage();
copyAssets();
writePage();
// The version is read beside the code; a bundler leaves out modules of which nothing is used.
writeFileSync(
  join(dist, 'package.json'),
  `${JSON.stringify({ version: manifest.version, type: 'module', sideEffects: false })}\n`,
);
expectDeclared();
writeClient();
if (process.env.npm_lifecycle_event === 'prepack') manifest.bundleDependencies.forEach(fetchBundled);
