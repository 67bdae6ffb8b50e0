// The coordinator of clips: hands each to a thread that cuts, gives what was cut its name, and answers what
// became of each.
import { randomUUID } from 'node:crypto';
import { basename, extname, isAbsolute, join } from 'node:path';
import { EngineError, engineErrors, reasonOf } from '../../../runtime/errors.ts';
import { makeExportFolder } from '../../../runtime/files/folder.ts';
import { rm } from '../../../runtime/files/names.ts';
import { expectAbove, placeNew } from '../../../runtime/files/save-new.ts';
import type { Log } from '../../../runtime/log.ts';
import { rangeFault } from '../../../runtime/ranges.ts';
import { quoted } from '../../../runtime/text.ts';
import { type ClipMade, clipErrors } from '../../decoder/clips/contract.ts';
import { safeName } from '../output-path.ts';
import {
  type ClipCounts,
  type ClipResult,
  type ClipSpec,
  type Clips,
  type ClipsRequest,
  type ClipWritten,
  clipFields,
} from './contract.ts';
import { isNowhere, partName, sweepParts, thisOwner, type Writers } from './writers.ts';

/** Clips of all requests that may wait for a thread. */
const mostWaiting = 10_000;

interface ClipParts {
  /** Threads that cut. */
  readonly writers: Writers;
  readonly log: Log;
}

export function createClips(parts: ClipParts): Clips {
  const cutter = new Cutter(parts);
  const begin: Clips['begin'] = async (folder) => {
    await sweepParts(folder.output_dir, parts.log);
    const order = new NameOrder();
    return {
      cut: (spec, signal) => order.next(spec, (before) => cutter.cut({ ...folder, spec, before }, signal)),
    };
  };
  return {
    counts: cutter,
    begin,
    export: async (request, signal) => {
      const { clips, output_dir } = request;
      cutter.expectRoom(clips.length);
      const series = await begin(request);
      const working = clips.map((spec) => cutter.resultOfCut(spec, series.cut(spec, signal), signal));
      // Everybody is waited for, so that nothing is left of a cancelled export when it ends.
      await Promise.allSettled(working);
      const results = await Promise.all(working);
      const succeeded = results.filter(({ success }) => success).length;
      const total = results.length;
      return { results, summary: { total, succeeded, failed: total - succeeded }, output_dir };
    },
  };
}

interface ClipCut extends Omit<ClipsRequest, 'clips'> {
  readonly spec: ClipSpec;
  /** The clip gets its name after it. Does not reject. */
  readonly before: Promise<unknown> | undefined;
}

class Cutter implements ClipCounts {
  readonly #writers: Writers;
  readonly #log: Log;
  readonly #owner = thisOwner();
  readonly encoded = new Map<string, number>();
  readonly failed = new Map<string, number>();

  constructor({ writers, log }: ClipParts) {
    this.#writers = writers;
    this.#log = log;
  }

  /** Throws BUSY. */
  expectRoom(clips: number) {
    const { waiting } = this.#writers;
    if (waiting + clips > mostWaiting)
      throw engineErrors.BUSY(`${waiting} clips are already waiting for a thread`);
  }

