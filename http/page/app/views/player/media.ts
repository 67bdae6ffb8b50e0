// Data of a medium for the player: its kind, scenes, speech, people and chapters. Each is requested
// separately, so that one that is missing does not affect the others.
import { transfer } from 'comlink';
import { answerBytes, api, type RequestState, ServiceError, useAsk } from '../../api.ts';
import { createSlice, useStore } from '../../store.ts';
import { optionWords, thingWords } from '../../words/facets.ts';
import { speakerText } from '../../words/shell.ts';
import { named } from '../../words.ts';
import { work } from '../../work.ts';
import { evenFrames, exactRate, type FilmFrames, listedFrames, PART_SECONDS, usualRate } from './frames.ts';
import { type Boxes, joined, type SeenLane, type SeenSpan } from './seen.ts';

export interface Medium {
  readonly hash_str: string;
  readonly media_path: string;
  /** False: it is not where it was analysed, as when its drive is not connected. */
  readonly available: boolean;
  readonly kind: 'video' | 'audio' | 'image';
  /** 0 for stills. */
  readonly duration: number;
  /** Frames a second, the average where they vary; 0 for sound and stills. */
  readonly rate: number;
  readonly rateVaries: boolean;
  /** Null for sound and stills. */
  readonly frames: FilmFrames | null;
  readonly width: number;
  readonly height: number;
}

const PAGE = 500;
/** Points of the waveform: more than a screen has pixels. */
const POINTS = 4000;
/** After the end of every film. */
const FOREVER = 1_000_000;

/** Facts about a medium, also while its file is away. */
async function askMedium(cache_dir: string, hash_str: string, signal: AbortSignal): Promise<Medium> {
  const facts = await api.mediaFacts({ cache_dir, hash_str }, { signal });
  const { media_path, available, kind, fps, width, height } = facts;
  const duration = facts.duration_seconds;
  const rate = kind !== 'video' ? 0 : exactRate(fps || usualRate);
  const listed = available && rate > 0 ? await unevenFrames({ cache_dir, hash_str }, duration, signal) : null;
  const frames = listed ?? (rate > 0 ? evenFrames(rate, duration) : null);
  const rateVaries = listed !== null;
  return { hash_str, media_path, available, kind, duration, rate, rateVaries, frames, width, height };
}

/** Null where the frames come evenly, as far as the service can read them. */
async function unevenFrames(
  file: { readonly cache_dir: string; readonly hash_str: string },
  duration: number,
  signal: AbortSignal,
): Promise<FilmFrames | null> {
  const ask = (start_seconds: number, end_seconds: number) =>
    api.mediaFrames({ ...file, start_seconds, end_seconds });
  const first = await api
    .mediaFrames({ ...file, start_seconds: 0, end_seconds: PART_SECONDS }, { signal })
    .catch(withoutFile);
  return first?.rate_varies ? listedFrames(first, ask, duration) : null;
}

/** `ask` of the folder that is looked at; nothing is asked while there is none. */
export function useFolderAsk<T>(
  ask: (cache_dir: string, signal: AbortSignal) => Promise<T>,
  dependencies: readonly unknown[],
): RequestState<T> {
  const cache_dir = useStore((state) => state.folder.cache_dir);
  const question = cache_dir === null ? null : (signal: AbortSignal) => ask(cache_dir, signal);
  return useAsk(question, [cache_dir, ...dependencies]);
}

export function useMedium(hash_str: string) {
  return useFolderAsk((cache_dir, signal) => askMedium(cache_dir, hash_str, signal), [hash_str]);
}

/** Waveform, and the length of sound that does not state it. Not requested for a still. */
export function useSound({ hash_str, kind }: Pick<Medium, 'hash_str' | 'kind'>) {
  const isHeard = kind !== 'image';
  return useFolderAsk(
    async (cache_dir, signal) =>
      isHeard ? api.mediaPeaks({ cache_dir, hash_str, points: POINTS }, { signal }).catch(withoutFile) : null,
    [hash_str, isHeard],
  );
}

export function useScenes(hash_str: string) {
  return useFolderAsk(
    async (cache_dir, signal) => {
      const { scenes, edges } = await api
        .listScenes({ cache_dir, hash_str }, { signal })
        .catch(withoutAnalysis({ scenes: [], edges: null }));
      return { scenes, edges };
    },
    [hash_str],
  );
}

export function useTranscript(hash_str: string) {
  return useFolderAsk(
    async (cache_dir, signal) => {
      const all: PlayerSegment[] = [];
      const request = { cache_dir, hash_str, start_seconds: 0, end_seconds: FOREVER, max_segments: PAGE };
      for (let after: number | null = null; ; ) {
        const query = { ...request, ...(after !== null && { after_segment_index: after }) };
        const page = await api.transcriptionsRange(query, { signal });
        all.push(...page.segments);
        after = page.next_after_segment_index;
        if (!page.truncated || after === null) return all;
      }
    },
    [hash_str],
  );
}

