// Watches whether the memory of a service stays flat: it does the same work again and again, a kind at a time
// in a service of its own, then all kinds together. FRAMEHOUND_BENCH_KINDS names some (with commas;
// `all` is the mix, and the only one in quick runs), FRAMEHOUND_BENCH_MINUTES sets how long each takes (2,
// and 10 for the mix).
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Kind, makeMaterial, type Work, workKinds } from './memory-mix.ts';
import { median, type Question, type Row } from './row.ts';
import { type Service, startService, until } from './service.ts';
import { sized } from './size.ts';

const mix: Kind = async (work) => {
  for (const kind of Object.values(workKinds)) await kind(work);
};
const all: Readonly<Record<string, Kind>> = { ...workKinds, all: mix };
const kinds = process.env['FRAMEHOUND_BENCH_KINDS']?.split(',') ?? sized(Object.keys(all), ['all']);

const minutesOf = (name: string) =>
  Number(process.env['FRAMEHOUND_BENCH_MINUTES'] ?? sized(name === 'all' ? 10 : 2, 0.03));

/** MB. */
interface Sample {
  /** Resident, without files and shared memory where the system tells them apart. */
  readonly resident: number;
  readonly heap: number;
  readonly external: number;
  /** Processor time so far, s. */
  readonly cpu: number;
}

/** Rounds of warm-up: threads, models and slots are there after these at the earliest. */
const WARM_UP = 2;
/** Share of the time that counts as warm-up too. */
const EARLY = 0.25;

export const memory: Question = async (say) => {
  const unknown = kinds.filter((name) => !Object.hasOwn(all, name));
  if (unknown.length > 0) throw new Error(`no kind ${unknown}; there are ${Object.keys(all)}`);
  const rows: Row[] = [];
  for (const name of kinds) rows.push(await inNewService(name, say));
  return rows;
};

async function inNewService(name: string, say: (text: string) => void): Promise<Row> {
  const folder = mkdtempSync(join(tmpdir(), 'framehound-memory-'));
  try {
    const material = await makeMaterial(folder, say);
    const env = { FRAMEHOUND_DEVICE: 'cpu', FRAMEHOUND_HARDWARE_DECODING: 'off' };
    const service = await startService(join(folder, 'home'), env);
    const client = service.client(4);
    try {
      await until('the visual model', 60_000, async () => (await client.ask('/readyz')).status === 200);
      return await grown(name, service, { ...material, client }, say);
    } finally {
      client.close();
      await service.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function grown(name: string, service: Service, work: Work, say: (text: string) => void): Promise<Row> {
  const minutes = minutesOf(name);
  const before = await sampled(service);
  say(`${name} for ${minutes} minutes, ${digits(before)} before`);
  const samples: Sample[] = [];
  let warm = 0;
  const start = performance.now();
  const done = () => (performance.now() - start) / 60_000 / minutes;
  while (done() < 1 || samples.length < WARM_UP + 2) {
    await all[name]!(work);
    samples.push(await sampled(service));
    if (done() < EARLY || samples.length <= WARM_UP) warm = samples.length;
    say(`${name}: round ${samples.length}, ${digits(samples.at(-1)!)}`);
  }
  // Samples between the first and the last quarter count as neither.
  const part = Math.ceil((samples.length - warm) / 4);
  const middle = (some: readonly Sample[]) => median(some.map(({ resident }) => resident));
  const early = middle(samples.slice(warm, warm + part));
  const late = middle(samples.slice(-part));
  const rounds = samples.length - warm - part;
  const each = ((late - early) / Math.max(1, rounds)).toFixed(2);
  return {
    question: 'memory',
    name: `growth in ${minutes} minutes of ${name}, ${samples.length} rounds, ${each} MB a round`,
    value: (late / early - 1) * 100,
    unit: '%',
    against: { name: `MB after warm-up (${Math.round(before.resident)} at the start)`, value: early },
    ratio: null,
    goal: { of: 'value', at: 'most', than: 5 },
  };
}

const digits = ({ resident, heap, external, cpu }: Sample) =>
  `${resident.toFixed(1)} MB resident, heap ${heap.toFixed(1)}, external ${external.toFixed(1)}, processor ${cpu.toFixed(1)} s`;

async function sampled(service: Service): Promise<Sample> {
  const [rss, heap, external, cpu] = [
    await service.metric('process_resident_memory_bytes'),
    await service.metric('framehound_heap_used_bytes'),
    await service.metric('framehound_external_memory_bytes'),
    await service.metric('process_cpu_seconds_total'),
  ];
  const resident = (anonymous(service.pid) ?? rss) / 1e6;
  return { resident, heap: heap / 1e6, external: external / 1e6, cpu };
}

/** Bytes that only this process has: pages of mapped files are the system's to take back. */
function anonymous(pid: number): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const [, kilobytes] = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}
