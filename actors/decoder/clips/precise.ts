// A precise clip: pictures and sound decoded, cut where it was asked for, and encoded anew.
import { createCheckpoint } from '../../../runtime/sync/checkpoint.ts';
import { readHead } from '../packets/head.ts';
import { timelineStart } from '../packets/timeline-start.ts';
import type { OpenOptions, Source } from '../source/source.ts';
import { ClipFile } from './clip-file.ts';
import type { ClipPictures } from './clip-pictures.ts';
import { type ClipRequest, type CutResult, clipErrors } from './contract.ts';
import type { EncoderOpener } from './encoders/picture-encoders.ts';
import { m4a, mp4 } from './formats.ts';
import { PictureCut } from './picture-cut.ts';
import { SoundCut } from './sound-cut.ts';
import { SoundPackets } from './sound-packets.ts';

type Turn = OpenOptions['turn'];

/** The source stays the caller's. Throws EncoderFailure where the encoder of a device fails in the middle. */
export async function preciseFilm(
  source: Source,
  request: ClipRequest,
  turn: Turn,
  openEncoder: EncoderOpener,
): Promise<CutResult> {
  const { start_seconds: start, end_seconds: end } = request;
  const head = await readHead(source, turn);
  return writeFilm(request, new PictureCut({ source, head, start, end, turn, openEncoder }), turn);
}

/** Pictures, which it closes, with the sound that belongs to them. */
export async function writeFilm(
  request: ClipRequest,
  pictures: ClipPictures,
  turn: Turn,
): Promise<CutResult> {
  const { path, output, start_seconds: start, end_seconds: end } = request;
  const file = new ClipFile(output, mp4);
  let packets: SoundPackets | null = null;
  let sound: SoundCut | null = null;
  try {
    await pictures.open(file);
    const zero = pictures.origin;
    packets = await SoundPackets.open(path, zero, { turn });
    sound = packets && new SoundCut(file, packets, { zero, end: zero + end - start });
    file.begin();
    for await (const _ of encodeBoth(pictures, sound, turn)) {
      // Nobody is told how far it is.
    }
    file.finish();
  } finally {
    sound?.close();
    packets?.close();
    await pictures.close();
    file.close();
  }
  const { start: start_seconds, end: end_seconds } = pictures.span;
  const { frames, encoder, failedEncoder } = pictures;
  const made = { extension: mp4.extension, start_seconds, end_seconds, frames, encoder };
  return failedEncoder ? { ...made, failed_encoder: failedEncoder } : made;
}

/** Seconds of the clip between two that are told. */
const toldEvery = 1;

/**
 * Always advances what is behind, so that the file is interleaved and little waits in memory. Tells now and
 * then up to which second of the clip it has come.
 */
export async function* encodeBoth(
  pictures: ClipPictures,
  sound: SoundCut | null,
  turn: Turn,
): AsyncGenerator<number> {
  const checkpoint = createCheckpoint(turn);
  let told = 0;
  for (let more = true; more; ) {
    await checkpoint();
    if (pictures.position >= told + toldEvery && pictures.position < Number.POSITIVE_INFINITY) {
      told = pictures.position;
      yield told;
    }
    const until = Math.min(pictures.position, pictures.length ?? Number.POSITIVE_INFINITY);
    if (sound && sound.position < until) sound.step(until);
    else if (pictures.position < Number.POSITIVE_INFINITY) await pictures.step();
    else more = false;
  }
  sound?.finish(pictures.length!);
}

/** The source stays the caller's. Throws CLIP_OUTSIDE. */
export async function preciseSound(source: Source, request: ClipRequest, turn: Turn): Promise<CutResult> {
  const { path, output, start_seconds, end_seconds } = request;
  const zero = (await timelineStart(source, turn)) + start_seconds;
  const length = end_seconds - start_seconds;
  const checkpoint = createCheckpoint(turn);
  const file = new ClipFile(output, m4a);
  let packets: SoundPackets | null = null;
  let sound: SoundCut | null = null;
  try {
    packets = await SoundPackets.open(path, zero, { turn });
    sound = new SoundCut(file, packets!, { zero, end: zero + length });
    file.begin();
    while (sound.position < length) {
      sound.step(length);
      await checkpoint();
    }
    const heard = Math.min(length, sound.length);
    if (heard <= 0) throw clipErrors.CLIP_OUTSIDE(`${path}: has no sound at ${start_seconds} s`, { path });
    sound.finish(heard);
    if (sound.isEmpty) throw clipErrors.CLIP_RANGE(`${path}: the clip is shorter than a sample`, { path });
    file.finish();
    return {
      extension: m4a.extension,
      start_seconds,
      end_seconds: start_seconds + heard,
      frames: 0,
      encoder: null,
    };
  } finally {
    sound?.close();
    packets?.close();
    file.close();
  }
}
