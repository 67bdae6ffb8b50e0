// Faces for tests: vectors of people who are easy to tell apart, boxes that say which face it is, and
// pictures that say both.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { indexContract } from '../../../../actors/index/contract.ts';
import type { FrameFaces } from '../../../../actors/index/people/contract.ts';
import type { Face } from '../../../../actors/index/people/face.ts';
import type { SpanKey } from '../../../../actors/index/store/contract.ts';
import { encodeModelKey } from '../../../../actors/index/store/names.ts';
import type { Request } from '../../../../runtime/contract.ts';
import { mediaRecord, near, randomVector, seeded } from '../footage.ts';
import type { Harness } from '../handlers.ts';

export const d = 16;
export const modelKey = 'yunet+sface';

/** `place`: faces of different places are different ones. */
export function face(place: number, more: Partial<Face> = {}): Face {
  return {
    box: [(place % 8) / 8, Math.floor(place / 8) / 8, 0.1, 0.1],
    landmarks: Array.from({ length: 10 }, (_, i) => i / 10),
    score: 0.9,
    size_px: 80,
    sharpness: 0.5,
    yaw: 0,
    roll: 0,
    weak: false,
    unreliable: false,
    ...more,
  };
}

const middles = new Map<number, Float32Array<ArrayBuffer>>();

/** A vector of a person, a little different each time. */
export function vectorOf(person: number, seed: number): Float32Array<ArrayBuffer> {
  const middle = middles.get(person) ?? randomVector(d, seeded(person + 1000));
  middles.set(person, middle);
  return near(middle, 0.1, seeded(seed * 7919 + person));
}

export function jpeg(text: string): Uint8Array<ArrayBuffer> {
  const digest = createHash('sha256').update(text).digest();
  return Uint8Array.from(Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.from(`${text} `), digest]));
}

/** Who is seen in each frame, by number. */
export type Cast = readonly (readonly number[])[];

export interface Chunk {
  readonly frames: FrameFaces[];
  readonly vectors: Float32Array<ArrayBuffer>;
  readonly aligned: Uint8Array[];
  readonly displays: Uint8Array[];
}

/** What the frames from `from` on show; pictures name the content, the frame and the person. */
export function chunk(hash: string, cast: Cast, from = 0, to = cast.length, more: Partial<Face> = {}): Chunk {
  const seen = cast
    .slice(from, to)
    .flatMap((people, i) => people.map((person) => ({ person, frame: from + i })));
  const vectors = new Float32Array(seen.length * d);
  for (const [i, { person, frame }] of seen.entries()) vectors.set(vectorOf(person, frame), i * d);
  return {
    frames: cast.slice(from, to).map((people, i) => ({
      frame_index: from + i,
      faces: people.map((person) => face(person, more)),
    })),
    vectors,
    aligned: seen.map(({ person, frame }) => jpeg(`aligned ${hash} ${frame} ${person}`)),
    displays: seen.map(({ person, frame }) => jpeg(`display ${hash} ${frame} ${person}`)),
  };
}

export interface StoreOptions {
  readonly model_key?: string;
  readonly span?: SpanKey;
  readonly more?: Partial<Face>;
}

/** Stores the faces of a content. */
export async function storeFaces(
  index: Harness,
  cache_dir: string,
  hash_str: string,
  cast: Cast,
  { model_key = modelKey, more = {}, span }: StoreOptions = {},
) {
  const begun = { cache_dir, hash_str, model_key, dimensions: d, ...(span && { span }) };
  const { stage, next_frame } = await index.call('begin_faces', begun);
  await index.call('append_faces', { stage, ...chunk(hash_str, cast, next_frame, cast.length, more) });
  return index.call('commit_faces', { stage, media: mediaRecord(hash_str) });
}

