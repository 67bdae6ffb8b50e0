// Fake leaf actors for the tests of the coordinators: the same contracts over the in-memory link, with faults on demand.
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAnalysis } from '../../../actors/analysis/analysis.ts';
import type { AnalysisEvent } from '../../../actors/analysis/contract.ts';
import { openJournal } from '../../../actors/analysis/journal.ts';
import { decoderContract, mediaErrors, modifiedMs, type Probe } from '../../../actors/decoder/contract.ts';
import { embedderContract } from '../../../actors/embedder/contract.ts';
import { indexContract, type MediaRecord, storeErrors } from '../../../actors/index/contract.ts';
import { modelErrors } from '../../../actors/models/contract.ts';
import { createSearch } from '../../../actors/search/search.ts';
import { type ActorDefinition, actor, Sent } from '../../../runtime/actor.ts';
import { manualClock } from '../../../runtime/clock.ts';
import type { Contract } from '../../../runtime/contract.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import { createLog, type LogLine } from '../../../runtime/log.ts';
import { startInMemory } from '../../../runtime/memory.ts';
import { createSlotPool } from '../../../runtime/slots.ts';
import { createSupervisor } from '../../../runtime/supervisor.ts';

export interface FakeFile {
  readonly name: string;
  readonly frames: number;
  readonly kind?: 'video' | 'audio' | 'image';
  /** Content; files of the same content have the same hash. */
  readonly content?: string;
  /** The feed fails at this frame, this many times. */
  readonly failAt?: number;
  failures?: number;
  /** Frames that are left out. */
  readonly missing?: readonly number[];
  readonly error?: 'crash' | 'decode';
}

const rational = { num: 1, den: 1 };

function probeOf(file: FakeFile): Probe {
  const kind = file.kind ?? 'video';
  return {
    kind,
    container: 'fake',
    size_bytes: 1,
    duration_seconds: file.frames,
    grid_frames: kind === 'audio' ? 0 : file.frames,
    width: 4,
    height: 2,
    video: null,
    audio: [],
    subtitles: [],
    timecode: { text: '00:00:00:00', drop_frame: false, rate: rational },
    creation_date: null,
    camera_make: null,
    camera_model: null,
    location: null,
  };
}

interface World {
  readonly files: Map<string, FakeFile>;
  /** Batches the embedder was sent, by number of pictures. */
  readonly batches: number[];
  readonly committed: Map<string, { frames: number[]; sums: number[] }>;
  readonly media: Map<string, MediaRecord>;
  readonly decoded: string[];
  hold: Promise<void>;
  readonly batch: number;
  /** The disk of the analysis folder is full. */
  full: boolean;
  /** The index has loaded nothing, as after a restart. */
  unloaded: boolean;
  /** Stages open at the same time for one content, at most. */
  mostOpen: number;
  /** False after a crash: the embedder has no model. */
  loaded: boolean;
}

const shape = { width: 2, height: 1, fit: 'stretch', resample: 'area' } as const;

function fakeDecoder(world: World) {
  const find = (path: string) => {
    const file = world.files.get(path);
    if (!file) throw mediaErrors.NOT_MEDIA(`${path}: not media`);
    return file;
  };
  return actor<typeof decoderContract, unknown>({
    contract: decoderContract,
    create: () => ({
      handlers: {
        probe: ({ path }) => probeOf(find(path)),
        identify: ({ path }) => {
          const stats = statSync(path, { bigint: true });
          const hash_str = find(path).content ?? find(path).name.replace(/\W/g, '');
          return {
            hash_str,
            size_bytes: Number(stats.size),
            mtime_ms: modifiedMs(stats),
            inode: String(stats.ino),
          };
        },
        async *frames({ path }, turn) {
          const file = find(path);
          world.decoded.push(file.name);
          for (let i = 0; i < file.frames; i++) {
            await world.hold;
            turn.throwIfCancelled();
            if (file.missing?.includes(i)) continue;
            if (i === file.failAt && (file.failures ?? 1) > 0) {
              file.failures = (file.failures ?? 1) - 1;
              throw file.error === 'crash'
                ? engineErrors.ACTOR_CRASHED('decoder ended')
                : mediaErrors.DECODE_FAILED(`${path}: broken at ${i}`);
            }
            const picture = await turn.freeSlot();
            turn.slot(picture).fill(i % 256);
            const preview = new Uint8Array([0xff, 0xd8, i]);
            const frame = { frame_index: i, seconds: i, picture, preview };
            yield new Sent(frame, { slots: [picture], transfer: [preview.buffer] });
          }
        },
        picture: ({ picture, seconds }, turn) => {
          turn.slot(picture).fill(seconds);
          return { seconds, preview: null };
        },
      },
    }),
  });
}

const ready = {
  model_key: 'fake',
  is_loading: false,
  requested_model_key: 'fake',
  load_status: 'ready',
  fallback_from: null,
  error: null,
  device: 'cpu',
} as const;

function fakeEmbedder(world: World) {
  return actor<typeof embedderContract, unknown>({
    contract: embedderContract,
    create: () => ({
      handlers: {
        load: () => {
          world.loaded = true;
          return { model_key: 'fake', dimensions: 2, shape, batch: world.batch, state: ready };
        },
        state: () => ready,
        pictures: ({ pictures }, turn) => {
          if (!world.loaded) throw modelErrors.MODEL_NOT_LOADED();
          world.batches.push(pictures.length);
          const vectors = new Float32Array(pictures.flatMap((handle) => [turn.slot(handle)[0]!, 1]));
          return new Sent({ vectors }, { transfer: [vectors.buffer] });
        },
        texts: ({ texts }) => {
          const vectors = new Float32Array(texts.flatMap((text) => [text.length, 0]));
          const understood = texts.map((text) => text !== 'xyzzy');
          return {
            vectors,
            understood,
            unknown_words: texts.flatMap((text) => text.split(' ')).filter((word) => word === 'xyzzy'),
          };
        },
      },
    }),
  });
}

