// A fake index: what an analysis folder holds, in plain maps that a test looks into, with faults on demand.
import { join } from 'node:path';
import { indexContract } from '../../../actors/index/contract.ts';
import type { Sound } from '../../../actors/index/sounds/contract.ts';
import {
  type KeptSpan,
  type MediaRecord,
  type SpanKey,
  storeErrors,
} from '../../../actors/index/store/contract.ts';
import { isWithin } from '../../../actors/index/store/footage-path.ts';
import { baseHash } from '../../../actors/index/store/names.ts';
import type { Result } from '../../../actors/index/store/results.ts';
import type { Transcript } from '../../../actors/index/transcripts/contract.ts';
import type { ShotEdges } from '../../../actors/index/visual/contract.ts';
import { actor, type Handlers } from '../../../runtime/actor.ts';
import type { Request as Asked } from '../../../runtime/contract.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import type { FacesWorld } from './fake-faces.ts';
import { type MaterialWorld, materialHandlers } from './fake-material.ts';
import { peopleHandlers } from './fake-people.ts';
import { resultHandlers } from './fake-results.ts';
import { type FakeSummaries, summaryHandlers } from './fake-summaries.ts';
import { type TextWorld, writtenHandlers } from './fake-text.ts';
import { type ThingsWorld, thingHandlers } from './fake-things.ts';

export interface IndexState {
  readonly summaries: FakeSummaries;
  readonly people: FacesWorld;
  readonly text: TextWorld;
  readonly things: ThingsWorld;
  /** By hash. */
  readonly sounds: Map<string, Result<Sound>>;
  /** By path; matches come in this order. */
  readonly files: ReadonlyMap<string, unknown>;
  readonly committed: Map<
    string,
    { frames: number[]; sums: number[]; from_previews?: boolean | undefined; edges?: ShotEdges | undefined }
  >;
  /** Hashes of what was committed by another model only. */
  readonly outdated: Set<string>;
  readonly media: Map<string, MediaRecord>;
  /** Spans of interrupted work, by content, stage and model. */
  readonly spans: Map<string, FakeSpans>;
  /** Hashes that have a transcript. */
  readonly transcribed: Set<string>;
  /** By hash. */
  readonly transcripts: Map<string, Transcript>;
  readonly material: MaterialWorld;
  /** The readings of the picture that was searched for last; two numbers each. */
  readings: readonly number[];
  /** The stored preview of a frame. */
  preview: (hash: string, frame: number) => Uint8Array | null;
  /** The disk of the analysis folder is full. */
  full: boolean;
  /** The analysis folder cannot be written, or not even read. */
  readOnly: boolean;
  unavailable: boolean;
  /** Files that were remembered. */
  remembered: number;
  /** How often everything the folder knows was asked for. */
  listed: number;
  /** The index has loaded nothing, as after a restart. */
  unloaded: boolean;
  /** The model of each step of a compaction; three are a whole one. */
  /** Stages open at the same time for one content, at most. */
  mostOpen: number;
}

/** Frames of a visual stage; spans of any other. */
export interface FakeSpans {
  readonly key: SpanKey;
  readonly stage: { readonly frames: number[]; readonly sums: number[] };
  readonly spans: KeptSpan[];
}

type IndexHandlers = Partial<Handlers<typeof indexContract>>;

export function fakeIndex(world: IndexState) {
  return actor<typeof indexContract, unknown>({
    contract: indexContract,
    create: () => ({
      handlers: {
        ...storeHandlers(world),
        ...stageHandlers(world),
        ...summaryHandlers(world.summaries, () => world.full),
        ...spanHandlers(world),
        ...speechHandlers(world),
        ...resultHandlers({ text: world.text.stored, things: world.things.stored, sounds: world.sounds }),
        ...writtenHandlers(world.text),
        ...thingHandlers(world.things),
        find_sounds: () => ({ done: true, matches: [], looked: 0 }),
        ...visualHandlers(world),
        ...libraryHandlers(world),
        ...peopleHandlers(world.people),
        ...materialHandlers(world.committed, world.material),
      },
    }),
  });
}

