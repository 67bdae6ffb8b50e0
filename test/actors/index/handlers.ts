// The index actor without a thread: its handlers with a turn that a test can cancel, and a folder that is
// removed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { definition, type IndexSettings } from '../../../actors/index/actor.ts';
import type { indexContract } from '../../../actors/index/contract.ts';
import type { LoadReport } from '../../../actors/index/visual/contract.ts';
import { loadInSteps } from '../../../actors/search/load-in-steps.ts';
import { Sent, type Turn } from '../../../runtime/actor.ts';
import type { AskName, Reply, Request } from '../../../runtime/contract.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import { createLog, type LogLine } from '../../../runtime/log.ts';
import { footage, framesUpTo, mediaRecord, preview } from './footage.ts';

type C = typeof indexContract;

/** A folder of its own, removed after the test. */
export function folder(t: TestContext): string {
  const made = mkdtempSync(join(tmpdir(), 'framehound-index-'));
  t.after(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

export interface Harness {
  call<K extends AskName<C>>(
    name: K,
    request: Request<C, K>,
    cancelled?: () => boolean,
  ): Promise<Reply<C, K>>;
  /** A compaction to its end: how many steps it took. */
  compact(cache_dir: string, model_key?: string): Promise<number>;
  /** A load to its end. */
  load(request: Request<C, 'load'>, cancelled?: () => boolean): Promise<LoadReport>;
  close(): Promise<void>;
  readonly lines: LogLine[];
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
  const compact: Harness['compact'] = async (cache_dir, model_key = 'model') => {
    for (let steps = 1; steps < 1000; steps++)
      if ((await call('compact', { cache_dir, model_key })).done) return steps;
    throw new Error('the compaction does not end');
  };
  return { lines, close, call, load, compact };
}

/** Stores one media of footage with previews through the actor and answers its vectors. */
export async function store(
  index: Harness,
  cache_dir: string,
  hash: string,
  vectors: Float32Array<ArrayBuffer>,
  options: { model_key?: string; dimensions?: number; frames?: number[] } = {},
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
    previews: frames.map((frame) => preview(frame)),
  });
  await index.call('commit', { stage, media: mediaRecord(hash) });
}

export const everything = { hashes: null, ranges: {}, filters: [] };

export function someFootage(frames: number, seed: number, dimensions = 32): Float32Array<ArrayBuffer> {
  return footage(frames, dimensions, 8, 0.2, seed);
}