/** A lane for everybody who is seen, of clusterings in which somebody has a name. */
export function usePeople(hash_str: string) {
  return useFolderAsk(
    async (cache_dir, signal) => {
      const { jobs } = await api.faceClusters({ cache_dir }, { signal });
      const lanes: PlayerLane[] = [];
      for (const { name: cluster_job_name, names, media_hashes } of jobs) {
        if (Object.keys(names).length === 0 || !media_hashes.includes(hash_str)) continue;
        const { people } = await api.appearances({ cache_dir, cluster_job_name }, { signal });
        for (const { name, cluster_id, media } of people) {
          const entry = media.find((candidate) => candidate.hash_str === hash_str);
          if (!entry) continue;
          const spans = entry.ranges.map(([start, end]) => ({ start, end, text: name ?? cluster_id }));
          lanes.push({ kind: 'person', label: name ?? cluster_id, spans });
        }
      }
      return lanes;
    },
    [hash_str],
  );
}

/** The children of the root of the newest summary; none where there is no summary. */
export function useChapters(hash_str: string) {
  return useFolderAsk(
    async (cache_dir, signal) => {
      const { summaries } = await api.listSummaries({ cache_dir, hash_strs: [hash_str] }, { signal });
      const latest = summaries.at(-1);
      if (!latest) return [];
      const { summary_ref } = latest;
      const { root } = await api.summaryOverview({ cache_dir, summary_ref }, { signal });
      return root.children.map(({ search_range: [start, end], text_preview: text }) => ({
        start,
        end,
        text,
      }));
    },
    [hash_str],
  );
}

/** One that is gone, or cannot be read any more, is told where it is shown. */
function withoutFile(error: unknown): null {
  if (error instanceof ServiceError && [400, 404, 409].includes(error.status)) return null;
  throw error;
}

/** Missing analysis is an empty result and no error: the rest can be viewed. */
export function withoutAnalysis<T>(nothing: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof ServiceError && error.status === 400) return nothing;
    throw error;
  };
}

// Lanes along the time line: spans of time that belong together, as who speaks, who is seen, chapters.

export interface PlayerSegment {
  readonly segment_index: number;
  readonly start_seconds: number;
  readonly end_seconds: number;
  readonly text: string;
  readonly speaker: string;
  readonly speaker_name: string;
}

export interface PlayerLane {
  readonly kind: 'speaker' | 'person' | 'chapters' | 'thing' | 'line' | 'face' | 'sound';
  readonly label: string;
  readonly spans: readonly SeenSpan[];
  readonly boxes?: Boxes;
}

/** Boxes of the lane under the pointer. */
export const pointed = createSlice<{ readonly boxes: Boxes | null }>('pointed', { boxes: null });

/** Lanes of sounds, things, printed words and faces; as they are called. */
export function useSeen(hash_str: string, words: { readonly lines: string; readonly faces: string }) {
  return useFolderAsk(
    async (cache_dir, signal) => {
      const answer = await answerBytes('mediaSeen', { cache_dir, hash_str }, { signal }).catch(withoutFile);
      if (answer === null) return [];
      const lanes = await work().seenLanes(transfer(answer, [answer]));
      return lanes.map((lane) => laneOf(lane, words));
    },
    [hash_str],
  );
}

function laneOf(
  { kind, name, spans, texts, boxes }: SeenLane,
  words: { readonly lines: string; readonly faces: string },
): PlayerLane {
  const labels = {
    thing: () => named(thingWords, name),
    sound: () => named(optionWords, `sounds.heard=${name}`),
    line: () => words.lines,
    face: () => words.faces,
  };
  const label = labels[kind]();
  const spanAt = (i: number) => ({ start: spans[2 * i]!, end: spans[2 * i + 1]!, text: texts[i] ?? label });
  return { kind, label, spans: Array.from({ length: spans.length / 2 }, (_, i) => spanAt(i)), boxes };
}

/**
 * A lane for each speaker, who speaks longest first. `nobody`: the label where it is not known who speaks.
 */
export function speakerLanes(segments: readonly PlayerSegment[], nobody: string): PlayerLane[] {
  const bySpeaker = Map.groupBy(segments, ({ speaker }) => speaker);
  return [...bySpeaker]
    .map(([speaker, turns]) => ({
      lane: {
        kind: 'speaker' as const,
        label: speakerText(turns[0]?.speaker_name || speaker) || nobody,
        spans: joined(turns),
      },
      seconds: turns.reduce((sum, turn) => sum + turn.end_seconds - turn.start_seconds, 0),
    }))
    .sort((a, b) => b.seconds - a.seconds)
    .map(({ lane }) => lane);
}

/**
 * Number of the segment that is spoken at a time, or the last one before it; -1 before the first. Segments
 * ascend.
 */
export function segmentAt(segments: readonly PlayerSegment[], seconds: number): number {
  let [low, high] = [0, segments.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (segments[middle]!.start_seconds <= seconds) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