/** Labels as a clustering would make them: two vectors nearer than `eps` are one person. Single linkage. */
export function labelsOf(vectors: Float32Array, eps: number, minSamples: number) {
  const count = vectors.length / d;
  const labels = new Int32Array(count).fill(-2);
  const neighbours = new Int32Array(count);
  const isNear = (a: number, b: number) => {
    let dot = 0;
    for (let k = 0; k < d; k++) dot += vectors[a * d + k]! * vectors[b * d + k]!;
    return 1 - dot <= eps;
  };
  for (let a = 0; a < count; a++) for (let b = 0; b < count; b++) if (isNear(a, b)) neighbours[a]!++;
  let next = 0;
  for (let a = 0; a < count; a++) {
    if (labels[a] !== -2) continue;
    const group = [a];
    for (let i = 0; i < group.length; i++) {
      for (let b = 0; b < count; b++) if (!group.includes(b) && isNear(group[i]!, b)) group.push(b);
    }
    const label = group.length >= minSamples ? next++ : -1;
    for (const one of group) labels[one] = label;
  }
  return { labels, neighbours };
}

export interface ClusterOptions {
  readonly eps?: number;
  readonly min_samples?: number;
  readonly clear_names?: boolean;
  readonly model_key?: string;
}

/** Begins to cluster, in as many steps as it takes. */
export async function begin(index: Harness, request: Request<typeof indexContract, 'begin_clustering'>) {
  let begun = await index.call('begin_clustering', request);
  for (let steps = 1; !begun.done; steps++) {
    if (steps > 1000) throw new Error('the clustering does not begin');
    begun = await index.call('begin_clustering', { ...request, begun: begun.clustering });
  }
  return begun;
}

/** Clusters a job as the coordinator does. */
export async function cluster(
  index: Harness,
  cache_dir: string,
  hashes: readonly string[],
  { eps = 0.2, min_samples = 2, clear_names = false, model_key = modelKey }: ClusterOptions = {},
  cluster_job_name = 'job',
) {
  const request = { cache_dir, cluster_job_name, model_key, hashes: [...hashes], eps, min_samples };
  const begun = await begin(index, request);
  const { clustering, entries } = begun;
  const vectors = new Float32Array(entries * d);
  for (let from = 0; from < entries; from += 7) {
    const page = await index.call('clustering_vectors', { clustering, from, most: 7 });
    vectors.set(page.vectors, from * d);
  }
  const found = labelsOf(vectors, eps, min_samples);
  const committed = await index.call('commit_clustering', { clustering, ...found, eps, clear_names });
  return { begun, ...committed };
}

/** The people of each cluster, as the pictures of its faces say: `person` counts by cluster id. */
export async function people(index: Harness, cache_dir: string, cluster_job_name = 'job') {
  const request = { cache_dir, cluster_job_name, clusters: null, min_size: 1, max_size: 1e9 };
  const page = { max_clusters: 1000, offset: 0, limit: 1000, noise: true };
  const { clusters, noise, job } = await index.call('cluster_faces', { ...request, ...page });
  const shown = [...clusters, noise!].map(({ cluster_id, faces, ...rest }) => ({
    cluster_id,
    ...rest,
    shown: faces.map((bytes) => /display (\S+ \d+ \d+)/.exec(Buffer.from(bytes).toString('latin1'))![1]!),
  }));
  return { job: job!, clusters: shown.slice(0, -1), noise: shown.at(-1)! };
}

/** The files of the rolls of faces. */
export function rollsIn(cache_dir: string): string[] {
  const within = join(cache_dir, 'people', `f-${encodeModelKey(modelKey)}`);
  return existsSync(within) ? readdirSync(within).map((name) => join(within, name)) : [];
}

/** A compaction to its end: how many steps it took. */
export async function compactFaces(index: Harness, cache_dir: string): Promise<number> {
  for (let steps = 1; steps < 1000; steps++)
    if ((await index.call('compact_faces', { cache_dir, model_key: modelKey })).done) return steps;
  throw new Error('the compaction does not end');
}
