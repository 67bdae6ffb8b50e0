// `npm run bench [-- QUESTION...] [--quick | --report]`: asks every question of this folder (or the named
// ones), prints one table, appends its rows to results/rows.ndjson and writes the pages that show them again.
// A question that fails or does not end is named, and the exit code is 1. Quick sizes take seconds and are
// appended nowhere. `--report` only writes the pages.
import '../runtime/process/no-telemetry.ts';
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { questions } from './questions.ts';
import { runTable, writePages } from './report.ts';
import type { Row } from './row.ts';
import { isQuick, sized, takeQuickSizes } from './size.ts';

const { values, positionals: questionNames } = parseArgs({
  options: { quick: { type: 'boolean' }, report: { type: 'boolean' } },
  allowPositionals: true,
});
if (values.report) {
  writePages();
  process.exit(0);
}
if (values.quick) takeQuickSizes();
const unknown = questionNames.filter((name) => !Object.hasOwn(questions, name));
if (unknown.length > 0) {
  process.stderr.write(
    `bench: no question ${unknown.join(', ')}; there are ${Object.keys(questions).join(', ')}\n`,
  );
  process.exit(2);
}
const cards = spawnSync('nvidia-smi', ['--query-gpu=name', '--format=csv,noheader'], { encoding: 'utf8' });
const machine = [
  cpus()[0]?.model ?? 'unknown processor',
  `${availableParallelism()} threads`,
  ...(cards.stdout?.trim().split('\n').filter(Boolean) ?? []),
  `node ${process.versions.node}`,
].join(', ');
/** The longest that one question may take, beside the minutes that were asked for. */
const minutes = sized(120, 5) + Number(process.env['FRAMEHOUND_BENCH_MINUTES'] ?? 0);
const rows: Row[] = [];
let failed = false;
for (const name of questionNames.length > 0 ? questionNames : Object.keys(questions))
  rows.push(...(await answer(name)));
process.stdout.write(`${machine}\n\n${runTable(rows, !isQuick())}`);
if (!isQuick()) writePages();
// Ends also what a question that failed has left running.
process.exit(failed ? 1 : 0);

async function answer(name: string): Promise<Row[]> {
  const say = (text: string) => process.stderr.write(`${name}: ${text}\n`);
  const folder = mkdtempSync(join(tmpdir(), `bench-${name}-`));
  const limit = setTimeout(() => {
    say(`did not end within ${minutes} minutes`);
    process.exit(1);
  }, minutes * 60_000);
  try {
    const ask = await questions[name]!();
    const answered = await ask(say, folder);
    if (answered.length === 0) say('nothing was measured');
    keep(answered);
    return answered;
  } catch (error) {
    failed = true;
    say(`failed: ${error instanceof Error ? error.stack : String(error)}`);
    return [];
  } finally {
    clearTimeout(limit);
    rmSync(folder, { recursive: true, force: true });
  }
}

function keep(answered: readonly Row[]): void {
  if (isQuick()) return;
  const at = new Date().toISOString();
  const lines = answered.map((row) => `${JSON.stringify({ at, machine, ...row })}\n`);
  appendFileSync(new URL('./results/rows.ndjson', import.meta.url), lines.join(''));
}
