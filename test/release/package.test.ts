// The package as a stranger gets it: packed, installed into an empty folder, run by whatever Node the machine
// has.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import test, { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { nodePackages } from '../../runtime/process/system.mjs';
import { packageFiles } from './package-files.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const place = mkdtempSync(join(tmpdir(), 'framehound-package-'));
const at = (...names: string[]) => join(place, ...names);
const installed = at('prefix', 'lib', 'node_modules', 'framehound');

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** As a person's shell is: none of what npm and this test run have put into the environment. */
const shell = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(npm_|FRAMEHOUND_|NODE_(?!EXTRA_CA)|ORT_)/i.test(name) && name !== 'INIT_CWD',
  ),
);
shell['PATH'] = [at('prefix', 'bin'), ...(process.env['PATH'] ?? '').split(delimiter)]
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter);

async function run(
  program: string,
  args: readonly string[],
  { cwd = place, env = shell }: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<Ended> {
  try {
    const { stdout, stderr } = await promisify(execFile)(program, args, { cwd, env, maxBuffer: 1e8 });
    return { code: 0, out: stdout, err: stderr };
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code?: unknown; stdout?: string; stderr?: string };
    return { code: typeof code === 'number' ? code : -1, out: stdout, err: `${stderr}${String(error)}` };
  }
}

/** HOME is empty; what npm has downloaded before need not be downloaded again. */
async function emptyHome(): Promise<NodeJS.ProcessEnv> {
  const setting = async (name: string) => (await run('npm', ['config', 'get', name])).out.trim();
  const npm = {
    npm_config_cache: await setting('cache'),
    npm_config_userconfig: await setting('userconfig'),
    npm_config_prefer_offline: 'true',
  };
  return { ...shell, ...npm, HOME: at('home') };
}

const noRegistry = /E(NOTFOUND|CONNREFUSED|CONNRESET|AI_AGAIN|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOTCACHED)\b/;

let env: NodeJS.ProcessEnv = {};
let tarball = '';
/** Why nothing can be installed here. */
let unreachable = '';
const framehound = (...args: string[]) => run('framehound', args, { env });

/** ms. Where others use the processors too, it has taken more than 200 s. */
before(install, { timeout: 900_000 });
after(() => rmSync(place, { recursive: true, force: true }));

async function install(): Promise<void> {
  for (const folder of ['home', 'prefix', 'project', 'media']) mkdirSync(at(folder));
  const packed = await run('npm', ['run', 'pack', '--silent', '--', '--pack-destination', place], {
    cwd: root,
  });
  assert.equal(packed.code, 0, packed.err);
  tarball = at(`framehound-${manifest.version}.tgz`);
  env = await emptyHome();
  const global = await run(
    'npm',
    ['install', '--global', '--ignore-scripts', '--prefix', at('prefix'), tarball],
    { env },
  );
  const first = global.code === 0 ? await framehound('--version') : global;
  if (first.code !== 0 && noRegistry.test(first.err)) unreachable = 'the package registry is not reached';
  else assert.equal(first.code, 0, first.err);
}

test('the package runs: its version, an analysis and a search, and writes only its cache into its own folder', async (t) => {
  if (unreachable) return t.skip(unreachable);
  const before = packageFiles(installed);
  assert.equal((await framehound('--version')).out, `${manifest.version}\n`);
  const picture = at('media', 'blue.png');
  await sharp({ create: { width: 320, height: 200, channels: 3, background: '#1040e0' } }).toFile(picture);
  const analysis = await framehound('analyze', at('media'));
  assert.equal(analysis.code, 0, analysis.err);
  const { code, out, err } = await framehound('search', 'blue', '--json');
  assert.equal(code, 0, err);
  const { matches } = JSON.parse(out) as { matches: { video_path: string }[] };
  assert.deepEqual(
    matches.map(({ video_path }) => video_path),
    [picture],
  );
  assert.deepEqual(packageFiles(installed), before);
  assert.deepEqual(readdirSync(at('home')), ['.framehound']);
});

test('the package holds no source, and only the declarations of the client', async (t) => {
  if (unreachable) return t.skip(unreachable);
  const files = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' }).filter(
    (name) => !name.startsWith('node_modules'),
  );
  assert.deepEqual(
    files.filter((name) => /(?<!\.d)\.ts$|\.test\.|^(bench|test)/.test(name)),
    [],
  );
  assert.deepEqual(files.filter((name) => name.endsWith('.d.ts')).sort(), [
    join('http', 'client', 'client.d.ts'),
    join('http', 'client', 'methods.d.ts'),
  ]);
  const loaded = globSync('{actors,cli,events,http,runtime}/**/*.{wasm,sql}', { cwd: root });
  assert.deepEqual(files.filter((name) => /\.(wasm|sql)$/.test(name)).sort(), loaded.sort());
});

