// Runs the tests, three processes at a time, since each waits for others at times; four are no quicker on two
// processors. Files of one room share a process, since loading our sources costs more than most tests. Each
// file is a suite of its own, so that its hooks are for its own tests.
//
//   run.ts [--quick | --release] [PATH ...]     PATH: only files that lie there
//
// A run keeps nothing: what tests write to the temporary folder lies in one that is removed with the run.
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve, sep } from 'node:path';
import { run } from 'node:test';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import report from './reporter.ts';
import { processOf, startsPrograms, testFiles } from './selection.ts';

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

/**
 * Memory, where a file system in it has room and runs programs: tests flush what they write thousands of
 * times. Those of a release write to the disk.
 */
function temporaryPlace(): string {
  const memory = '/dev/shm';
  if (values.release || !existsSync(memory)) return tmpdir();
  const runsNothing = /^\S+ \/dev\/shm \S+ \S*\bnoexec\b/m;
  if (runsNothing.test(readFileSync('/proc/mounts', 'utf8'))) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  const needed = values.quick ? 256 : 2048;
  return bavail * bsize > needed * 2 ** 20 ? memory : tmpdir();
}

/** ms that the tests of a file may take. Those of a release also install the package, more than once. */
const timeout = values.release ? 1_800_000 : 600_000;

/** A process that does not end by itself, because its tests left something open, fails and says what. */
const ending = `setTimeout(() => {
  console.error('left open:', process.getActiveResourcesInfo().join(' '));
  process.exit(1);
}, 30_000).unref();
`;

/**
 * Writes a module for each process, which runs files one after the other. Those that wait for other programs
 * come first, and those with most to do before others, so that little is left when the last but one ends.
 */
function modules(files: readonly string[], folder: string): string[] {
  const size = (paths: readonly string[]) =>
    paths.reduce((sum, path) => sum + statSync(join(root, path)).size, 0);
  const isWhole = (paths: readonly string[]) => Number(paths.some(startsPrograms));
  const processes = [...Map.groupBy(files, processOf)].sort(
    ([, a], [, b]) => isWhole(b) - isWhole(a) || size(b) - size(a),
  );
  return processes.map(([name, paths]) => {
    const suites = paths.map((path) => {
      const url = pathToFileURL(join(root, path)).href;
      return `await suite(${JSON.stringify(path)}, { timeout: ${timeout} }, () => import(${JSON.stringify(url)}));\n`;
    });
    const file = join(folder, `${name}.mjs`);
    writeFileSync(file, `import { suite } from 'node:test';\n${suites.join('')}${ending}`);
    return file;
  });
}

if (values.release) process.env['FRAMEHOUND_RELEASE'] = '1';
// No test downloads models that it does not ask for.
process.env['FRAMEHOUND_SIGHT'] = 'off';
const chosen = chosenFiles();
if (chosen.length === 0) throw new Error(`no test lies at ${positionals.join(', ')}`);
const folder = mkdtempSync(join(temporaryPlace(), 'framehound-tests-'));
// Some tests read what another user may read.
chmodSync(folder, 0o755);
process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
process.env['TMPDIR'] = process.env['TEMP'] = process.env['TMP'] = folder;

process.chdir(root);
const events = run({ files: modules(chosen, folder), concurrency: 3 });
events.on('test:fail', ({ skip, todo }) => {
  if (skip === undefined && todo === undefined) process.exitCode = 1;
});
for await (const text of report(events)) process.stdout.write(text);
