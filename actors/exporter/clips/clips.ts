// The coordinator of clips: hands each to a thread that cuts, gives what was cut its name, and answers what became of each.
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { EngineError, engineErrors } from '../../../runtime/errors.ts';
import { makeFolder } from '../../../runtime/files/make-folder.ts';
import { placeNew } from '../../../runtime/files/save-new.ts';
import type { Log } from '../../../runtime/log.ts';
import type { Ref } from '../../../runtime/ref.ts';
import { Semaphore } from '../../../runtime/sync/semaphore.ts';
import { type ClipMade, clipErrors } from '../../decoder/clips/contract.ts';
import type { decoderContract } from '../../decoder/contract.ts';
import { clipName } from './clip-name.ts';
import type { ClipCut, ClipResult, Clips, ClipsRequest, ClipWish, ClipWritten } from './contract.ts';
import { isNowhere, partName, sweepParts, thisOwner } from './part-files.ts';

/** Clips of all requests that may wait for a thread. */
const mostWaiting = 10_000;

type Writer = Ref<typeof decoderContract>;

export interface ClipParts {
  /** Threads that cut; none else has work for them. At least one. */
  readonly writers: readonly Writer[];
  readonly log: Log;
}

/** What the work on one clip needs besides. */
interface ClipWork {
  readonly request: ClipsRequest;
  readonly wish: ClipWish;
  /** Without an ending. */
  readonly name: string;
  /** Ends with the work on the clip before it of the same name, so that names are numbered in the order of the request. */
  readonly earlier: Promise<unknown> | undefined;
  readonly signal: AbortSignal;
}

export function createClips(parts: ClipParts): Clips {
  const cutter = new Cutter(parts);
  return {
    cut: (clip, signal) => cutter.cut(clip, signal, clipName(clip.wish)),
    sweep: (output_dir) => sweepParts(output_dir, parts.log),
    export: async (request, signal) => {
      const { clips, output_dir } = request;
      cutter.expectRoom(clips.length);
      await sweepParts(output_dir, parts.log);
      const latest = new Map<string, Promise<unknown>>();
      const working = clips.map((wish) => {
        const name = clipName(wish);
        const key = name.toLowerCase();
        const done = cutter.make({ request, wish, name, earlier: latest.get(key), signal });
        latest.set(
          key,
          done.catch(() => {}),
        );
        return done;
      });
      // Everybody is waited for, so that nothing is left of a cancelled export when it ends.
      await Promise.allSettled(working);
      const results = await Promise.all(working);
      const succeeded = results.filter(({ success }) => success).length;
      const total = results.length;
      return { results, summary: { total, succeeded, failed: total - succeeded }, output_dir };
    },
  };
}

class Cutter {
  readonly #idle: Writer[];
  readonly #permits: Semaphore;
  readonly #log: Log;
  readonly #owner = thisOwner();

  constructor({ writers, log }: ClipParts) {
    this.#idle = [...writers];
    this.#permits = new Semaphore(writers.length);
    this.#log = log;
  }

  /** Throws BUSY. */
  expectRoom(clips: number) {
    const { waiting } = this.#permits;
    if (waiting + clips > mostWaiting) throw engineErrors.BUSY(`${waiting} clips wait for a thread already`);
  }

  /** Throws CANCELLED; every other error is a result. */
  async make({ request, wish, name, earlier, signal }: ClipWork): Promise<ClipResult> {
    const { output_dir, mode } = request;
    try {
      const made = await this.cut({ output_dir, mode, wish, before: earlier }, signal, name);
      return {
        ...resultOf(wish, null, made.output_path),
        start_seconds_actual: made.start_seconds,
        end_seconds_actual: made.end_seconds,
        frame_count: made.frames,
      };
    } catch (error) {
      if (signal.aborted) throw error;
      return resultOf(wish, this.#reasonOf(error), null);
    }
  }

  /** `name`: of the clip, without an ending. */
  async cut(clip: ClipCut, signal: AbortSignal, name: string): Promise<ClipWritten> {
    const { output_dir, wish, before } = clip;
    const part = join(output_dir, partName(this.#owner, randomUUID().slice(0, 8)));
    try {
      checkRange(wish);
      writable(() => makeFolder(output_dir));
      const made = await this.#cut(clip, part, signal);
      await before;
      signal.throwIfAborted();
      const output_path = await placeNew(part, `${name}.${made.extension}`).catch(unwritable);
      return { ...made, output_path };
    } catch (error) {
      if (signal.aborted) throw engineErrors.CANCELLED('the export of clips', {}, error);
      throw error;
    } finally {
      await rm(part, { force: true }).catch((error) => {
        if (!isNowhere(error)) this.#log.warn('a part of a clip stays', { part, error });
      });
    }
  }

  #cut({ wish, mode }: ClipCut, output: string, signal: AbortSignal): Promise<ClipMade> {
    const { media_path: path, start_seconds, end_seconds } = wish;
    const asked = { path, output, start_seconds, end_seconds, mode };
    const cut = async () => {
      const writer = this.#idle.shift()!;
      try {
        // Of a process that was killed.
        await rm(output, { force: true }).catch(unwritable);
        return await writer.ask('clip', asked, { signal });
      } finally {
        this.#idle.push(writer);
      }
    };
    return this.#permits.run(cut, { signal });
  }

  /** The message of an error of ours; what nobody foresaw is logged. */
  #reasonOf(error: unknown): string {
    if (error instanceof EngineError && error.code !== 'INTERNAL') return error.message;
    this.#log.error('a clip was not cut', { error });
    return 'Internal error';
  }
}

function checkRange({ start_seconds, end_seconds }: ClipWish) {
  if (start_seconds < 0) throw clipErrors.CLIP_RANGE(`start_seconds ${start_seconds} is below 0`);
  if (end_seconds > start_seconds) return;
  throw clipErrors.CLIP_RANGE(`end_seconds ${end_seconds} is not after start_seconds ${start_seconds}`);
}

function writable(work: () => void) {
  try {
    work();
  } catch (error) {
    unwritable(error);
  }
}

function unwritable(error: unknown): never {
  const { message } = error as Error;
  throw clipErrors.CLIP_UNWRITABLE(`${clipErrors.CLIP_UNWRITABLE.meaning}: ${message}`, {}, error);
}

function resultOf(wish: ClipWish, error: string | null, output_path: string | null): ClipResult {
  const { media_path, start_seconds, end_seconds } = wish;
  return { success: error === null, error, media_path, start_seconds, end_seconds, output_path };
}
