// How fast is search over all vectors, and loading and storing them? Peers in the same run: a plain loop over
// floats, and the machine itself (reading the same bytes from memory or file, writing them).
import { closeSync, fsyncSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Store } from '../actors/index/store/store.ts';
import { Catalog, everything, type LoadedMedia, type RowRun } from '../actors/index/visual/catalog.ts';
import { LoadedVectors } from '../actors/index/visual/loaded.ts';
import { stride8, stride16, writeRow8 } from '../actors/index/visual/quantize.ts';
import { search } from '../actors/index/visual/search.ts';
import { RowBank } from '../actors/index/visual/segment.ts';
import { VisualLoading } from '../actors/index/visual/visual-index.ts';
import { createLog } from '../runtime/log.ts';
import { asking } from './index-clients.ts';
import { MemoryReaders } from './memory-readers.ts';
import { median, type Question, type Row } from './row.ts';
import { until } from './service.ts';
import { sized } from './size.ts';
import { fineOf, footageMaker, seeded, unit } from './vectors.ts';

interface BenchRow {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** Name of the peer that the value is compared with. */
  readonly against: string;
  /** Speed over the speed of the peer: above 1 is faster. */
  readonly ratio: number;
}

interface Size {
  readonly rows: number;
  readonly dimensions: number;
  /** Repetitions; the median counts. */
  readonly rounds: number;
}

/** Warm-up runs, in which the code is still being compiled; they do not count. */
const warmUps = sized(5, 0);

function timed(rounds: number, run: () => unknown): number {
  for (let i = 0; i < warmUps; i++) run();
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    run();
    times.push(performance.now() - start);
  }
  return median(times);
}

/** Films of an hour in scenes of eight frames, and the same rows with a scene for each frame. */
function filled({ rows, dimensions }: Size): { bank: RowBank; scenes: Catalog; frames: Catalog } {
  const bank = new RowBank(dimensions);
  const [scenes, frames] = [new Catalog(), new Catalog()];
  const make = footageMaker(dimensions);
  const vector = new Float32Array(dimensions);
  for (let first = 0; first < rows; first += 3600) {
    const count = Math.min(3600, rows - first);
    const runs: Omit<RowRun, 'media'>[] = [];
    for (let position = 0; position < count; ) {
      const room = bank.allocate(count - position);
      bank.fill(room.row, room.count, (bytes) => {
        for (let i = 0; i < room.count; i++) {
          make(vector);
          writeRow8(vector, bytes, i * bank.stride);
        }
      });
      runs.push({ row: room.row, count: room.count, position });
      position += room.count;
    }
    const every = Int32Array.from({ length: count }, (_, i) => i);
    const film = {
      hash: first.toString(16),
      path: `/footage/${first}.mp4`,
      revision: 1,
      file: '',
      start: 0,
      frames: every,
      shots: null,
    };
    const add = (catalog: Catalog, media: LoadedMedia) =>
      catalog.add(
        media,
        runs.map((run) => ({ ...run, media })),
      );
    add(scenes, { ...film, scenes: every.filter((i) => i % 8 === 0) });
    add(frames, { ...film, scenes: every });
  }
  return { bank, scenes, frames };
}

/** The memory of all rows. */
function memoryOf(bank: RowBank, rows: number): Uint8Array[] {
  const parts: Uint8Array[] = [];
  for (let row = 0; row < rows; row += bank.segmentRows)
    parts.push(bank.bytes(row, Math.min(bank.segmentRows, rows - row)));
  return parts;
}

