// Fake leaf actors for tests of the coordinators: the same contracts over the in-memory link, with faults.
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAnalysis } from '../../../actors/analysis/analysis.ts';
import type { AnalysisEvent } from '../../../actors/analysis/contract.ts';
import { openJournal } from '../../../actors/analysis/recovery/journal.ts';
import { amountFields, fileResult } from '../../../actors/analysis/result.ts';
import { stageKinds } from '../../../actors/analysis/stages/kinds.ts';
import { lookBytes } from '../../../actors/analysis/stages/picture/cuts.ts';
import type { SpeechJob } from '../../../actors/analysis/stages/speech/kind.ts';
import type { Stage } from '../../../actors/analysis/stages/stage.ts';
import type { FileResult } from '../../../actors/analysis/tasks/contract.ts';
import { changedMs, decoderContract, mediaErrors, modifiedMs } from '../../../actors/decoder/contract.ts';
import { embedderContract, type PictureReading } from '../../../actors/embedder/contract.ts';
import type { indexContract } from '../../../actors/index/contract.ts';
import { modelErrors } from '../../../actors/models/contract.ts';
import { createSearch, type SearchParts } from '../../../actors/search/search.ts';
import { type ActorDefinition, actor, Sent } from '../../../runtime/actor.ts';
import type { Contract, SlotHandle } from '../../../runtime/contract.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import { createLog, type Log, type LogLine } from '../../../runtime/log.ts';
import { createSlotPool, type SlotPool } from '../../../runtime/slots.ts';
import { createSupervisor, type Supervisor } from '../../../runtime/supervisor.ts';
import { manualClock } from '../../runtime/manual-clock.ts';
import { startInMemory } from '../../runtime/memory.ts';
import { noRootsHere } from '../library/fake-roots.ts';
import { type FacesWorld, fakeFaces, noFaces } from './fake-faces.ts';
import {
  byteOf,
  damageOf,
  type FakeFile,
  failAt,
  framesOf,
  partsOf,
  probeOf,
  sectionsOf,
  timesOf,
} from './fake-file.ts';
import { fakeIndex, type IndexState } from './fake-index.ts';
import { modelLibrary } from './fake-library.ts';
import { noMaterial } from './fake-material.ts';
import { type StoredPicturesWorld, storedPictures } from './fake-previews.ts';
import { byteShownAt, sampleAt } from './fake-samples.ts';
import { noSummaries } from './fake-summaries.ts';
import { fakeSummarizer, newSummarizer, type SummarizerWorld } from './fake-summarizer.ts';
import { fakeTextReader, noText } from './fake-text.ts';
import { fakeDetector, noThings } from './fake-things.ts';
import { fakeDiarizer, fakeTranscriber, noVoices, type Voices } from './fake-voices.ts';

type AmountField = 'frames' | 'grid_frames' | 'heard_seconds' | 'sound_seconds';

export interface World extends IndexState, StoredPicturesWorld {
  readonly files: Map<string, FakeFile>;
  /** Batches the embedder was sent, by number of pictures. */
  readonly batches: number[];
  /** The first frames that were asked for. */
  readonly from: number[];
  holdProbes: Promise<void>;
  readonly batch: number;
  /** Files that were probed, at the same time at most and in all. */
  probing: { now: number; most: number; all: number };
  readonly voices: Voices;
  readonly people: FacesWorld;
  readonly summarizer: SummarizerWorld;
  /** Paths of pictures between black bars. */
  readonly barred: Set<string>;
  /** False after a crash: the embedder has no model. */
  loaded: boolean;
}

const fakePeaks = {
  peaks: () => ({ peaks: { per_second: 50, values: new Uint8Array(100).fill(51) } }),
  end_peaks: () => ({}),
};
const readings: PictureReading[] = ['plain', 'mirrored'];
const shape = { width: 2, height: 1, fit: 'stretch', resample: 'area', trim_bars: true } as const;

