// Runs the tests. Quick files of one room share a process, since loading our sources costs more than most of their tests;
// a slow file has a process of its own.
//
//   run.ts [--quick | --release] [PATH ...]     PATH: only files that lie there
//
// A run keeps nothing: what tests write to the temporary folder lies in one that is removed with the run.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve, sep } from 'node:path';
import { run } from 'node:test';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import report from './reporter.ts';
import { isSlow, testFiles } from './selection.ts';

const root = dirname(import.meta.dirname);
const { values, positionals } = parseArgs({
  options: { quick: { type: 'boolean' }, release: { type: 'boolean' } },
  allowPositionals: true,
});

/** Paths from the root. */
function chosenFiles(): string[] {
  const all = testFiles(values.release ? 'release' : values.quick ? 'quick' : 'all');
  const under = positionals.map((path) => resolve(path));
  const isUnder = (path: string) => under.some((one) => path === one || path.startsWith(one + sep));
  return under.length === 0 ? all : all.filter((path) => isUnder(join(root, path)));
}

/** `actors-index`, `http`: each room of the actors is one, and so is every other folder at the top. */
function roomOf(path: string): string {
  const [, top = '', second = ''] = path.split('/');
  if (top.endsWith('.ts')) return 'test';
  return top === 'actors' && !second.endsWith('.ts') ? `${top}-${second}` : top;
}

/** Writes a module for each room that loads the quick files of it; answers what is to be run, the slow files first. */
function processes(files: readonly string[], folder: string): string[] {
  const { slow = [], quick = [] } = Object.groupBy(files, (path) => (isSlow(path) ? 'slow' : 'quick'));
  const rooms = Map.groupBy(quick, roomOf);
  const shared = [...rooms].map(([room, paths]) => {
    const file = join(folder, `${room}.test.mjs`);
    const imports = paths.map((path) => `import ${JSON.stringify(pathToFileURL(join(root, path)).href)};\n`);
    writeFileSync(file, imports.join(''));
    return file;
  });
  return [...slow.map((path) => join(root, path)), ...shared];
}

const chosen = chosenFiles();
if (chosen.length === 0) throw new Error(`no test lies at ${positionals.join(', ')}`);
const folder = mkdtempSync(join(tmpdir(), 'framehound-tests-'));
// Some tests read what another user may read.
chmodSync(folder, 0o755);
process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
process.env['TMPDIR'] = process.env['TEMP'] = process.env['TMP'] = folder;

process.chdir(root);
const files = processes(chosen, folder);
const events = run({ files, concurrency: 2, timeout: 600_000 });
events.on('test:fail', ({ skip, todo }) => {
  if (skip === undefined && todo === undefined) process.exitCode = 1;
});
for await (const text of report(events)) process.stdout.write(text);
