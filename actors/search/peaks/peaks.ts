// How loud the sound of a file is along its time: decoded once a content, kept in its analysis folder.
import { randomUUID } from 'node:crypto';
import type { Static } from 'typebox';
import { engineErrors } from '../../../runtime/errors.ts';
import { rangeFault } from '../../../runtime/ranges.ts';
import type { AskOptions, Ref } from '../../../runtime/ref.ts';
import { Semaphore } from '../../../runtime/sync/locks.ts';
import { SharedWork } from '../../../runtime/sync/shared-work.ts';
import { type decoderContract, mediaErrors } from '../../decoder/contract.ts';
import type { SoundPeaks } from '../../decoder/peaks/contract.ts';
import type { indexContract } from '../../index/contract.ts';
import type { MediaRecord } from '../../index/store/contract.ts';
import { searchErrors } from '../contract.ts';
import { type PeaksAnswer, type PeaksRequest, whichMedia } from '../media/contract.ts';
import { locatePaths } from '../media/location.ts';
import { expectSameFile, mediaFile } from '../media/media-file.ts';

type Decoder = Ref<typeof decoderContract>;
type Peaks = Static<typeof SoundPeaks>;
type NamedContent = { readonly cache_dir: string; readonly hash_str: string };

interface PeakParts {
  readonly index: Ref<typeof indexContract>;
  /** At least one; their other questions come in between the parts of a sound. */
  readonly thumbnailDecoders: readonly Decoder[];
}

/** Bytes of peaks that are held: those of some 90 hours. */
const MOST_BYTES = 16 * 2 ** 20;

export function createPeaks(parts: PeakParts) {
  const sounds = new Sounds(parts);
  return async (
    request: PeaksRequest,
    call: AskOptions & { readonly signal: AbortSignal },
  ): Promise<PeaksAnswer> => {
    const record = await recordOf(parts, request, call);
    const { path, probe, identity } = record;
    const hash_str = identity.hash_str;
    const peaks = probe.audio.length === 0 ? null : await sounds.of(request, hash_str, call.signal);
    const soundSeconds = peaks === null ? 0 : peaks.values.length / peaks.per_second;
    // A stream that does not say how long it is, is as long as what was heard.
    const duration_seconds = probe.duration_seconds || soundSeconds;
    const start_seconds = request.start_seconds ?? 0;
    const end_seconds = Math.min(request.end_seconds ?? duration_seconds, duration_seconds);
    if ((request.start_seconds ?? request.end_seconds) !== undefined && end_seconds <= start_seconds)
      throw beyond(start_seconds, request.end_seconds, duration_seconds);
    const all = peaks && peaksOf(peaks, start_seconds, end_seconds, request.points);
    const range = { duration_seconds, start_seconds, end_seconds };
    return { hash_str, media_path: path, has_sound: peaks !== null, ...range, peaks: all ?? [] };
  };
}

function beyond(start: number, end: number | undefined, duration: number) {
  const isEnd = end !== undefined && end <= start;
  const field = isEnd ? 'end_seconds' : 'start_seconds';
  const what = isEnd ? rangeFault(start, end) : `${start} is not before the end, ${duration}`;
  return searchErrors.BAD_TIME(`${field}: ${what}`, { field });
}

/** Record of the content, also if its file is gone. WHICH_MEDIA, MEDIA_UNKNOWN, MEDIA_GONE. */
async function recordOf(parts: PeakParts, request: PeaksRequest, call: AskOptions): Promise<MediaRecord> {
  const { cache_dir } = request;
  const named = whichMedia(request);
  if ('media_path' in named) {
    const [location] = await locatePaths(parts, cache_dir, [named.media_path], call);
    if (location?.record) return location.record;
  } else {
    const hashes = [named.hash_str];
    const { by_hash } = await parts.index.ask('find', { cache_dir, paths: [], hashes }, call);
    if (by_hash[0]) return by_hash[0];
  }
  // It says why not.
  await mediaFile(parts, request, call);
  throw searchErrors.MEDIA_UNKNOWN('The file was seen first while it was looked for');
}

