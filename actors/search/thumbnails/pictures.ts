// The pictures of moments of one file as JPEG: from the previews stored at analysis where they show enough,
// otherwise decoded from the file in one pass.
import type { Log } from '../../../runtime/log.ts';
import type { CallOptions, Ref } from '../../../runtime/ref.ts';
import { type decoderContract, isMediaError, mediaErrors } from '../../decoder/contract.ts';
import type { indexContract } from '../../index/contract.ts';
import type { MediaLocation } from '../media/location.ts';
import { jpegSide, nearestFrame, showsEnough } from './thumbnail-plan.ts';

type Decoder = Ref<typeof decoderContract>;

export interface PictureParts {
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

type Pictures = (Uint8Array | null)[];

/** One for each moment; null where there is none. A file that cannot be decoded has none, which is logged. */
export async function pictures(
  parts: PictureParts,
  question: PictureQuestion,
  call: CallOptions,
): Promise<Pictures> {
  const { file, seconds } = question;
  if (file.record?.probe.kind === 'audio') return seconds.map(() => null);
  const { enough, small } = await storedPictures(parts, question, call);
  const wanted = [...seconds.keys()].filter((i) => !enough[i] && isWithin(question, i));
  const decoded = await decodedPictures(parts, question, wanted, call);
  return seconds.map((_, i) => enough[i] ?? decoded.get(i) ?? small[i] ?? null);
}

function isWithin({ file, seconds }: PictureQuestion, i: number): boolean {
  return file.record === null || nearestFrame(seconds[i]!, file.record.probe) !== null;
}

interface Stored {
  /** Made smaller where need be. */
  readonly enough: Pictures;
  /** Smaller than asked for; better than nothing when the file is gone. */
  readonly small: Pictures;
}

async function storedPictures(
  parts: PictureParts,
  { cache_dir, file: { record }, seconds, max_side }: PictureQuestion,
  call: CallOptions,
): Promise<Stored> {
  const enough: Pictures = seconds.map(() => null);
  const small: Pictures = seconds.map(() => null);
  if (!record) return { enough, small };
  const { hash_str } = record.identity;
  const asked = seconds.flatMap((at, i) => {
    const frame_index = nearestFrame(at, record.probe);
    return frame_index === null ? [] : [{ i, frame_index }];
  });
  const frames = asked.map(({ frame_index }) => ({ hash_str, frame_index }));
  const { previews } = await parts.index.ask('previews', { cache_dir, frames }, call);
  const large: { i: number; jpeg: Uint8Array }[] = [];
  for (const [at, { i }] of asked.entries()) {
    const jpeg = previews[at];
    const side = jpeg ? jpegSide(jpeg) : null;
    if (!jpeg || side === null) continue;
    if (side > max_side) large.push({ i, jpeg });
    else if (showsEnough(side, max_side, record.probe)) enough[i] = jpeg;
    else small[i] = jpeg;
  }
  for (const [at, jpeg] of (await shrunk(parts, large, max_side, call)).entries())
    enough[large[at]!.i] = jpeg;
  return { enough, small };
}

async function shrunk(
  parts: PictureParts,
  large: readonly { readonly jpeg: Uint8Array }[],
  max_side: number,
  call: CallOptions,
): Promise<Pictures> {
  if (large.length === 0) return [];
  const request = { jpegs: large.map(({ jpeg }) => jpeg), preview: { max_side, quality: QUALITY } };
  return parts.decoder(async (decoder) => (await decoder.ask('shrink', request, call)).jpegs);
}

/** By index of the moment. */
async function decodedPictures(
  parts: PictureParts,
  { file: { source }, seconds, max_side }: PictureQuestion,
  wanted: readonly number[],
  call: CallOptions,
): Promise<Map<number, Uint8Array>> {
  const found = new Map<number, Uint8Array>();
  if (source === null || wanted.length === 0) return found;
  const moments = wanted.map((i) => seconds[i]!);
  const request = { path: source, seconds: moments, preview: { max_side, quality: QUALITY } };
  try {
    await parts.decoder(async (decoder) => {
      for await (const { moment, jpeg } of decoder.feed('moments', request, call))
        found.set(wanted[moment]!, jpeg);
    });
  } catch (error) {
    if (!isMediaError(error)) throw error;
    // A file of sound has no picture, which is no fault worth a log line.
    if (!mediaErrors.NO_PICTURE.is(error)) parts.log.warn('no thumbnail', { path: source, error });
  }
  return found;
}