/** The peer: one float loop with four sums, on as many rows as fit, scaled to all rows. ms. */
function floatLoop({ rows, dimensions }: Size, query: Float32Array): number {
  const some = Math.min(rows, 36_000);
  const vectors = new Float32Array(some * dimensions);
  const make = footageMaker(dimensions);
  for (let i = 0; i < some; i++) make(vectors.subarray(i * dimensions, (i + 1) * dimensions));
  const scores = new Float32Array(some);
  const loop = () => {
    for (let row = 0; row < some; row++) {
      const at = row * dimensions;
      let [a, b, c, d] = [0, 0, 0, 0];
      for (let k = 0; k < dimensions; k += 4) {
        a += vectors[at + k]! * query[k]!;
        b += vectors[at + k + 1]! * query[k + 1]!;
        c += vectors[at + k + 2]! * query[k + 2]!;
        d += vectors[at + k + 3]! * query[k + 3]!;
      }
      scores[row] = a + b + c + d;
    }
  };
  return (timed(3, loop) * rows) / some;
}

const labelOf = ({ rows, dimensions }: Size): string => `${rows.toLocaleString('en')} x ${dimensions}`;

async function searching(size: Size): Promise<BenchRow[]> {
  const { rows, dimensions, rounds } = size;
  const { bank, ...catalogs } = filled(size);
  const query = unit(Float32Array.from({ length: dimensions }, seeded(99)));
  const otherPicture = unit(Float32Array.from({ length: dimensions }, seeded(98)));
  const at = { bank, catalog: catalogs.scenes, fine: fineOf(bank), pause: () => {} };
  const ofFrames = { ...at, catalog: catalogs.frames };
  const singleFile = { hashes: ['0'], ranges: {} };
  const request = { text: query, pictures: [], textWeight: 1, exclude: [] };
  const readers = new MemoryReaders(memoryOf(bank, rows), bank.threads.most);
  search(ofFrames, request, everything, 50);
  await until('the threads', 10_000, async () => bank.threads.ready === bank.threads.running);
  const floor = timed(rounds, () => readers.read());
  const frames = timed(rounds, () => search(ofFrames, request, everything, 50));
  const scenes = timed(rounds, () => search(at, request, everything, 50));
  const without = timed(rounds, () => search(at, { ...request, exclude: [otherPicture] }, everything, 50));
  const readings = { ...request, text: null, pictures: [query, otherPicture] };
  const either = timed(rounds, () => search(at, readings, everything, 50));
  const single = timed(rounds * 3, () => search(ofFrames, request, singleFile, 50));
  readers.close();
  await bank.close();
  const loop = floatLoop(size, query);
  const row = (name: string, value: number, against: string, peer: number): BenchRow => ({
    name: `${name}, ${labelOf(size)}`,
    value,
    unit: 'ms',
    against,
    ratio: peer / value,
  });
  return [
    row('top 50 frames', frames, 'float loop in JS', loop),
    row('top 50 frames', frames, 'reading the same memory by as many threads', floor),
    row('top 50 scenes', scenes, 'float loop in JS', loop),
    row('top 50 scenes, one thing excluded', without, 'one search', scenes),
    row('top 50 scenes, the nearer of two readings', either, 'two searches', 2 * scenes),
    row('top 50 frames of one file of 3,600', single, 'its share of a whole search', (frames * 3600) / rows),
  ];
}

function writeFile(file: string, bytes: number): void {
  const fd = openSync(file, 'w');
  const block = new Uint8Array(1 << 20).fill(3);
  for (let done = 0; done < bytes; done += block.length) writeSync(fd, block, 0, block.length, done);
  fsyncSync(fd);
  closeSync(fd);
}

/**
 * Stores footage as analysis does, in batches of 64 frames and files of ten hours. Answers the ms spent in
 * the store.
 */
