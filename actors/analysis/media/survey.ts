// Which file is it, and what is in it: from the store when the file has not changed since, else asked of the
// prober.
import { stat } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { isGarbled } from '../../../runtime/files/utf8-name.ts';
import type { MailboxLane } from '../../../runtime/mailbox.ts';
import type { AskOptions, Ref } from '../../../runtime/ref.ts';
import { KeyedLock } from '../../../runtime/sync/locks.ts';
import {
  changedMs,
  type decoderContract,
  mediaErrors,
  modifiedMs,
  type PictureSize,
} from '../../decoder/contract.ts';
import { sidecarsOf } from '../../decoder/probe/contract.ts';
import type { indexContract } from '../../index/contract.ts';
import { type Roots, tellAway } from '../../index/roots/contract.ts';
import { nameContent } from '../../index/store/content-name.ts';
import type { MediaRecord } from '../../index/store/contract.ts';
import { volumeOf } from '../../index/store/footage-path.ts';

/**
 * Runs `work` so that a crash in it is known afterwards. `mark`: size and times of the file, its content is
 * not known yet. A copy into a preallocated file can keep all of them but the time of the last change.
 */
export type Watched = (mark: string, work: () => Promise<MediaRecord>) => Promise<MediaRecord>;

export interface SurveyParts {
  readonly cache_dir: string;
  readonly prober: Ref<typeof decoderContract>;
  readonly index: Ref<typeof indexContract>;
  readonly roots: Pick<Roots, 'awayOf'>;
  readonly watched: Watched;
  readonly signal: AbortSignal;
}

export interface SurveyOptions {
  readonly lane: MailboxLane;
  /** Reads the file whatever is known of it. */
  readonly reads?: boolean;
  /** Stores what a file turned out to be. */
  remember(media: MediaRecord): Promise<unknown>;
}

/**
 * Identity and facts of a file, stored when answered. Errors: those of media, of the store, QUARANTINED,
 * CANCELLED.
 */
export function surveyAndRemember(path: string, parts: SurveyParts, reads: boolean): Promise<MediaRecord> {
  const { index, cache_dir, signal } = parts;
  return survey(path, parts, {
    lane: 'later',
    reads,
    remember: (media) => index.ask('remember', { cache_dir, media }, { signal }),
  });
}

/** The same, stored as `remember` does. */
export async function survey(
  path: string,
  { cache_dir, prober, index, roots, watched, signal }: SurveyParts,
  { lane, reads = false, remember }: SurveyOptions,
): Promise<MediaRecord> {
  const options = { signal, lane };
  const stats = await stat(path, { bigint: true }).catch(async (error) => {
    const code = (error as NodeJS.ErrnoException).code;
    const { NAME_NOT_UTF8, FILE_NOT_FOUND, FILE_UNREADABLE } = mediaErrors;
    if (code === 'ENOENT' && (await isGarbled(path))) {
      throw NAME_NOT_UTF8(
        `${path}: its name or the name of a folder above it is not valid UTF-8; rename it`,
        {
          path,
        },
      );
    }
    const row = code === 'ENOENT' ? FILE_NOT_FOUND : FILE_UNREADABLE;
    throw await tellAway(roots, row(`${path}: ${row.meaning.toLowerCase()} (${code})`, { path }, error));
  });
  const request = {
    cache_dir,
    path,
    size_bytes: Number(stats.size),
    mtime_ms: modifiedMs(stats),
    inode: String(stats.ino),
    ctime_ms: changedMs(stats),
  };
  const record = reads ? null : await index.ask('known', request, options);
  if (record && (await isDescribed(record))) {
    if (record.identity.ctime_ms !== undefined || lane === 'now') return record;
    // A record of an older analysis: from now on a change that keeps the time is noticed.
    const media = { ...record, identity: { ...record.identity, ctime_ms: request.ctime_ms } };
    await remember(media);
    return media;
  }
  return watched(`${stats.size}-${stats.mtimeNs}-${stats.ctimeNs}`, async () => {
    if (record) {
      // The same file with other XMP beside it.
      const media = { ...record, probe: await prober.ask('probe', { path }, options) };
      await remember(media);
      return media;
    }
    const contentIdentity = await prober.ask('identify', { path }, options);
    // Among two files with the same hash, the second is compared with the stored facts of the first.
    const release = await naming.acquire(`${cache_dir}\0${contentIdentity.hash_str}`);
    try {
      const parts = { decoder: prober, index, cache_dir, call: options, keep: remember };
      const { identity } = await nameContent(parts, path, contentIdentity);
      const probe = await prober.ask('probe', { path }, options);
      const volume = await volumeOf(path);
      const media = { path, identity, probe, ...(volume !== null && { volume }) };
      await remember(media);
      return media;
    } finally {
      release();
    }
  });
}