function storeHandlers(world: IndexState) {
  return {
    known: ({ path, mtime_ms, ctime_ms }) => {
      if (world.unavailable) throw storeErrors.STORE_UNAVAILABLE('the folder cannot be read');
      const media = world.media.get(path);
      const { identity } = media ?? {};
      const isChanged = identity?.ctime_ms !== undefined && identity.ctime_ms !== ctime_ms;
      return identity?.mtime_ms === mtime_ms && !isChanged ? media! : null;
    },
    remember: ({ media }) => {
      if (world.readOnly) throw storeErrors.STORE_READ_ONLY('the folder cannot be written');
      world.remembered++;
      world.media.set(media.path, media);
      return {};
    },
    stored: ({ hashes, model_key }) => ({
      stored: hashes.map((hash) => {
        return world.committed.has(hash) && (model_key === null || !world.outdated.has(hash));
      }),
      from_previews: hashes.map((hash) => world.committed.get(hash)?.from_previews ?? false),
    }),
    outdated: () => ({ hashes: [], count: 0 }),
    open: () => ({}),
    media: () => {
      world.listed++;
      return { media: [...world.media.values()] };
    },
    find: ({ paths, hashes }) => {
      const known = [...world.media.values()];
      const by = (hash: string) => known.findLast(({ identity }) => identity.hash_str === hash);
      return {
        by_path: paths.map((path) => world.media.get(path) ?? null),
        by_hash: hashes.map((hash) => by(hash) ?? null),
      };
    },
    alike: ({ hash_str }) => {
      const last = new Map([...world.media.values()].map((media) => [media.identity.hash_str, media]));
      return { media: [...last.values()].filter(({ identity }) => baseHash(identity.hash_str) === hash_str) };
    },
    places: ({ hashes, paths }) => {
      const known = [...world.media.values()];
      const of = (hash: string) => known.filter(({ identity }) => identity.hash_str === hash);
      const contents = hashes.map((hash) => {
        const seen = of(hash).map(({ path }) => path);
        return { last: seen.at(-1) ?? null, paths: seen };
      });
      const all = new Set([...paths, ...contents.flatMap((one) => one.paths)]);
      return {
        contents,
        records: Array.from(all, (path): [string, MediaRecord | null] => [
          path,
          world.media.get(path) ?? null,
        ]),
      };
    },
    held: ({ cache_dir, hash_str }) => ({
      visual: world.committed.has(hash_str) ? join(cache_dir, 'vectors') : null,
      audio: world.transcribed.has(hash_str) ? cache_dir : null,
    }),
  } satisfies IndexHandlers;
}

function keptBy(world: IndexState, key: SpanKey): FakeSpans {
  const name = JSON.stringify([key.hash_str, key.stage, key.model_key]);
  const before = world.spans.get(name);
  const same =
    before?.key.settings === key.settings && (!key.task_only || before.key.task_id === key.task_id);
  if (before && same) return before;
  const fresh = { key, stage: { frames: [], sums: [] }, spans: [] };
  world.spans.set(name, fresh);
  return fresh;
}

function spanHandlers(world: IndexState) {
  return {
    kept_spans: ({ span }) => ({ spans: keptBy(world, span).spans.map((one) => ({ ...one })) }),
    keep_span: ({ span, position, bytes }) => {
      if (world.full) throw storeErrors.STORE_FULL('the disk is full');
      keptBy(world, span).spans.push({ position, bytes });
      return {};
    },
    forget_spans: ({ span }) => {
      world.spans.delete(JSON.stringify([span.hash_str, span.stage, span.model_key]));
      return {};
    },
  } satisfies IndexHandlers;
}

interface FakeStage {
  readonly hash: string;
  readonly frames: number[];
  readonly sums: number[];
  readonly span: SpanKey | undefined;
}

