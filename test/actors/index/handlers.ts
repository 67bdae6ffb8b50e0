// The index actor without a thread: its handlers with a turn that a test can cancel, and a folder that is
// removed.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { TestContext } from 'node:test';
import { definition, type IndexSettings } from '../../../actors/index/actor.ts';
import type { indexContract } from '../../../actors/index/contract.ts';
import type { HeldMedia } from '../../../actors/index/library/contract.ts';
import type { LoadReport } from '../../../actors/index/visual/contract.ts';
import { stride8, stride16 } from '../../../actors/index/visual/quantize.ts';
import { loadInSteps } from '../../../actors/search/loaded-data.ts';
import { Sent, type Turn } from '../../../runtime/actor.ts';
import type { AskName, Reply, Request } from '../../../runtime/contract.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import { createLog, type LogLine } from '../../../runtime/log.ts';
import { footage, framesUpTo, mediaRecord, preview } from './footage.ts';

type C = typeof indexContract;

export interface Harness {
  call<K extends AskName<C>>(
    name: K,
    request: Request<C, K>,
    cancelled?: () => boolean,
  ): Promise<Reply<C, K>>;
  /** A load to its end. */
  load(request: Request<C, 'load'>, cancelled?: () => boolean): Promise<LoadReport>;
  close(): Promise<void>;
  readonly lines: LogLine[];
}

/** The paths at which each content was seen. */
export async function pathsOf(index: Harness, cache_dir: string, hashes: string[]): Promise<string[][]> {
  return (await index.call('places', { cache_dir, hashes, paths: [] })).contents.map(({ paths }) => paths);
}

export async function indexActor(t: TestContext, settings: IndexSettings = {}): Promise<Harness> {
  const lines: LogLine[] = [];
  const log = createLog('index', (line) => lines.push(line));
  const stopping = new AbortController();
  const instance = await definition.create({ settings, log, stopping: stopping.signal });
  let open = true;
  const close = async () => {
    if (open) await instance.close?.();
    open = false;
  };
  t.after(close);
  const turnOf = (cancelled: () => boolean): Turn => ({
    signal: stopping.signal,
    cancelled,
    throwIfCancelled: () => {
      if (cancelled()) throw engineErrors.CANCELLED();
    },
    alive: () => {},
    reserve: async () => () => {},
    slot: () => new Uint8Array(0),
    log,
  });
  const call: Harness['call'] = async (name, request, cancelled = () => false) => {
    const handler = instance.handlers[name] as (request: unknown, turn: Turn) => unknown;
    const reply = await handler(request, turnOf(cancelled));
    return (reply instanceof Sent ? reply.value : reply) as never;
  };
  const load: Harness['load'] = async (request, cancelled) => {
    const step = (number: number | null) => call('load', { ...request, load: number }, cancelled);
    const { done: _done, load: _load, ...report } = await loadInSteps(step, () => {});
    return report;
  };
  return { lines, close, call, load };
}

/** The bundles of a content in its place, or in `open/`. */
export function bundlesOf(
  cache_dir: string,
  hash: string,
  kind: 'vectors' | 'previews' = 'vectors',
): string[] {
  const within = kind === 'vectors' ? 'vectors/m-model' : 'previews';
  return filesIn(join(cache_dir, within, hash.slice(0, 2))).filter((file) =>
    basename(file).startsWith(`${hash}.`),
  );
}

/** What is being written, and what is kept of interrupted work. */
export const openIn = (cache_dir: string): string[] => filesIn(join(cache_dir, 'open'));

function filesIn(within: string): string[] {
  return existsSync(within) ? readdirSync(within).map((name) => join(within, name)) : [];
}

/** Bytes of the head of a bundle. */
export function headOf(file: string): number {
  return Math.ceil((16 + readFileSync(file).readUInt32LE(8)) / 64) * 64;
}

/** Where the 16-bit row lies in the bundle of its vectors; with the number of rows, the 8-bit row. */
export function placeOf(file: string, row: number, rows: number | null = null, dimensions = 32): number {
  const [eight, sixteen] = [stride8(dimensions), stride16(dimensions)];
  return headOf(file) + (rows === null ? row * sixteen : rows * sixteen + row * eight);
}

/** Stores one media of footage with previews through the actor and answers its vectors. */
export async function store(
  index: Harness,
  cache_dir: string,
  hash: string,
  vectors: Float32Array<ArrayBuffer>,
  options: {
    model_key?: string;
    dimensions?: number;
    frames?: number[];
    path?: string;
    previewBytes?: number;
  } = {},
): Promise<void> {
  const dimensions = options.dimensions ?? 32;
  const frames = options.frames ?? framesUpTo(vectors.length / dimensions);
  const { stage } = await index.call('begin', {
    cache_dir,
    hash_str: hash,
    model_key: options.model_key ?? 'model',
    dimensions,
  });
  await index.call('append', {
    stage,
    frames,
    vectors,
    previews: frames.map((frame) => preview(frame, options.previewBytes)),
  });
  await index.call('commit', { stage, media: mediaRecord(hash, options.path) });
}

export const everything = { hashes: null, ranges: {}, filters: [] };

export function someFootage(frames: number, seed: number, dimensions = 32): Float32Array<ArrayBuffer> {
  return footage(frames, dimensions, 8, 0.2, seed);
}

/** How much work of a type found in a content, by each model. */
export const countsOf = ({ results }: HeldMedia, type: string): number[] =>
  results.flatMap((result) => (result.type === type ? [result.count] : []));
