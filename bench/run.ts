// `npm run bench [-- QUESTION...] [--quick]`: asks every question of this folder (or the named ones), prints one table and
// appends its rows to results/rows.ndjson. A question that fails or does not end is named, and the exit code is 1. Quick
// sizes take seconds and are appended nowhere.
import '../runtime/process/no-telemetry.ts';
import { appendFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { questions } from './questions.ts';
import { type Row, reached } from './row.ts';
import { isQuick, sized, takeQuickSizes } from './size.ts';

const { values, positionals: asked } = parseArgs({
  options: { quick: { type: 'boolean' } },
  allowPositionals: true,
});
if (values.quick) takeQuickSizes();
const unknown = asked.filter((name) => !Object.hasOwn(questions, name));
if (unknown.length > 0) {
  process.stderr.write(
    `bench: no question ${unknown.join(', ')}; there are ${Object.keys(questions).join(', ')}\n`,
  );
  process.exit(2);
}
const machine = `${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} threads, node ${process.versions.node}`;
/** The longest that one question may take. */
const minutes = sized(120, 5);
const rows: Row[] = [];
let failed = false;
for (const name of asked.length > 0 ? asked : Object.keys(questions)) rows.push(...(await answer(name)));
process.stdout.write(`${machine}\n\n${table(rows)}`);
// Ends also what a question that failed has left running.
process.exit(failed ? 1 : 0);

async function answer(name: string): Promise<Row[]> {
  const say = (text: string) => process.stderr.write(`${name}: ${text}\n`);
  const limit = setTimeout(() => {
    say(`did not end within ${minutes} minutes`);
    process.exit(1);
  }, minutes * 60_000);
  try {
    const ask = await questions[name]!();
    const answered = await ask(say);
    if (answered.length === 0) say('nothing was measured');
    keep(answered);
    return answered;
  } catch (error) {
    failed = true;
    say(`failed: ${error instanceof Error ? error.stack : String(error)}`);
    return [];
  } finally {
    clearTimeout(limit);
  }
}

function keep(answered: readonly Row[]): void {
  if (isQuick()) return;
  const at = new Date().toISOString();
  const lines = answered.map((row) => `${JSON.stringify({ at, machine, ...row })}\n`);
  appendFileSync(new URL('./results/rows.ndjson', import.meta.url), lines.join(''));
}

function table(all: readonly Row[]): string {
  const header = ['question', 'measured', 'value', 'against', 'ratio', 'goal', ''];
  const lines = all.map((row) => [
    row.question,
    row.name,
    `${digits(row.value)} ${row.unit}`,
    row.against ? `${row.against.name} ${digits(row.against.value)}` : '',
    row.ratio === null ? '' : digits(row.ratio),
    row.goal
      ? `${row.goal.at === 'least' ? '≥' : '≤'} ${row.goal.than}${row.goal.of === 'value' ? ` ${row.unit}` : ''}`
      : '',
    { true: 'reached', false: 'missed', null: '' }[String(isQuick() ? null : reached(row))] ?? '',
  ]);
  const rule = header.map(() => '---');
  return [header, rule, ...lines].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

function digits(value: number): string {
  if (value >= 1000) return Math.round(value).toLocaleString('en-US');
  return Number(value.toPrecision(3)).toString();
}