const naming = new KeyedLock();

/** The XMP beside the file is what was read when it was probed, or there is none still. */
async function isDescribed({ path, probe }: MediaRecord): Promise<boolean> {
  const marks = (await sidecarsOf(path)).map(({ mark }) => mark);
  return isDeepStrictEqual(marks, probe.xmp?.sidecars ?? []);
}

/** Throws FILE_CHANGED when the file is not the one that was surveyed any more. */
export async function expectUnchanged(
  { path, identity }: MediaRecord,
  what = 'changed while it was being read',
): Promise<void> {
  const now = await stat(path, { bigint: true }).catch((error) => {
    throw mediaErrors.FILE_CHANGED(`${path}: disappeared while it was being read`, { path }, error);
  });
  if (Number(now.size) === identity.size_bytes && modifiedMs(now) === identity.mtime_ms) return;
  throw mediaErrors.FILE_CHANGED(`${path}: ${what}`, { path });
}

// A file that is not there any more, as the analysis folder remembers it: what it was, and the previews of
// its pictures.

export interface GoneMedia {
  readonly media: MediaRecord;
  readonly previews: PictureSize;
}

export interface GoneParts {
  readonly prober: Ref<typeof decoderContract>;
  readonly index: Ref<typeof indexContract>;
}

/** Previews asked for at once: some megabytes. */
export const previewPage = 16;

/**
 * Null where the path is unknown, or its pictures were not analysed. Errors: those of the store, CANCELLED.
 */
export async function goneMedia(
  { prober, index }: GoneParts,
  cache_dir: string,
  path: string,
  call: AskOptions,
): Promise<GoneMedia | null> {
  const { by_path } = await index.ask('find', { cache_dir, paths: [path], hashes: [] }, call);
  const [media] = by_path;
  if (!media) return null;
  const { hash_str } = media.identity;
  const { stored } = await index.ask('stored', { cache_dir, model_key: null, hashes: [hash_str] }, call);
  if (!stored[0]) return null;
  for (let at = 0; at < media.probe.grid_frames; at += previewPage) {
    const frames = frameRange(at, media).map((frame_index) => ({ hash_str, frame_index }));
    const page = await index.ask('previews', { cache_dir, frames }, call);
    if (page.unreadable?.length) return null;
    for (const jpeg of page.previews) {
      const previews = jpeg && (await prober.ask('stored_size', { jpeg }, call));
      if (previews) return { media, previews };
    }
  }
  return null;
}

/** A page of the grid frames of a file. */
export function frameRange(from: number, { probe }: MediaRecord): number[] {
  const count = Math.max(0, Math.min(previewPage, probe.grid_frames - from));
  return Array.from({ length: count }, (_, i) => from + i);
}

/** True if one of these files is missing and known by its previews. */
export async function hasGone(
  parts: GoneParts,
  cache_dir: string,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  const call = { signal, lane: 'now' } as const;
  for (const path of new Set(paths)) {
    const isGone = await stat(path).then(
      () => false,
      (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
    );
    if (isGone && (await goneMedia(parts, cache_dir, path, call))) return true;
  }
  return false;
}