test('the package names what it needs, each in one version, and npm installs it without a script', (t) => {
  if (unreachable) return t.skip(unreachable);
  const { dependencies, optionalDependencies } = JSON.parse(
    readFileSync(join(installed, 'package.json'), 'utf8'),
  ) as Record<string, Record<string, string>>;
  const modules = join(installed, 'node_modules');
  for (const [name, version] of Object.entries(dependencies!)) {
    const own = JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8')) as { version: string };
    assert.equal(own.version, version, name);
  }
  const here = [
    `@uwsjs/${process.platform}-${process.arch}-22`,
    nodePackages[`${process.platform}-${process.arch}`]!,
  ];
  for (const name of here) {
    assert.ok(Object.hasOwn(optionalDependencies!, name), name);
    assert.ok(existsSync(join(modules, name, 'package.json')), name);
  }
});

test('the package serves the client package of a project; SIGTERM ends it', async (t) => {
  if (unreachable) return t.skip(unreachable);
  const project = { cwd: at('project'), env };
  writeFileSync(at('project', 'package.json'), '{ "type": "module", "private": true }');
  const compilers = ['5.5.4', '5.9.3', '7.0.2'].map(
    (number) => `typescript-${number}@npm:typescript@${number}`,
  );
  const packed = await run('npm', ['pack', '--pack-destination', place, join(root, 'dist', 'client')]);
  assert.equal(packed.code, 0, packed.err);
  const client = at(`framehound-client-${manifest.version}.tgz`);
  const added = await run('npm', ['install', '--ignore-scripts', client, ...compilers], project);
  assert.equal(added.code, 0, added.err);
  const own = at('project', 'node_modules', '@framehound', 'client');
  const bytes = readdirSync(own).reduce((sum, name) => sum + statSync(join(own, name)).size, 0);
  assert.ok(bytes < 1_000_000, `${bytes} bytes`);
  writeFileSync(at('project', 'typed.ts'), typed);
  // Declarations are checked too, and nothing is known of Node's own types.
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: 'nodenext',
    lib: ['es2022', 'dom'],
    types: [],
  };
  writeFileSync(at('project', 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['typed.ts'] }));
  for (const name of compilers.map((one) => one.slice(0, one.lastIndexOf('@npm')))) {
    const checked = await run('node', [`node_modules/${name}/bin/tsc`], project);
    assert.equal(checked.code, 0, `${name}: ${checked.out}`);
  }

  writeFileSync(at('project', 'plain.js'), plain);
  const child = spawn('framehound', ['serve', '--port', '0', '--log-format', 'json'], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const url = await addressOf(createInterface(child.stderr));
  const { code, out, err } = await run('node', ['plain.js', url], project);
  assert.equal(code, 0, err);
  assert.deepEqual(JSON.parse(out), { status: 'ok' });
  child.kill('SIGTERM');
  assert.equal(await ended, 0);
});

async function addressOf(lines: AsyncIterable<string>): Promise<string> {
  const said: string[] = [];
  for await (const line of lines) {
    said.push(line);
    const api = /"api":"([^"]+)"/.exec(line)?.[1];
    if (api !== undefined) return api;
  }
  throw new Error(`the service ended without listening:\n${said.join('\n')}`);
}

const plain = `import { createClient } from '@framehound/client';
console.log(JSON.stringify(await createClient({ url: process.argv[2] }).health()));
`;

const typed = `import { createClient, type Client } from '@framehound/client';
const client: Client = createClient({ url: 'http://localhost:6699', key: 'x' });
const { task_id } = await client.analyze({ cache_dir: '/x', visual_media_paths: ['/a'] });
const id: string = task_id;
for await (const { video_path, done } of client.follow(id)) {
  const ended: boolean | undefined = done;
  const path: string | null = video_path;
  void [ended, path];
}
const { matches } = await client.searchText({ query: 'red', cache_dir: '/x' });
const time: string | undefined = matches[0]?.timestamp;
void time;
// @ts-expect-error the query is text
await client.searchText({ query: 1, cache_dir: '/x' });
// @ts-expect-error there is no such route
await client.nothing();
`;