function fakeIndex(world: World) {
  const stages = new Map<number, { hash: string; frames: number[]; sums: number[] }>();
  let last = 0;
  return actor<typeof indexContract, unknown>({
    contract: indexContract,
    create: () => ({
      handlers: {
        known: ({ path, mtime_ms }) => {
          const media = world.media.get(path);
          return media?.identity.mtime_ms === mtime_ms ? media : null;
        },
        remember: ({ media }) => {
          world.media.set(media.path, media);
          return {};
        },
        stored: ({ hashes }) => ({ stored: hashes.map((hash) => world.committed.has(hash)) }),
        media: () => ({ media: [...world.media.values()] }),
        begin: ({ hash_str }) => {
          stages.set(++last, { hash: hash_str, frames: [], sums: [] });
          const open = [...stages.values()].filter(({ hash }) => hash === hash_str).length;
          world.mostOpen = Math.max(world.mostOpen, open);
          return { stage: last };
        },
        append: ({ stage, frames, vectors }) => {
          if (world.full) throw storeErrors.STORE_FULL('the disk is full');
          const at = stages.get(stage);
          if (!at) throw engineErrors.INTERNAL(`append to the unknown stage ${stage}`);
          at.frames.push(...frames);
          at.sums.push(...frames.map((_, i) => vectors[i * 2]!));
          return {};
        },
        commit: ({ stage, media }) => {
          world.committed.set(media.identity.hash_str, stages.get(stage)!);
          stages.delete(stage);
          return { vectors: world.committed.get(media.identity.hash_str)!.frames.length };
        },
        abort: ({ stage }) => {
          stages.delete(stage);
          return {};
        },
        load: () => {
          world.unloaded = false;
          return { media: world.committed.size, vectors: 0, missing: [], unreadable: [] };
        },
        drop: () => ({}),
        search: ({ scope, picture, text }) => {
          if (world.unloaded) throw storeErrors.NOT_LOADED();
          return {
            searched: 1,
            matches: [...world.media.values()]
              .filter(({ identity }) => !scope.hashes || scope.hashes.includes(identity.hash_str))
              .map(({ identity, path }, i) => ({
                hash_str: identity.hash_str,
                path,
                frame_index: scope.ranges[identity.hash_str]?.[0]?.[0] ?? picture?.[0] ?? text?.[0] ?? 0,
                scene_start: 0,
                scene_end: 3_661,
                original_index: i,
                score: 1,
              })),
          };
        },
        vector: ({ frame_index }) => ({ vector: frame_index === 1 ? new Float32Array([77, 0]) : null }),
        previews: ({ frames }) => ({
          previews: frames.map(({ frame_index }) => (frame_index === 99 ? null : new Uint8Array([1, 2, 3]))),
        }),
      },
    }),
  });
}

export async function world(
  files: readonly FakeFile[],
  options: { decoders?: number; journal?: string; batch?: number } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'framehound-test-'));
  const lines: LogLine[] = [];
  const log = createLog('test', (line) => lines.push(line));
  const clock = manualClock();
  const pool = createSlotPool(24, 8);
  const supervisor = createSupervisor({ clock, log, pool });
  const state: World = {
    files: new Map(),
    batches: [],
    committed: new Map(),
    media: new Map(),
    decoded: [],
    hold: Promise.resolve(),
    loaded: false,
    batch: options.batch ?? 4,
    mostOpen: 0,
    full: false,
    unloaded: false,
  };
  const add = (file: FakeFile) => {
    const path = join(folder, file.name);
    writeFileSync(path, file.name);
    state.files.set(path, file);
    return path;
  };
  const start = <C extends Contract>(
    definition: ActorDefinition<C, unknown>,
    name = definition.contract.name,
  ) =>
    supervisor.add({
      name,
      contract: definition.contract,
      turnLimitMs: 60_000,
      start: () => startInMemory(definition, { log, memory: pool.memory }),
    });
  const index = await start(fakeIndex(state));
  const embedder = await start(fakeEmbedder(state));
  const surveyor = await start(fakeDecoder(state), 'surveyor');
  const decoders = await Promise.all(
    Array.from({ length: options.decoders ?? 2 }, (_, i) => start(fakeDecoder(state), `decoder-${i}`)),
  );
  const journalPath = options.journal ?? join(folder, 'journal.ndjson');
  const journal = openJournal(journalPath, () => 0);
  let tasks = 0;
  const preview = { max_side: 64, quality: 80 };
  const parts = { decoders, surveyor, embedder, index, pool, journal, preview, clock, log };
  const analysis = createAnalysis({ ...parts, newTaskId: () => `task-${++tasks}` });
  const paths = files.map(add);
  const events: AnalysisEvent[] = [];
  return {
    ...state,
    state,
    folder,
    paths,
    add,
    pool,
    events,
    journalPath,
    search: createSearch({ decoder: surveyor, embedder, index, pool }),
    run: (signal = new AbortController().signal, force = false, of: readonly string[] = paths) =>
      analysis.run(
        { cache_dir: join(folder, 'cache'), paths: [...of], model_key: 'fake', decode: 'exact', force },
        { signal, onEvent: (event) => events.push(event) },
      ),
    end: async () => {
      await supervisor.stop();
      journal.close();
      rmSync(folder, { recursive: true });
    },
  };
}
