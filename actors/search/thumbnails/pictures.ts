// The pictures of moments of one file as JPEG: from the previews stored at analysis where they show enough,
// otherwise decoded from the file in one pass.
import type { Log } from '../../../runtime/log.ts';
import type { AskOptions, Ref } from '../../../runtime/ref.ts';
import { type decoderContract, isMediaError, mediaErrors, type Probe } from '../../decoder/contract.ts';
import type { indexContract } from '../../index/contract.ts';
import { type Shots, shotAt } from '../../index/visual/shots.ts';
import type { MediaLocation } from '../media/location.ts';
import { shotsOf } from '../scenes/scenes.ts';
import type { ThumbnailRequest } from './contract.ts';

// Available thumbnails, and their sources.

/** A strip longer than this many seconds has `longest` pictures. */
const longest = 100;

/**
 * Seconds of the grid that a strip shows: every one with both ends, or `longest` of them, evenly spaced with
 * both ends. What lies after `last`, the last second that has a picture, is left out.
 */
export function stripSeconds(start: number, end: number, last: number): number[] {
  const until = Math.min(end, last);
  if (until < start) return [];
  const span = until - start;
  if (span <= longest) return Array.from({ length: span + 1 }, (_, i) => start + i);
  return Array.from({ length: longest }, (_, i) => start + Math.round((span * i) / (longest - 1)));
}

/** Seconds of `HH:MM:SS`; null for anything else. */
export function clockSeconds(text: string): number | null {
  const match = /^(\d{2,4}):([0-5]\d):([0-5]\d)$/.exec(text);
  return match && Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3]);
}

/**
 * Second of the grid that lies nearest to a moment; null after the end. A still is the same at every moment.
 */
export function nearestFrame(seconds: number, probe: Pick<Probe, 'kind' | 'grid_frames'>): number | null {
  if (probe.grid_frames === 0) return null;
  if (probe.kind === 'image') return 0;
  if (Math.floor(seconds) >= probe.grid_frames) return null;
  return Math.min(Math.round(seconds), probe.grid_frames - 1);
}

/**
 * The second that shows a moment best: the nearest one of its shot, which a film with exact edges tells from
 * its neighbours; null where the shot lies between two seconds, or after the end.
 */
export function secondShowing(
  at: number,
  probe: Pick<Probe, 'kind' | 'grid_frames'>,
  shots: Shots | null,
): number | null {
  const nearest = nearestFrame(at, probe);
  if (nearest === null || shots === null) return nearest;
  const { start_seconds } = shotAt(shots, at);
  const isShown = (second: number) =>
    second >= 0 && second < probe.grid_frames && shotAt(shots, second).start_seconds === start_seconds;
  return [nearest, Math.floor(at), Math.ceil(at)].find(isShown) ?? null;
}

export interface ThumbnailMoment {
  readonly index: number;
  readonly seconds: number;
}

export interface ThumbnailFile {
  readonly media_path: string;
  /** Null: whatever lies at the path. */
  readonly hash_str: string | null;
  /** Ascending. */
  readonly moments: readonly ThumbnailMoment[];
}

export function momentsByFile(requests: readonly ThumbnailRequest[]): ThumbnailFile[] {
  const keyOf = ({ media_path, hash_str = '' }: ThumbnailRequest) => `${hash_str} ${media_path}`;
  const files = Map.groupBy(requests.keys(), (index) => keyOf(requests[index]!));
  return [...files.values()].map((indices) => {
    const { media_path, hash_str = null } = requests[indices[0]!]!;
    const moments = indices.map((index) => ({ index, seconds: requests[index]!.time_seconds }));
    return { media_path, hash_str, moments: moments.sort((a, b) => a.seconds - b.seconds) };
  });
}

/** True when a stored picture, by its longest side in px, shows as much as a thumbnail of `maxSide` can. */
export function showsEnough(
  stored: number,
  maxSide: number,
  { width, height }: Pick<Probe, 'width' | 'height'>,
): boolean {
  // Sides are rounded to whole px.
  return stored + 1 >= Math.min(maxSide, Math.max(width, height));
}

/** Longest side of a JPEG picture by its header, in px; null for what is none. */
export function jpegSide(bytes: Uint8Array): number | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 4 || view.getUint16(0) !== 0xffd8) return null;
  for (let at = 2; at + 9 <= bytes.length; ) {
    const marker = view.getUint16(at);
    if (marker < 0xff01) return null;
    // Frame headers, without the tables among their numbers.
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker);
    if (isFrame) return Math.max(view.getUint16(at + 5), view.getUint16(at + 7));
    at += 2 + view.getUint16(at + 2);
  }
  return null;
}

type Decoder = Ref<typeof decoderContract>;