/** Answers as a decoder that makes no proxies, and hears little. */
const ofSoundAndProxies = {
  ...fakePeaks,
  // biome-ignore lint/correctness/useYield: there is none.
  proxy: async function* () {
    throw mediaErrors.DECODE_FAILED('nobody makes proxies here');
  },
  playable: ({ path }: { readonly path: string }) =>
    path.endsWith('.png') ? null : 'video/mp4; codecs="avc1.640028"',
};

function markOf(path: string) {
  const stats = statSync(path, { bigint: true });
  return {
    size_bytes: Number(stats.size),
    mtime_ms: modifiedMs(stats),
    inode: String(stats.ino),
    ctime_ms: changedMs(stats),
  };
}

function fakeDecoder(world: World) {
  const find = (path: string): FakeFile => {
    const file = world.files.get(path) ?? sampleAt(path);
    if (!file) throw mediaErrors.NOT_MEDIA(`${path}: not media`);
    return file;
  };
  return actor<typeof decoderContract, unknown>({
    contract: decoderContract,
    create: () => ({
      handlers: {
        probe: async ({ path }) => {
          const { probing } = world;
          probing.all++;
          probing.most = Math.max(probing.most, ++probing.now);
          await world.holdProbes;
          probing.now--;
          const file = find(path);
          if (!existsSync(path)) throw mediaErrors.FILE_NOT_FOUND(`${path}: there is no such file`);
          return probeOf(file);
        },
        identify: ({ path }) => {
          const hash_str = find(path).content ?? find(path).name.replace(/\W/g, '');
          return { hash_str, ...markOf(path) };
        },
        digest: ({ path }) => ({ digest: find(path).content ?? find(path).name, parts: 1, ...markOf(path) }),
        sections: ({ path, from_frame, frames }) => ({
          sections: sectionsOf(find(path), from_frame, frames),
        }),
        async *frames({ path, shape: asked, further_shapes = [], preview: wanted, ...part }, turn) {
          const file = find(path);
          world.decoded.push(file.name);
          world.from.push(part.from_frame);
          for (const i of framesOf(file, part.from_frame, part.sections)) {
            await world.hold;
            turn.throwIfCancelled();
            if (file.missing?.includes(i)) continue;
            failAt(file, path, i);
            const slots: SlotHandle[] = [];
            for (const { width } of [asked, ...further_shapes]) {
              const slot = await turn.freeSlot();
              turn.slot(slot).fill(byteOf(file, i, width === shape.width));
              slots.push(slot);
            }
            const [picture, ...further_pictures] = slots as [SlotHandle, ...SlotHandle[]];
            const preview = wanted ? new Uint8Array([0xff, 0xd8, i]) : null;
            const shown = { frame_index: i, seconds: i, preview, ...damageOf(file, i) };
            const frame = { ...shown, picture, further_pictures };
            yield new Sent(frame, { slots, transfer: preview ? [preview.buffer] : [] });
          }
        },
        ...storedPictures(world),
        picture: ({ path, picture, seconds, shape }, turn) => {
          if (!existsSync(path)) throw mediaErrors.FILE_NOT_FOUND(`${path}: there is no such file`);
          turn.slot(picture).fill(byteShownAt(path) ?? seconds);
          return { seconds, preview: null, trimmed: shape.trim_bars === true && world.barred.has(path) };
        },
        async *sound({ path, channels }, turn) {
          const file = find(path);
          if (channels?.some((channel) => channel > 2)) throw mediaErrors.NO_CHANNEL(`${path}: has 2`);
          for (let second = 0; second < file.frames; second++) {
            for (const [channel] of (channels ?? [1]).entries()) {
              const samples = await turn.freeSlot();
              const block = { channel, first_sample: second * 16_000, count: 16_000, samples };
              yield new Sent(block, { slots: [samples] });
            }
          }
        },
        subtitles: ({ path }) => {
          const { captions } = find(path);
          if (!captions) throw mediaErrors.NO_SUBTITLES(path);
          const cues = captions.texts.map((text, i) => ({ start_seconds: i, end_seconds: i + 1, text }));
          return { codec: 'subrip', header: null, cues };
        },
        async *moments({ path, seconds }) {
          const file = find(path);
          world.decoded.push(file.name);
          for (const [moment, at] of seconds.entries()) {
            if (at >= file.frames || file.missing?.includes(at)) continue;
            if (file.error === 'crash') throw engineErrors.ACTOR_CRASHED('decoder ended');
            yield { moment, seconds: at, jpeg: new Uint8Array([0xff, 0xd8, at]) };
          }
        },
        part_pictures: ({ path, ...asked }) => partsOf(find(path), asked),
        picture_times: ({ path }) => ({ varies: false, starts: timesOf(find(path)), end: null }),
        clip: () => Promise.reject(mediaErrors.DECODE_FAILED('nobody cuts clips here')),
        ...ofSoundAndProxies,
        shrink: ({ jpegs }) => ({ jpegs: jpegs.map((jpeg) => new Uint8Array([...jpeg, 0x55])) }),
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
  device_reason: null,
} as const;

function fakeEmbedder(world: World) {
  return actor<typeof embedderContract, unknown>({
    contract: embedderContract,
    create: () => ({
      handlers: {
        // Every model but these two gives way to the default one.
        load: ({ model_key: asked }) => {
          world.loaded = true;
          const model_key = asked === 'second' ? asked : 'fake';
          const state = { ...ready, model_key, requested_model_key: model_key };
          return { model_key, dimensions: 2, shape, batch: world.batch, readings, mirror: null, state };
        },
        state: () => ready,
        pictures: ({ pictures, readings = ['plain'] }, turn) => {
          if (!world.loaded) throw modelErrors.MODEL_NOT_LOADED();
          world.batches.push(pictures.length);
          const shown = pictures.flatMap((handle) =>
            readings.flatMap((reading) => [turn.slot(handle)[0]!, reading === 'mirrored' ? -1 : 1]),
          );
          const vectors = new Float32Array(shown);
          return new Sent({ vectors }, { transfer: [vectors.buffer] });
        },
        texts: ({ texts }) => {
          const vectors = new Float32Array(texts.flatMap((text) => [text.length, 0]));
          const understood = texts.map((text) => text !== 'xyzzy');
          return {
            vectors,
            understood,
            known_words: texts.map((text) => text.split(' ').filter((word) => word === 'four')),
            unknown_words: texts.map((text) => text.split(' ').filter((word) => word === 'xyzzy')),
          };
        },
      },
    }),
  });
}

function newWorld(batch: number): World {
  return {
    material: noMaterial(),
    committed: new Map(),
    outdated: new Set(),
    files: new Map(),
    batches: [],
    spans: new Map(),
    summaries: noSummaries(),
    media: new Map(),
    transcribed: new Set(),
    preview: (_, frame) => (frame === 99 ? null : new Uint8Array([1, 2, 3])),
    decoded: [],
    storedCrashes: 0,
    readings: [],
    barred: new Set(),
    from: [],
    hold: Promise.resolve(),
    holdProbes: Promise.resolve(),
    loaded: false,
    batch,
    mostOpen: 0,
    full: false,
    readOnly: false,
    unavailable: false,
    remembered: 0,
    listed: 0,
    probing: { now: 0, most: 0, all: 0 },
    voices: noVoices(),
    people: noFaces(),
    text: noText(),
    things: noThings(),
    sounds: new Map(),
    summarizer: newSummarizer(),
    transcripts: new Map(),
    unloaded: false,
  };
}

async function startFakes(
  state: World,
  { supervisor, log, pool }: { supervisor: Supervisor; log: Log; pool: SlotPool },
  count: number,
  index: ActorDefinition<typeof indexContract, undefined> = fakeIndex(state),
) {
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
  const embedder = await start(fakeEmbedder(state));
  const textEmbedder = await start(fakeEmbedder(state), 'text-embedder');
  const prober = await start(fakeDecoder(state), 'prober');
  const decoders = await Promise.all(
    Array.from({ length: count }, (_, i) => start(fakeDecoder(state), `decoder-${i}`)),
  );
  const audioDecoders = [
    await start(fakeDecoder(state), 'audio-decoder-0'),
    await start(fakeDecoder(state), 'audio-decoder-1'),
  ];
  const transcriber = await start(fakeTranscriber(state.voices));
  const diarizer = await start(fakeDiarizer(state.voices));
  const speech = { audioDecoders, transcriber, diarizer };
  const faces = await start(fakeFaces(state.people));
  const textReader = await start(fakeTextReader(state.text));
  const things = await start(fakeDetector(state.things));
  const summarizer = await start(fakeSummarizer(state.summarizer));
  const leaves = { embedder, textEmbedder, prober, decoders, speech, faces, textReader, things, summarizer };
  return { index: await start(index), ...leaves };
}

/** Parts of an engine that a test brings itself. */
const without = { roots: noRootsHere, clips: null, proxies: null, modelLibrary, faceSide: 1280 };

export type FakeWorld = Awaited<ReturnType<typeof world>>;

export async function world(
  files: readonly FakeFile[],
  options: {
    decoders?: number;
    journal?: string;
    batch?: number;
    summarizing?: () => boolean;
    lists?: SearchParts['lists'];
    stages?: readonly Stage[];
    /** Instead of the fake one. */
    index?: ActorDefinition<typeof indexContract, undefined>;
  } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'framehound-test-'));
  const lines: LogLine[] = [];
  const log = createLog('test', (line) => lines.push(line));
  const clock = manualClock();
  const pool = createSlotPool(24, files.some(({ cuts }) => cuts) ? lookBytes : 8);
  const supervisor = createSupervisor({ clock, log, pool });
  const state = newWorld(options.batch ?? 4);
  const add = (file: FakeFile) => {
    const path = join(folder, file.name);
    writeFileSync(path, file.name);
    state.files.set(path, file);
    return path;
  };
  const leaves = await startFakes(state, { supervisor, log, pool }, options.decoders ?? 2, options.index);
  const journalPath = options.journal ?? join(folder, 'journal.ndjson');
  const journal = openJournal(journalPath, { log, now: () => 0, before: null });
  const settings = { preview: { max_side: 64, quality: 80 }, hardware: 'off' as const };
  const { index, prober, decoders } = leaves;
  const parts = { ...leaves, ...without, ...settings, pool, journal, clock, log };
  const { summarizing, lists } = options;
  const search = createSearch({
    ...parts,
    decoder: prober,
    thumbnailDecoders: decoders,
    ...{ summarizing: summarizing ?? (() => analysis.summarizing), ...(lists && { lists }) },
    opensPictures: () => true,
    modelLibrary: { list: async () => ({ models: [], problems: [] }) },
  });
  const analysis = createAnalysis({ ...parts, models: search.models }, options.stages);
  const paths = files.map(add);
  const events: AnalysisEvent[] = [];
  return {
    ...state,
    state,
    folder,
    paths,
    add,
    pool,
    index,
    prober,
    decoders,
    events,
    journalPath,
    search,
    /** Brings the model into use and loads the folder `/cache`. */
    open: async () => {
      await search.models.load('fake');
      await search.load('/cache');
    },
    analysis,
    parts,
    journal,
    clock,
    log,
    lines,
    run: async (
      signal = new AbortController().signal,
      force = false,
      of: readonly string[] = paths,
      speech: readonly SpeechJob[] = [],
      task_id = 'task',
    ) => {
      const cache_dir = join(folder, 'cache');
      const query = { cache_dir, paths: [...of], speech: [...speech], force, model_key: 'fake' };
      const request = { ...query, face_jobs: [], summary_jobs: [], decode: 'exact' as const };
      const results: FileResult[] = [];
      const onEvent = (event: AnalysisEvent) => {
        events.push(event);
        if (event.type === 'result') results.push(fileResult(stageKinds, event.result));
      };
      const run = { task_id, request, earlier: null, ...(force && { retries: 'all' as const }) };
      const report = await analysis.run(run, { signal, onEvent });
      // Records and events write them like this.
      const amounts = amountFields(stageKinds, report.progress.stages) as Record<AmountField, number>;
      return { ...report, progress: { ...report.progress, ...amounts }, results };
    },
    end: async () => {
      await supervisor.stop();
      journal.close();
      rmSync(folder, { recursive: true });
    },
  };
}