function stageHandlers(world: IndexState) {
  const stages = new Map<number, FakeStage>();
  let last = 0;
  const keep = ({ span, frames, sums }: FakeStage) => {
    if (!span) return;
    const kept = keptBy(world, span).stage;
    kept.frames.splice(0, kept.frames.length, ...frames);
    kept.sums.splice(0, kept.sums.length, ...sums);
  };
  const commit = ({ stage, media, from_previews, edges }: Asked<typeof indexContract, 'commit'>): number => {
    const { hash_str } = media.identity;
    const { frames, sums } = stages.get(stage)!;
    world.committed.set(hash_str, { frames, sums, from_previews, edges });
    world.outdated.delete(hash_str);
    stages.delete(stage);
    return frames.length;
  };
  return {
    begin: ({ hash_str, span }) => {
      const { frames, sums } = span ? keptBy(world, span).stage : { frames: [], sums: [] };
      stages.set(++last, { hash: hash_str, frames: [...frames], sums: [...sums], span });
      const open = [...stages.values()].filter(({ hash }) => hash === hash_str).length;
      world.mostOpen = Math.max(world.mostOpen, open);
      const changed = new Float32Array(frames.length);
      const kept = { stored_frames: frames.length, frames: Int32Array.from(frames), changed };
      return { stage: last, next_frame: (frames.at(-1) ?? -1) + 1, ...kept };
    },
    append: ({ stage, frames, vectors, keep: now }) => {
      if (world.full) throw storeErrors.STORE_FULL('the disk is full');
      const at = stages.get(stage);
      if (!at) throw engineErrors.INTERNAL(`append to the unknown stage ${stage}`);
      at.frames.push(...frames);
      at.sums.push(...frames.map((_, i) => vectors[i * 2]!));
      if (now) keep(at);
      return {};
    },
    commit: (one) => ({ vectors: commit(one) }),
    set_edges: ({ hash_str, edges }) => {
      if (world.full) throw storeErrors.STORE_FULL('the disk is full');
      const stored = world.committed.get(hash_str);
      if (!stored) throw storeErrors.NOT_ANALYZED(hash_str);
      stored.edges = edges;
      return { vectors: stored.frames.length };
    },
    abort: ({ stage }) => {
      const at = stages.get(stage);
      if (at) keep(at);
      stages.delete(stage);
      return {};
    },
    commit_all: ({ all }) => ({
      stored: all.map((one) => ({ vectors: commit(one), error: null })),
    }),
  } satisfies IndexHandlers;
}

function speechHandlers(world: IndexState) {
  return {
    transcribed: ({ hashes }) => ({ transcribed: hashes.map((hash) => world.transcribed.has(hash)) }),
    transcribe: ({ media, mark, segments }) => {
      if (world.full) throw storeErrors.STORE_FULL('the disk is full');
      world.transcripts.set(media.identity.hash_str, { mark, segments, names: {} });
      world.transcribed.add(media.identity.hash_str);
      return {};
    },
    transcript_marks: ({ hashes }) => ({
      marks: hashes.map((hash) => world.transcripts.get(hash)?.mark ?? null),
    }),
    transcripts: ({ hashes }) => ({
      transcripts: hashes.map((hash) => world.transcripts.get(hash) ?? null),
      unreadable: [],
    }),
    name_speakers: () => ({ names: {} }),
    suggest_speakers: () => ({ done: true, load: 1, model: null, suggestions: [] }),
    link_speakers: () => ({ voices: [] }),
    take_back_speakers: () => ({ voices: [] }),
    transcript_part: () => ({ stored: null, segments: [] }),
    people_named: ({ text }) => ({ people: [], excluded: [], parts: [], remainder: text }),
    media_named: () => ({ matches: [] }),
    speakers_named: () => ({ matches: [] }),
    seen_in_scenes: () => ({ matches: [] }),
    selected: () => ({ matches: [], people_twice: [] }),
    load_people: () => ({
      done: true,
      load: 1,
      jobs: 0,
      faces: 0,
      people: 0,
      named: 0,
      unreadable: [],
    }),
    load_transcripts: () => ({ done: true, load: 1, media: 0, segments: 0, unreadable: [] }),
    search_said: () => ({ matches: [], media: 0, words: [] }),
    search_transcripts: () => ({ matches: [], total: 0, total_is_exact: true }),
  } satisfies IndexHandlers;
}

