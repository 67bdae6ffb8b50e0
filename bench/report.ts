// The pages of docs/ and results/ that show what was measured, made of results/rows.ndjson: of each figure
// the newest row. Tables have the machine and the day of the run; single figures in a text are followed by a
// comment that names their row.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { counted } from '../runtime/text.ts';
import { type Row, reached } from './row.ts';

export interface RecordedRow extends Row {
  /** ISO 8601; the rows of one run of a question have the same. */
  readonly at: string;
  readonly machine: string;
}

/** The figures of the short table, by question, name and unit. */
const highlights: readonly (readonly [what: string, question: string, name: string, unit: string])[] = [
  ['exact grid frames, H.264 1080p, GOP 2 s', 'decode', 'H.264 1080p, GOP 2 s: exact', '× real time'],
  ['the same, keyframes only', 'decode', 'H.264 1080p, GOP 2 s: keyframes', '× real time'],
  ['embedding', 'embed', 'embedding alone', 'pictures/s'],
  ['whole ingest', 'ingest', 'whole ingest', '× real time'],
  ['one ask between threads', 'messages', 'ask, round trip', 'µs'],
  ['best 50 of 360,000 vectors, exact', 'index', 'top 50 frames, 360,000 x 512', 'ms'],
  ['best 50 of 3.6 million', 'index', 'top 50 frames, 3,600,000 x 512', 'ms'],
  [
    'search over REST, 360,000 frames, 50 previews, p50',
    'serve-search',
    'search by text over 360,000, 50 previews, p50 without the text model',
    'ms',
  ],
  [
    'search of a million transcript segments, p50',
    'transcripts',
    'search for 1-3 words of the texts, processor time, p50',
    'ms',
  ],
  [
    'voice detection and diarization of 15 minutes',
    'diarization',
    'decoding, voice detection and diarization of 15 minutes',
    '× real time for each processor',
  ],
  ['growth of memory in 10 minutes of analyses', 'memory', 'growth over 10 minutes, 442 films', '%'],
  ['small POST with license and checks', 'http', 'small JSON POST, license and checks', 'requests/s'],
];

export interface Page {
  readonly url: URL;
  /** The page with its generated part generated again. */
  text(rows: readonly RecordedRow[]): string;
}

type Part = (rows: readonly RecordedRow[]) => string;

/** Tables by page and by the name that their place has there. */
const tables: Readonly<Record<string, Readonly<Record<string, Part>>>> = {
  'bench/results/README.md': { 'goals that were missed': missedGoals, 'all rows': resultTables },
  'docs/measurements.md': { 'in short': shortTable },
  'docs/large-clusters.md': { 'simulated clusters': clusterTables },
};

const root = join(import.meta.dirname, '..');

export const pages: readonly Page[] = globSync(['bench/results/*.md', 'docs/**/*.md'], { cwd: root })
  .map((path) => path.replaceAll('\\', '/'))
  .map((path) => page(pathToFileURL(join(root, path)), tables[path] ?? {}));

