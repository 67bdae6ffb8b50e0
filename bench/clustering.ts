// The cost of clustering faces on top of the multiplications it needs: exact DBSCAN of synthetic people
// against the same multiplications alone, timed in turn with its own, a plain loop over pairs, scikit-learn
// where it is installed, and a clustering that grows by a tenth.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Dbscan } from '../actors/faces/clustering/dbscan.ts';
import { dot, type EarlierLabels, Entries } from '../actors/faces/clustering/entries.ts';
import { Product } from '../actors/faces/clustering/product.ts';
import type { ClusterLabels } from '../actors/faces/contract.ts';
import { createLog } from '../runtime/log.ts';
import { median, type Question, type Row } from './row.ts';
import { sized } from './size.ts';
import { seeded, unit } from './vectors.ts';

interface Size {
  readonly faces: number;
  readonly dimensions: number;
}

const [eps, minSamples] = [0.48, 5];
/** Multiplications of its own between two that are timed alone. */
const between = 4;
/** Cosines that a clustering is repeated for, up to nine times; the median counts. */
const repeated = sized(1.5e9, 1);
/** Rows of the plain loop, whose time is scaled to all. */
const sampledRows = 24;
/** Labels are compared with those of a plain loop up to so many faces. */
const mostCompared = 10_000;

/** Four of five faces are of people with fifty each. */
function faces({ faces: count, dimensions }: Size): Float32Array<ArrayBuffer> {
  const random = seeded(11);
  const direction = () => unit(Float32Array.from({ length: dimensions }, random));
  const vectors = new Float32Array(count * dimensions);
  let person = direction();
  for (let i = 0; i < count; i++) {
    const isStranger = i % 5 === 4;
    if (i % 62 === 0) person = direction();
    const own = direction();
    const mixed = isStranger ? own : own.map((value, k) => 0.6 * value + 0.8 * person[k]!);
    vectors.set(unit(mixed), i * dimensions);
  }
  return vectors;
}

interface Timed {
  readonly labels: ClusterLabels;
  readonly ms: number;
  /** Time of its cosines when they are multiplied alone. */
  readonly floor: number;
  readonly decided: number;
}

async function clustered(
  product: Product,
  vectors: Float32Array,
  size: Size,
  before: EarlierLabels | null,
): Promise<Timed> {
  const { faces: count, dimensions } = size;
  const entries = new Entries(dimensions);
  entries.add(vectors, new Uint8Array(count));
  const block = entries.strong.blocks(0, 1024)[0]!;
  let [ms, alone, rounds] = [0, 0, 0];
  const time = async <T>(work: () => Promise<T>): Promise<[T, number]> => {
    const start = performance.now();
    const value = await work();
    return [value, performance.now() - start];
  };
  const dbscan = new Dbscan(entries, product, { eps, minSamples, before });
  const work = dbscan.run();
  for (let step = 0; ; step++) {
    const [turn, spent] = await time(() => work.next());
    ms += spent;
    if (step % between === 0) {
      alone += (await time(() => product.multiply(block, block, dimensions)))[1];
      rounds += 1;
    }
    if (!turn.done) continue;
    const knownCount = before?.labels.length ?? 0;
    const pairs = (count * count - knownCount * knownCount) / 2;
    const floor = (alone / rounds) * (pairs / block.count ** 2);
    return { labels: turn.value, ms, floor, decided: dbscan.decided };
  }
}

/**
 * The run of the median time, after one that warms up where there are several, with the median of what was
 * alone.
 */
async function medianOf(rounds: number, run: () => Promise<Timed>): Promise<Timed> {
  const runs: Timed[] = [];
  for (let round = rounds === 1 ? 1 : 0; round <= rounds; round++) {
    const timed = await run();
    if (round > 0) runs.push(timed);
  }
  return {
    ...runs[0]!,
    ms: median(runs.map(({ ms }) => ms)),
    floor: median(runs.map(({ floor }) => floor)),
  };
}

/** ms of a plain loop over all pairs, measured on some rows. */
function plainLoop(vectors: Float32Array, { faces: count, dimensions }: Size): number {
  let near = 0;
  const start = performance.now();
  for (let i = 0; i < sampledRows; i++) {
    for (let j = 0; j < count; j++) {
      let sum = 0;
      const [a, b] = [i * dimensions, j * dimensions];
      for (let k = 0; k < dimensions; k++) sum += vectors[a + k]! * vectors[b + k]!;
      if (sum >= 1 - eps) near += 1;
    }
  }
  assert.ok(near >= sampledRows);
  return ((performance.now() - start) * count) / 2 / sampledRows;
}

