// Proves that the tests notice faults: seeds them one by one into a copy of this checkout and runs the tests
// that are meant to notice each.
//
//   seed.ts [--all] [WORD ...]     --all: every test for each fault; WORD: only faults whose name or file holds one, and
//                                  without the check that faults compile
import { execFileSync, spawn } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { type Fault, seeded } from './fault.ts';
import { faults } from './table.ts';

const root = dirname(dirname(import.meta.dirname));
const { values, positionals } = parseArgs({
  options: { all: { type: 'boolean', default: false } },
  allowPositionals: true,
});

/**
 * The tracked files of this checkout in a folder of their own; packages and footage are those of this
 * checkout.
 */
function copyCheckout(folder: string): string {
  const copy = join(folder, 'checkout');
  const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0');
  for (const file of tracked.filter((one) => one !== '' && existsSync(join(root, one)))) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    copyFileSync(join(root, file), join(copy, file));
  }
  // It would notice every fault, and prove nothing.
  rmSync(join(copy, 'test', 'faults', 'table.test.ts'));
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  const shared = join(dirname(root), 'shared');
  if (existsSync(shared)) symlinkSync(shared, join(folder, 'shared'));
  return copy;
}

interface Run {
  readonly code: number | null;
  readonly output: string;
}

/** Runs Node in the copy as the launcher does. */
function node(copy: string, args: readonly string[]): Promise<Run> {
  const loader = pathToFileURL(join(copy, 'runtime', 'process', 'load.mjs')).href;
  const flags = ['--disable-warning=ExperimentalWarning', '--import', loader];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...flags, ...args], {
      cwd: copy,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const take = (text: unknown) => {
      output += String(text);
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}

function runTests(copy: string, files: readonly string[]): Promise<Run> {
  return values.all
    ? node(copy, ['test/run.ts'])
    : node(copy, ['--test', '--test-concurrency=2', '--test-timeout=300000', ...files]);
}

/** All of them at once: a fault that does not compile proves nothing. */
async function checkTypes(copy: string, chosen: readonly Fault[]): Promise<string> {
  const files = [...new Set(chosen.map(({ file }) => file))];
  const before = new Map(files.map((file) => [file, readFileSync(join(copy, file), 'utf8')]));
  for (const fault of chosen) {
    const path = join(copy, fault.file);
    writeFileSync(path, seeded(readFileSync(path, 'utf8'), fault) ?? '');
  }
  const tsc = join('node_modules', 'typescript', 'bin', 'tsc');
  const runs = [await node(copy, [tsc]), await node(copy, [tsc, '--project', 'tsconfig.page.json'])];
  for (const [file, source] of before) writeFileSync(join(copy, file), source);
  return runs.map(({ code, output }) => (code === 0 ? '' : output)).join('');
}

/**
 * The name of the first test that fails with the fault; null when none does. Throws when none could be run.
 */
async function noticedBy(copy: string, fault: Fault): Promise<string | null> {
  const path = join(copy, fault.file);
  const source = readFileSync(path, 'utf8');
  writeFileSync(path, seeded(source, fault)!);
  const { code, output } = await runTests(copy, fault.tests);
  writeFileSync(path, source);
  if (code === 0) return null;
  const [, failed] = /^\s*not ok \d+ - (.*)$/m.exec(output) ?? [];
  if (failed === undefined) throw new Error(`${fault.name}: no test was run\n${output}`);
  return failed;
}

function chosenFaults(): Fault[] {
  const isMeant = ({ name, file }: Fault) =>
    positionals.length === 0 || positionals.some((word) => name.includes(word) || file.includes(word));
  return faults.filter(isMeant);
}

async function main(copy: string): Promise<boolean> {
  const chosen = chosenFaults();
  const lost = chosen.filter((fault) => seeded(readFileSync(join(copy, fault.file), 'utf8'), fault) === null);
  for (const { name, file } of lost) console.log(`LOST: ${name}: its text does not stand once in ${file}`);
  const there = chosen.filter((fault) => !lost.includes(fault));
  const mistakes = positionals.length > 0 ? '' : await checkTypes(copy, there);
  if (mistakes !== '') console.log(`faults that do not compile:\n${mistakes}`);
  const clean = await runTests(copy, [...new Set(there.flatMap(({ tests }) => tests))]);
  if (clean.code !== 0) {
    const failed = clean.output.split('\n').filter((line) => /^\s*not ok/.test(line));
    console.log(`the tests fail without a fault:\n${failed.join('\n')}`);
    return false;
  }
  let caught = 0;
  for (const fault of there) {
    const began = performance.now();
    const failed = await noticedBy(copy, fault);
    if (failed !== null) caught++;
    const seconds = Math.round((performance.now() - began) / 1000);
    const verdict = failed === null ? 'NOT CAUGHT' : 'caught';
    console.log(`${verdict} in ${seconds} s: ${fault.name} (${fault.file})`);
    if (failed !== null) console.log(`  by: ${failed}`);
  }
  console.log(`${caught} of ${chosen.length} faults are caught`);
  return caught === chosen.length && mistakes === '';
}

const folder = mkdtempSync(join(tmpdir(), 'framehound-faults-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
if (!(await main(copyCheckout(folder)))) process.exitCode = 1;