export interface ThumbnailPictureParts {
  readonly index: Ref<typeof indexContract>;
  readonly log: Log;
  /** Lends a decoder for one call; the one with the least to do. */
  decoder<T>(use: (decoder: Decoder) => Promise<T>): Promise<T>;
}

/** JPEG quality of what is decoded or made smaller. */
const QUALITY = 80;

export interface PictureQuestion {
  readonly cache_dir: string;
  readonly file: MediaLocation;
  /** Ascending. */
  readonly seconds: readonly number[];
  /** Longest side, px. */
  readonly max_side: number;
}

/** `i`: index of the moment. */
type Found = (i: number, jpeg: Uint8Array) => void;

/**
 * Gives `deliver` the picture of each moment that has one, as soon as it is there. Resolves to those smaller
 * than asked for, which are better than nothing, of moments that have no other. A file that cannot be decoded
 * has none, which is logged.
 */
export async function findPictures(
  parts: ThumbnailPictureParts,
  question: PictureQuestion,
  call: AskOptions,
  deliver: Found,
): Promise<Map<number, Uint8Array>> {
  const { file, seconds } = question;
  if (file.record?.probe.kind === 'audio') return new Map();
  const remainingIndexes = new Set([...seconds.keys()].filter((i) => isWithin(question, i)));
  const take: Found = (i, jpeg) => {
    remainingIndexes.delete(i);
    deliver(i, jpeg);
  };
  const small = await storedPictures(parts, question, call, take);
  await decodedPictures(parts, question, [...remainingIndexes], call, take);
  for (const i of small.keys()) if (!remainingIndexes.has(i)) small.delete(i);
  return small;
}

function isWithin({ file, seconds }: PictureQuestion, i: number): boolean {
  return file.record === null || nearestFrame(seconds[i]!, file.record.probe) !== null;
}

/** Tells of those that are large enough, made smaller where need be, and answers those that are too small. */
async function storedPictures(
  parts: ThumbnailPictureParts,
  { cache_dir, file: { record }, seconds, max_side }: PictureQuestion,
  call: AskOptions,
  deliver: Found,
): Promise<Map<number, Uint8Array>> {
  const small = new Map<number, Uint8Array>();
  if (!record) return small;
  const { hash_str } = record.identity;
  const isBetween = seconds.some((at) => !Number.isInteger(at));
  const shots = isBetween ? await shotsOf(parts, cache_dir, [hash_str], call) : null;
  const requests = seconds.flatMap((at, i) => {
    const frame_index = secondShowing(at, record.probe, shots?.get(hash_str) ?? null);
    return frame_index === null ? [] : [{ i, frame_index }];
  });
  const frames = requests.map(({ frame_index }) => ({ hash_str, frame_index }));
  const { previews } = await parts.index.ask('previews', { cache_dir, frames }, call);
  const large: { i: number; jpeg: Uint8Array }[] = [];
  for (const [at, { i }] of requests.entries()) {
    const jpeg = previews[at];
    const side = jpeg ? jpegSide(jpeg) : null;
    if (!jpeg || side === null) continue;
    if (side > max_side) large.push({ i, jpeg });
    else if (showsEnough(side, max_side, record.probe)) deliver(i, jpeg);
    else small.set(i, jpeg);
  }
  for (const [at, jpeg] of (await shrunk(parts, large, max_side, call)).entries())
    if (jpeg) deliver(large[at]!.i, jpeg);
  return small;
}

async function shrunk(
  parts: ThumbnailPictureParts,
  large: readonly { readonly jpeg: Uint8Array }[],
  max_side: number,
  call: AskOptions,
): Promise<(Uint8Array | null)[]> {
  if (large.length === 0) return [];
  const request = { jpegs: large.map(({ jpeg }) => jpeg), preview: { max_side, quality: QUALITY } };
  return parts.decoder(async (decoder) => (await decoder.ask('shrink', request, call)).jpegs);
}

async function decodedPictures(
  parts: ThumbnailPictureParts,
  { file: { source }, seconds, max_side }: PictureQuestion,
  indexes: readonly number[],
  call: AskOptions,
  deliver: Found,
): Promise<void> {
  if (source === null || indexes.length === 0) return;
  const moments = indexes.map((i) => seconds[i]!);
  const request = { path: source, seconds: moments, preview: { max_side, quality: QUALITY } };
  try {
    await parts.decoder(async (decoder) => {
      for await (const { moment, jpeg } of decoder.feed('moments', request, call))
        deliver(indexes[moment]!, jpeg);
    });
  } catch (error) {
    if (!isMediaError(error)) throw error;
    // A file of sound has no picture, which is no fault worth a log line.
    if (!mediaErrors.NO_PICTURE.is(error)) parts.log.warn('no thumbnail', { path: source, error });
  }
}