  /** Throws CANCELLED; every other error is a result. */
  async resultOfCut(spec: ClipSpec, cut: Promise<ClipWritten>, signal: AbortSignal): Promise<ClipResult> {
    try {
      const output = await cut;
      return { ...resultOf(spec, null, output.output_path), ...clipFields(output) };
    } catch (error) {
      if (signal.aborted) throw error;
      return resultOf(spec, this.#reasonOf(error), null);
    }
  }

  /** Throws why there is no clip. */
  async cut(clip: ClipCut, signal: AbortSignal): Promise<ClipWritten> {
    const { output_dir, create_folders = false, spec, before } = clip;
    const part = join(output_dir, partName(this.#owner, randomUUID().slice(0, 8)));
    try {
      checkSpec(spec);
      await expectAbove(output_dir, create_folders, unwritable);
      writable(output_dir, () => makeExportFolder(output_dir));
      const output = await this.#cut(clip, part, signal);
      await before;
      signal.throwIfAborted();
      const name = `${clipName(spec)}.${output.extension}`;
      const output_path = await placeNew(part, name).catch((error) => {
        throw unwritable(`${join(output_dir, name)} cannot be written: ${reasonOf(error)}`, error);
      });
      count(this.encoded, output.encoder);
      count(this.failed, output.failed_encoder);
      return { ...output, output_path };
    } catch (error) {
      if (signal.aborted) throw engineErrors.CANCELLED('the export of clips', {}, error);
      throw error;
    } finally {
      await rm(part, { force: true }).catch((error) => {
        if (!isNowhere(error)) this.#log.warn('a partial clip could not be removed', { part, error });
      });
    }
  }

  #cut({ spec, mode }: ClipCut, output: string, signal: AbortSignal): Promise<ClipMade> {
    const { media_path: path, start_seconds, end_seconds } = spec;
    const request = { path, output, start_seconds, end_seconds, mode };
    return this.#writers.run((writer) => writer.ask('clip', request, { signal }), signal);
  }

  /** The message of an error of ours; what nobody foresaw is logged. */
  #reasonOf(error: unknown): string {
    if (error instanceof EngineError && error.code !== 'INTERNAL') return error.message;
    this.#log.error('a clip could not be cut', { error });
    return 'Internal error';
  }
}

function count(counts: Map<string, number>, name: string | null | undefined) {
  if (name) counts.set(name, (counts.get(name) ?? 0) + 1);
}

function checkSpec({ media_path, start_seconds, end_seconds }: ClipSpec) {
  if (!isAbsolute(media_path) || media_path.includes('\0'))
    throw clipErrors.CLIP_PATH(`${quoted(media_path)} is not an absolute path`);
  if (start_seconds < 0) throw clipErrors.CLIP_RANGE(`start_seconds ${start_seconds} is below 0`);
  if (end_seconds > start_seconds) return;
  throw clipErrors.CLIP_RANGE(rangeFault(start_seconds, end_seconds));
}

function writable(folder: string, work: () => void) {
  try {
    work();
  } catch (error) {
    throw unwritable(`${folder} cannot be written: ${reasonOf(error)}`, error);
  }
}

function unwritable(what: string, cause?: unknown) {
  return clipErrors.CLIP_UNWRITABLE(what, {}, cause);
}

function resultOf(spec: ClipSpec, error: string | null, output_path: string | null): ClipResult {
  const { media_path, start_seconds, end_seconds } = spec;
  return { success: error === null, error, media_path, start_seconds, end_seconds, output_path };
}

// The order in which clips of one name get it: names are numbered as they stand in the request, whichever is
// cut first.

export class NameOrder {
  /**
   * Ends with all work so far on clips of a name; names that differ by their case are one on some systems.
   */
  readonly #latest = new Map<string, Promise<unknown>>();

  /**
   * `work` is handed what the clip has to wait for before it gets its name; nothing where no other one wants
   * it.
   */
  next<T>(spec: ClipSpec, work: (before: Promise<unknown> | undefined) => Promise<T>): Promise<T> {
    const name = clipName(spec).toLowerCase();
    const before = this.#latest.get(name);
    const done = work(before);
    // A clip that fails waits for nothing: the next one still waits for those before it.
    this.#latest.set(name, Promise.allSettled([before, done]));
    return done;
  }
}

// Names of the files of clips.

/** Endings that a clip can have, which a given name may bring along. */
const endings = /\.(mp4|mov|m4v|m4a|mkv|webm|ts|wav|flac|mp3|ogg)$/i;

/** Safe on every system and without an ending: as given, else that of the source with start and end. */
function clipName({ media_path, start_seconds, end_seconds, output_name }: ClipSpec): string {
  if (output_name !== undefined) return safeName(output_name.replace(endings, ''), 'clip');
  const name = basename(media_path, extname(media_path));
  return `${safeName(name, 'clip')}_${dotted(start_seconds)}-${dotted(end_seconds)}`;
}

/** `HH.MM.SS.mmm`: colons are not allowed everywhere. */
function dotted(seconds: number): string {
  const ms = Math.round(seconds * 1000);
  const part = (value: number, digits: number) => String(value).padStart(digits, '0');
  const clock = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1000) % 60];
  return `${clock.map((value) => part(value, 2)).join('.')}.${part(ms % 1000, 3)}`;
}
