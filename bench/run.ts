// `npm run bench [-- QUESTION...]`: asks every question of this folder (or the named ones), prints one table and appends
// its rows to results/rows.ndjson.
import '../runtime/process/no-telemetry.ts';
import { appendFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { type Question, type Row, reached } from './row.ts';

const questions: Readonly<Record<string, () => Promise<Question>>> = {
  messages: async () => (await import('./messages.ts')).messages,
  index: async () => (await import('./index.ts')).index,
  decode: async () => (await import('./decode.ts')).decode,
  clips: async () => (await import('./clips.ts')).clips,
  sound: async () => (await import('./sound.ts')).sound,
  'picture-search': async () => (await import('./picture-search.ts')).pictureSearch,
  embed: async () => (await import('./embed.ts')).embed,
  ingest: async () => (await import('./ingest.ts')).ingest,
  memory: async () => (await import('./memory.ts')).memory,
  http: async () => (await import('./http.ts')).http,
  'serve-search': async () => (await import('./serve-search.ts')).serveSearch,
  clients: async () => (await import('./clients.ts')).clients,
  voice: async () => (await import('./voice.ts')).voice,
  features: async () => (await import('./features.ts')).features,
  speaker: async () => (await import('./speaker.ts')).speaker,
  diarization: async () => (await import('./diarization.ts')).diarization,
  speech: async () => (await import('./speech.ts')).speech,
  faces: async () => (await import('./faces.ts')).faces,
  fanout: async () => (await import('./fanout.ts')).fanout,
  moments: async () => (await import('./moments.ts')).moments,
  page: async () => (await import('./page.ts')).page,
  transcripts: async () => (await import('./transcripts.ts')).transcripts,
  people: async () => (await import('./people.ts')).people,
  clustering: async () => (await import('./clustering.ts')).clustering,
  watch: async () => (await import('./watch.ts')).watch,
  summaries: async () => (await import('./summaries.ts')).summariesRead,
  'summary-search': async () => (await import('./summary-search.ts')).summarySearch,
  summarize: async () => (await import('./summarize.ts')).summarize,
  'starter-words': async () => (await import('./starter-words.ts')).starterWords,
  explain: async () => (await import('./explain.ts')).explain,
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !Object.hasOwn(questions, name));
if (unknown.length > 0) {
  process.stderr.write(
    `bench: no question ${unknown.join(', ')}; there are ${Object.keys(questions).join(', ')}\n`,
  );
  process.exit(2);
}
const machine = `${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} threads, node ${process.versions.node}`;
const rows: Row[] = [];
for (const name of asked.length > 0 ? asked : Object.keys(questions)) {
  const ask = await questions[name]!();
  const answered = await ask((text) => process.stderr.write(`${name}: ${text}\n`));
  rows.push(...answered);
  const at = new Date().toISOString();
  const lines = answered.map((row) => `${JSON.stringify({ at, machine, ...row })}\n`);
  appendFileSync(new URL('./results/rows.ndjson', import.meta.url), lines.join(''));
}
process.stdout.write(`${machine}\n\n${table(rows)}`);

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
    { true: 'reached', false: 'missed', null: '' }[String(reached(row))] ?? '',
  ]);
  const rule = header.map(() => '---');
  return [header, rule, ...lines].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

function digits(value: number): string {
  if (value >= 1000) return Math.round(value).toLocaleString('en-US');
  return Number(value.toPrecision(3)).toString();
}