/** Throws when the counts or the labels are not those of all pairs, looked at one by one. */
function compare(vectors: Float32Array, { faces: count, dimensions }: Size, result: ClusterLabels): void {
  const near = Array.from({ length: count }, (_, i) => [i]);
  for (let i = 0; i < count; i++) {
    for (let j = 0; j < i; j++) {
      if (dot(vectors, i, vectors, j, dimensions) < 1 - eps - 1e-6) continue;
      near[i]!.push(j);
      near[j]!.push(i);
    }
  }
  assert.deepEqual(
    result.neighbours,
    Int32Array.from(near, (list) => list.length),
  );
  const labels = new Int32Array(count).fill(-1);
  let clusters = 0;
  for (let i = 0; i < count; i++) {
    if (labels[i] !== -1 || near[i]!.length < minSamples) continue;
    const reached = [i];
    labels[i] = clusters;
    for (const core of reached) {
      for (const j of near[core]!.filter((j) => labels[j] === -1)) {
        labels[j] = clusters;
        if (near[j]!.length >= minSamples) reached.push(j);
      }
    }
    clusters += 1;
  }
  // People of these crowds are apart: no border entry is near two of them.
  assert.deepEqual(result.labels, labels);
}

const peer = `
import sys, time
import numpy as np
from sklearn.cluster import DBSCAN
x = np.fromfile(sys.argv[1], dtype=np.float32).reshape(-1, int(sys.argv[2]))
times = []
for _ in range(int(sys.argv[3])):
    begun = time.perf_counter()
    DBSCAN(eps=${eps}, min_samples=${minSamples}, metric="cosine", algorithm="brute").fit(x)
    times.append(time.perf_counter() - begun)
print(sorted(times)[len(times) // 2] * 1000)
`;

/** ms of scikit-learn; null where it is not installed. */
function scikitLearn(vectors: Float32Array, { dimensions }: Size, rounds: number): number | null {
  const folder = mkdtempSync(join(tmpdir(), 'bench-clustering-'));
  try {
    const file = join(folder, 'vectors');
    writeFileSync(file, vectors);
    for (const python of ['python3', '/usr/bin/python3']) {
      const { status, stdout } = spawnSync(python, ['-c', peer, file, String(dimensions), String(rounds)], {
        encoding: 'utf8',
      });
      if (status === 0) return Number(stdout);
    }
    return null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measured(product: Product, size: Size, say: (text: string) => void): Promise<Row[]> {
  const { faces: count, dimensions } = size;
  const name = `${count.toLocaleString('en')} x ${dimensions}`;
  say(`${name}: people of 50 faces and strangers, eps ${eps}, ${minSamples} samples`);
  const vectors = faces(size);
  const rounds = Math.min(9, Math.ceil((2 * repeated) / count ** 2));
  const all = await medianOf(rounds, () => clustered(product, vectors, size, null));
  say(`${all.labels.clusters} clusters, ${all.decided} pairs decided by their exact cosine`);
  if (count <= mostCompared) compare(vectors, size, all.labels);
  const knownCount = Math.floor(count * 0.9);
  const most = { faces: knownCount, dimensions };
  const before = await clustered(product, vectors.subarray(0, knownCount * dimensions), most, null);
  const grown = await medianOf(rounds, () => clustered(product, vectors, size, before.labels));
  assert.deepEqual(grown.labels, all.labels);
  const python = scikitLearn(vectors, size, Math.min(3, rounds));
  const large = count >= 50_000 && dimensions === 512;
  const row = (what: string, value: number, against: string, peerValue: number, goal: Row['goal']): Row => ({
    question: 'clustering',
    name: `${what}, ${name}`,
    value,
    unit: 'ms',
    against: { name: against, value: peerValue },
    ratio: peerValue / value,
    goal,
  });
  const least = (than: number): Row['goal'] => ({ of: 'ratio', at: 'least', than });
  return [
    row('DBSCAN', all.ms, 'the multiplications alone', all.floor, large ? least(1 / 1.6) : null),
    row(
      'DBSCAN',
      all.ms,
      'plain loop over pairs',
      plainLoop(vectors, size),
      least(dimensions === 512 ? 40 : 15),
    ),
    ...(python === null ? [] : [row('DBSCAN', all.ms, 'scikit-learn', python, least(1.5))]),
    row('a tenth joins', grown.ms, 'all anew', all.ms, null),
  ];
}

export const clustering: Question = async (say) => {
  const product = await Product.open({ threads: availableParallelism(), log: createLog('bench', () => {}) });
  const rows: Row[] = [];
  for (const size of [
    { faces: sized(10_000, 300), dimensions: 128 },
    { faces: sized(10_000, 300), dimensions: 512 },
    { faces: sized(50_000, 600), dimensions: 512 },
  ]) {
    rows.push(...(await measured(product, size, say)));
  }
  await product.close();
  return rows;
};