function visualHandlers(world: IndexState) {
  return {
    load: () => {
      world.unloaded = false;
      return { done: true, load: 1, media: world.committed.size, vectors: 0, missing: [], unreadable: [] };
    },
    drop: () => ({}),
    resolve: ({ names }) => {
      if (world.unloaded) throw storeErrors.NOT_LOADED();
      const all = [...world.media.values()];
      const hashes = names.map(
        (name) =>
          all.find(({ path, identity }) => path === name || identity.hash_str === name)?.identity.hash_str ??
          null,
      );
      return { hashes, loaded: hashes.map((hash) => world.committed.has(hash ?? '')) };
    },
    ready_facets: () => ({ done: true }),
    facets: () => ({ facets: [], scope_count: 0, indexed_count: 0, unreadable: [], shortened: [] }),
    passing: ({ names }) => ({ passing: names.map(() => true) }),
    search: ({ scope, picture, text, max_results }) => {
      if (world.unloaded) throw storeErrors.NOT_LOADED();
      world.readings = [...(picture ?? [])];
      return {
        searched: 1,
        // In the order of the files, whichever of them was remembered first.
        matches: [...world.files.keys()]
          .flatMap((path) => world.media.get(path) ?? [])
          .filter(({ identity }) => !scope.hashes || scope.hashes.includes(identity.hash_str))
          .map(({ identity, path }, i) => ({
            hash_str: identity.hash_str,
            path,
            frame_index: scope.ranges[identity.hash_str]?.[0]?.[0] ?? picture?.[0] ?? text?.[0] ?? 0,
            scene_start: 0,
            scene_end: 3_661,
            original_index: i,
            score: 1,
          }))
          .slice(0, max_results),
      };
    },
    scenes: ({ hashes }) => ({
      lists: hashes.map((hash) =>
        world.committed.has(hash)
          ? { model_key: 'fake', scenes: Int32Array.of(0, 3_661), shots: null }
          : null,
      ),
      unreadable: [],
    }),
    standing: ({ moments, text, picture, exclude }) => {
      const usual = { centre: 0, deviation: 0.01 };
      const scores = { text: text && 0.5, picture: picture && 0.95, words: [], lost: exclude ? 0.49 : 0 };
      return {
        frames: 1000,
        background: { text: text && usual, picture: picture && usual, words: [] },
        scores: moments.map(() => ({ ...scores, lowered: exclude ? [true] : [] })),
      };
    },
    takes: () => ({ source_hash: null, takes: [], begun: [], next: null }),
    relevance: () => ({ values: new Float32Array([0, 1]), background: 0, best: 1, frames: 2 }),
    vector: ({ frame_index }) => ({ vector: frame_index === 1 ? new Float32Array([77, 0]) : null }),
    previews: ({ frames }) => ({
      previews: frames.map(({ hash_str, frame_index }) => world.preview(hash_str, frame_index)),
    }),
  } satisfies IndexHandlers;
}

function libraryHandlers(world: IndexState) {
  const held = (under: string | null) =>
    [...world.media.values()].filter(({ path }) => under === null || isWithin(path, under));
  return {
    held_media: ({ under, offset, limit }) => {
      const found = held(under);
      const media = found.slice(offset, offset + limit).map(({ path, identity, probe }) => {
        const { hash_str, size_bytes } = identity;
        const frames = world.committed.get(hash_str)?.frames.length ?? 0;
        const found = { type: 'video', model_key: 'fake', count: frames, stored_ms: 0 };
        const { kind, duration_seconds } = probe;
        const facts = { size_bytes, kind, duration_seconds, volume: null };
        const results = frames > 0 ? [found] : [];
        return { path, hash_str, replaced: false, ...facts, results, unreadable: [] };
      });
      return { total: found.length, media };
    },
    held_models: () => ({ models: [], face_models: [] }),
    remove_media: () => ({ clusterings: [] }),
    move_paths: () => ({ stayed: [] }),
    settle_paths: () => ({ after: null }),
    held_files: ({ files }) => ({ files: files.map(() => null) }),
    held_below: ({ names }) => ({ counts: names.map(() => 0) }),
    held_folders: () => ({ folders: [] }),
    kept_peaks: () => ({ peaks: null }),
    keep_peaks: () => ({ stored: false }),
    followed: () => null,
    follow: ({ library }) => ({ library, seq: 0, at_ms: 0 }),
    apply: () => ({ answer: null, refusal: null }),
    apply_small: () => ({ written: [{ answer: null, refusal: null }] }),
  } satisfies IndexHandlers;
}