class Sounds {
  readonly #parts: PeakParts;
  readonly #running = new SharedWork<Peaks | null>();
  readonly #turns = new Semaphore(1);
  /** The latest last. */
  readonly #peaks = new Map<string, Peaks>();

  constructor(parts: PeakParts) {
    this.#parts = parts;
  }

  /** Null for what has no sound. */
  async of({ cache_dir }: PeaksRequest, hash_str: string, signal: AbortSignal): Promise<Peaks | null> {
    const key = `${hash_str} ${cache_dir}`;
    const cachedPeaks = this.#peaks.get(key);
    if (cachedPeaks) {
      this.#hold(key, cachedPeaks);
      return cachedPeaks;
    }
    return this.#running.run(key, signal, async (until) => {
      const call = { lane: 'now', signal: until } as const;
      const { index } = this.#parts;
      const storedPeaks = (await index.ask('kept_peaks', { cache_dir, hash_str }, call)).peaks;
      if (storedPeaks !== null) return this.#hold(key, storedPeaks);
      const peaks = await this.#heard({ cache_dir, hash_str }, until);
      if (peaks === null) return null;
      await index.ask('keep_peaks', { cache_dir, hash_str, peaks }, call);
      return this.#hold(key, peaks);
    });
  }

  #hold(key: string, peaks: Peaks): Peaks {
    this.#peaks.delete(key);
    this.#peaks.set(key, peaks);
    let bytes = [...this.#peaks.values()].reduce((sum, { values }) => sum + values.length, 0);
    for (const [oldest, { values }] of this.#peaks) {
      if (bytes <= MOST_BYTES) break;
      this.#peaks.delete(oldest);
      bytes -= values.length;
    }
    return peaks;
  }

  /**
   * One film at a time, in the lane that lets every thumbnail go first. The file is looked at when it is its
   * turn, and again at the end: what is kept is of this content for good.
   */
  async #heard(content: NamedContent, signal: AbortSignal): Promise<Peaks | null> {
    const decoder = this.#parts.thumbnailDecoders[0]!;
    const look = () => mediaFile(this.#parts, content, { lane: 'now', signal });
    const work = async () => {
      const file = await look();
      const peaks = await hear(decoder, file.path, signal);
      expectSameFile(file, await look());
      return peaks;
    };
    return this.#turns.run(work, { signal });
  }
}

async function hear(decoder: Decoder, path: string, signal: AbortSignal): Promise<Peaks | null> {
  const run = randomUUID();
  try {
    for (let begins = true; ; begins = false) {
      if (signal.aborted) throw engineErrors.CANCELLED();
      const { peaks } = await decoder.ask('peaks', { path, run, begins }, { lane: 'later', signal });
      if (peaks !== null) return peaks;
    }
  } catch (error) {
    // Nobody goes on with it. A decoder that is down has nothing open.
    void decoder.ask('end_peaks', { run }, { lane: 'now' }).catch(() => {});
    if (mediaErrors.NO_SOUND.is(error)) return null;
    throw error;
  }
}

// The peaks of equal parts of a range, from those that are kept of the whole file.

/** `values`: one byte each, 255 is full scale. Where nothing was heard it is silent. */
export function peaksOf(
  { per_second, values }: { readonly per_second: number; readonly values: Uint8Array },
  start: number,
  end: number,
  points: number,
): number[] {
  const width = (end - start) / points;
  return Array.from({ length: points }, (_, i) => {
    const from = Math.floor((start + i * width) * per_second + 1e-6);
    const to = Math.max(from + 1, Math.ceil((start + (i + 1) * width) * per_second - 1e-6));
    let most = 0;
    for (let at = from; at < Math.min(to, values.length); at++) most = Math.max(most, values[at]!);
    return Math.round((most / 255) * 1000) / 1000;
  });
}