export function readRows(): RecordedRow[] {
  const text = readFileSync(new URL('./results/rows.ndjson', import.meta.url), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

export function writePages(): void {
  const rows = readRows();
  for (const { url, text } of pages) writeFileSync(url, text(rows));
}

/**
 * The rows of the newest run of each figure, in the order of the questions. The name of a row may hold counts
 * of its run.
 */
export function newestRows(rows: readonly RecordedRow[]): RecordedRow[] {
  const byFigure = Map.groupBy(rows, ({ question, name, unit }) =>
    JSON.stringify([question, name.replace(/ \([^)]*\)|[\d.,]+ (?:found|frames\/s)/g, ''), unit]),
  );
  return [...byFigure.values()].flatMap((all) => {
    const newest = all
      .map(({ at }) => at)
      .sort()
      .at(-1);
    return all.filter(({ at }) => at === newest);
  });
}

/** A heading for each question; folded below it a table for each run that has the newest row of a figure. */
function resultTables(rows: readonly RecordedRow[]): string {
  const byQuestion = Map.groupBy(newestRows(rows), ({ question }) => question);
  return [...byQuestion]
    .map(([question, all]) => {
      const missed = all.filter((row) => reached(row) === false).length;
      const judged = all.filter(({ goal }) => goal !== null).length;
      const goals = judged === 0 ? '' : `, ${judged - missed} of ${judged} goals reached`;
      return `### ${question}\n\n${folded(`${counted(all.length, 'figure')}${goals}`, tablesOf(all))}`;
    })
    .join('\n');
}

/** A table for each day and machine, the newest first. */
function tablesOf(rows: readonly RecordedRow[]): string {
  const runs = [...Map.groupBy(rows, takenAt)].sort(([a], [b]) => (a < b ? 1 : -1));
  return runs.map(([time, some]) => `${time}:\n\n${table(header, some.map(cellsOf))}`).join('\n');
}

function shortTable(rows: readonly RecordedRow[]): string {
  const newest = newestRows(rows);
  const columns = ['what', 'value', 'against', 'ratio', 'goal', '', 'taken'];
  const chosen = highlights.flatMap(([what, question, name, unit]) => {
    const matches = newest.filter(
      (row) => row.question === question && row.name === name && row.unit === unit,
    );
    if (matches.length === 0) throw new Error(`no row of ${question} is called ${name} (${unit})`);
    return matches.map((row) => [what, ...cellsOf(row).slice(1), takenAt(row)]);
  });
  return table(columns, chosen);
}

function missedGoals(rows: readonly RecordedRow[]): string {
  const newest = newestRows(rows);
  const missed = newest.filter((row) => reached(row) === false);
  const judged = newest.filter(({ goal }) => goal !== null).length;
  const cells = missed.map((row) => [...[row.question, ...cellsOf(row)].slice(0, -1), takenAt(row)]);
  const columns = ['question', 'measured', 'value', 'against', 'ratio', 'goal', 'taken'];
  return folded(`${missed.length} of ${judged} goals were missed`, table(columns, cells));
}

function folded(summary: string, text: string): string {
  return `<details>\n<summary>${summary}</summary>\n\n${text}\n</details>\n`;
}

/** Simulated figures, a column for each cluster; then the measurements that each stands on. */
function clusterTables(rows: readonly RecordedRow[]): string {
  const all = newestRows(rows).filter(({ question }) => question === 'simulation');
  const [simulated, others] = [
    all.filter(({ name }) => name.includes(': ')),
    all.filter(({ name }) => !name.includes(': ')),
  ];
  const parts = simulated.map(
    (row) => [...row.name.split(': '), cellsOf(row)[1]!] as [string, string, string],
  );
  const clusters = [...new Set(parts.map(([cluster]) => cluster))];
  const byWhat = Map.groupBy(parts, ([, what]) => what);
  const cells = [...byWhat].map(([what, some]) => [
    what,
    ...clusters.map((cluster) => some.find(([key]) => key === cluster)?.[2] ?? ''),
  ]);
  const measured = table(
    ['measured and derived', 'value'],
    others.map((row) => cellsOf(row).slice(0, 2)),
  );
  return `${table(['', ...clusters], cells)}\n${takenAt(all[0]!)}:\n\n${measured}`;
}

const header = ['measured', 'value', 'against', 'ratio', 'goal', ''];

function cellsOf(row: Row): string[] {
  const { name, value, unit, against, ratio, goal } = row;
  return [
    name,
    `${digits(value)} ${unit}`,
    against ? `${against.name} ${digits(against.value)}` : '',
    ratio === null ? '' : digits(ratio),
    goal
      ? `${goal.at === 'least' ? '≥' : '≤'} ${digits(goal.than)}${goal.of === 'value' ? ` ${unit}` : ''}`
      : '',
    { true: 'reached', false: 'missed', null: '' }[String(reached(row))]!,
  ];
}

function takenAt({ at, machine }: RecordedRow): string {
  return `${at.slice(0, 10)} on ${machine}`;
}

/** For a terminal. `judged`: with whether goals were reached. */
export function runTable(rows: readonly Row[], judged: boolean): string {
  const cells = rows.map((row) => [row.question, ...cellsOf(row)]);
  if (!judged) for (const row of cells) row[row.length - 1] = '';
  return table(['question', ...header], cells);
}

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = columns.map((_, at) => Math.max(3, ...[columns, ...rows].map((row) => row[at]!.length)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at]!)).join(' | ')} |\n`;
  return [columns, widths.map((width) => '-'.repeat(width)), ...rows].map(line).join('');
}

/** A part begins with `<!-- measured: NAME -->` or `<!-- rows of QUESTION: PATTERN OF NAMES -->`. */
const PART = /(?<=<!-- (measured|rows of [\w-]+)(?:: (.+))? -->\n\n)[\s\S]*?(?=\n<!-- end -->)/g;

/**
 * A figure in a text, such as `7.42<!-- row of ingest: whole ingest --> times`. `ratio` is the ratio to what
 * the row was compared with, and `peer` the value of that. Where rows share a name, their unit or peer
 * follows a bar: `<!-- ratio of http: small POST | Fastify -->`.
 */
const FIGURE = /[\d.,]*\d(?=<!-- (row|ratio|peer) of ([\w-]+): (.+?)(?: \| (.+?))? -->)/g;

function page(url: URL, parts: Readonly<Record<string, Part>>): Page {
  return {
    url,
    text: (rows) => {
      const before = readFileSync(url, 'utf8');
      const partNames: string[] = [];
      const after = before.replace(PART, (_, kind: string, name: string | undefined) => {
        if (kind !== 'measured') return rowsNamed(rows, kind.slice('rows of '.length), name);
        const make = parts[name!];
        if (!make) throw new Error(`${url.pathname}: nothing that was measured is called ${name}`);
        partNames.push(name!);
        return make(rows);
      });
      const missing = Object.keys(parts).filter((name) => !partNames.includes(name));
      if (missing.length > 0) throw new Error(`${url.pathname} has no place for ${missing.join(', ')}`);
      const newest = newestRows(rows);
      return after.replace(FIGURE, (_, what: string, question: string, name: string, which?: string) => {
        const row = newest.find(
          (candidate) =>
            candidate.question === question &&
            candidate.name === name &&
            (which === undefined || candidate.unit === which || candidate.against?.name === which),
        );
        const value = row && { row: row.value, ratio: row.ratio, peer: row.against?.value }[what];
        if (value === undefined || value === null)
          throw new Error(`${url.pathname}: no row of ${question} has the ${what} of "${name}"`);
        return digits(value);
      });
    },
  };
}

function rowsNamed(rows: readonly RecordedRow[], question: string, pattern = ''): string {
  const named = newestRows(rows).filter((row) => row.question === question && row.name.match(pattern));
  if (named.length === 0) throw new Error(`no row of ${question} matches ${pattern}`);
  return tablesOf(named);
}

function digits(value: number): string {
  if (value >= 1000) return Math.round(value).toLocaleString('en-US');
  return Number(value.toPrecision(3)).toString();
}