function storeAll(store: Store, { rows, dimensions }: Size): number {
  const make = footageMaker(dimensions);
  const batch = new Float32Array(64 * dimensions);
  let spent = 0;
  const time = <T>(work: () => T): T => {
    const start = performance.now();
    const done = work();
    spent += performance.now() - start;
    return done;
  };
  for (let first = 0; first < rows; first += 36_000) {
    const hash = first.toString(16);
    const stage = time(() => store.begin(hash, 'bench', dimensions));
    const end = Math.min(36_000, rows - first);
    for (let frame = 0; frame < end; frame += 64) {
      const count = Math.min(64, end - frame);
      for (let i = 0; i < count; i++) make(batch.subarray(i * dimensions, (i + 1) * dimensions));
      const frames = Array.from({ length: count }, (_, i) => frame + i);
      time(() =>
        store.append(stage, { frames: frames, vectors: batch.subarray(0, count * dimensions), previews: [] }),
      );
    }
    const identity = { hash_str: hash, size_bytes: 1, mtime_ms: 1, inode: '1' };
    const media = { path: `/footage/${hash}.mp4`, identity, probe: { kind: 'video' } };
    time(() => store.commit(stage, media as Parameters<Store['commit']>[1]));
  }
  return spent;
}

async function storing(size: Size): Promise<BenchRow[]> {
  const { rows, dimensions, rounds } = size;
  const folder = mkdtempSync(join(tmpdir(), 'framehound-bench-'));
  const store = new Store(folder);
  try {
    const spent = storeAll(store, size);
    const bytes = rows * (stride8(dimensions) + stride16(dimensions));
    const written = timed(1, () => writeFile(join(folder, 'floor'), bytes));
    writeFile(join(folder, 'floor8'), rows * stride8(dimensions));
    const log = createLog('bench', () => {});
    const load = timed(rounds, () => {
      const loaded = new LoadedVectors(store, { modelKey: 'bench', dimensions }, log);
      const loading = new VisualLoading(store, loaded, null);
      while (!loading.step(store, () => {}));
      loaded.close();
    });
    const read = timed(rounds, () => readFileSync(join(folder, 'floor8')));
    const stored = { value: rows / (spent / 1000), unit: 'vectors/s', ratio: written / spent };
    const asked = await asking(folder, 'bench', dimensions);
    return [
      ...asked.map(({ name, ...row }) => ({ name: `${name}, ${labelOf(size)}`, ...row })),
      {
        name: `load into memory, ${labelOf(size)}`,
        value: load,
        unit: 'ms',
        against: 'reading the file into memory',
        ratio: read / load,
      },
      { name: `store and flush, ${labelOf(size)}`, ...stored, against: 'writing and flushing the bytes' },
    ];
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The goals of the full size; the other rows compare with what the machine can do. */
const goals: Readonly<Record<string, Row['goal']>> = {
  'top 50 frames, 360,000 x 512': { of: 'value', at: 'most', than: 10 },
  'top 50 frames, 3,600,000 x 512': { of: 'value', at: 'most', than: 120 },
  'load into memory, 360,000 x 512': { of: 'ratio', at: 'least', than: 0.5 },
  'top 50 scenes, one thing excluded, 360,000 x 512': { of: 'ratio', at: 'least', than: 1 / 1.3 },
  '64 clients at once, 360,000 x 512': { of: 'ratio', at: 'least', than: 4 },
  '64 clients at once, p99, 360,000 x 512': { of: 'ratio', at: 'least', than: 1 / 8 },
};

/**
 * Needs about half a kilobyte of memory a row at 512 dimensions, and three times that on disk until it ends.
 */
export const index: Question = async (say) => {
  const size: Size = { rows: sized(360_000, 20_000), dimensions: 512, rounds: sized(7, 1) };
  say(`${labelOf(size)}, searched, stored and loaded`);
  const hundredHours = [...(await searching(size)), ...(await storing(size))];
  const large: Size = { ...size, rows: sized(3_600_000, 40_000), rounds: sized(3, 1) };
  say(`${labelOf(large)}, searched`);
  return [...hundredHours, ...(await searching(large))].map(({ name, value, unit, against, ratio }) => ({
    question: 'index',
    name,
    value,
    unit,
    // A time is compared with a time, a rate with a rate.
    against: { name: against, value: unit === 'ms' ? value * ratio : value / ratio },
    ratio,
    goal: against.startsWith('reading the same memory') ? null : (goals[name] ?? null),
  }));
};
