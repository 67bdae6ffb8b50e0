// A precise clip: pictures and sound decoded, cut where it was asked for, and encoded anew.
import { createCheckpoint } from '../../../runtime/sync/checkpoint.ts';
import type { Stream } from '../ffmpeg.ts';
import { readHead, timelineStart } from '../packets/head.ts';
import type { OpenOptions, Source } from '../source/source.ts';
import { ClipFile, m4a, mp4 } from './clip-file.ts';
import { type ClipRequest, type CutResult, clipErrors } from './contract.ts';
import type { ClipPictures } from './decoded-pictures.ts';
import type { EncoderOpener } from './encoders/machine.ts';
import { PictureCut } from './picture-cut.ts';
import { SoundEncoder } from './sound-encoder.ts';
import { SoundPackets } from './sound-packets.ts';

type Turn = OpenOptions['turn'];

/** The source stays the caller's. Throws EncoderFailure where the encoder of a device fails. */
export async function preciseFilm(
  source: Source,
  request: ClipRequest,
  turn: Turn,
  openEncoder: EncoderOpener,
): Promise<CutResult> {
  const { start_seconds: start, end_seconds: end } = request;
  const head = await readHead(source, turn);
  const pictures = new PictureCut({ source, head, start, end, turn, openEncoder });
  const written = await writeFilm(request, pictures, turn);
  await pictures.check(request.output, turn);
  return written;
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
  const clip = { extension: mp4.extension, start_seconds, end_seconds, frames, encoder };
  return failedEncoder ? { ...clip, failed_encoder: failedEncoder } : clip;
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
  let reported = 0;
  for (let more = true; more; ) {
    await checkpoint();
    if (pictures.position >= reported + toldEvery && pictures.position < Number.POSITIVE_INFINITY) {
      reported = pictures.position;
      yield reported;
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
    const soundSeconds = Math.min(length, sound.length);
    if (soundSeconds <= 0)
      throw clipErrors.CLIP_OUTSIDE(`${path}: has no sound at ${start_seconds} s`, { path });
    sound.finish(soundSeconds);
    if (sound.isEmpty) throw clipErrors.CLIP_RANGE(`${path}: the clip is shorter than a sample`, { path });
    file.finish();
    return {
      extension: m4a.extension,
      start_seconds,
      end_seconds: start_seconds + soundSeconds,
      frames: 0,
      encoder: null,
    };
  } finally {
    sound?.close();
    packets?.close();
    file.close();
  }
}

// The sound of a precise clip: all audio tracks, side by side, each encoded from sample to sample.

/**
 * Seconds that packets of several tracks lie apart in a file; a track that is further behind is silent
 * meanwhile.
 */
const apart = 5;

/** All of it, where nothing is said. */
interface ChosenSound {
  /** These are mixed to one track. */
  readonly mixed?: readonly Stream[];
  /** More are mixed down to two. */
  readonly mostChannels?: number;
}

export class SoundCut {
  readonly #packets: SoundPackets;
  readonly #tracks: readonly SoundEncoder[];
  readonly #zero: number;
  readonly #end: number;
  #ended = false;

  /** Start and end of the clip in seconds of the clock of the streams; the end may be later by a picture. */
  constructor(
    file: ClipFile,
    packets: SoundPackets,
    { zero, end }: { zero: number; end: number },
    chosen: ChosenSound = {},
  ) {
    const { path } = packets;
    const { mixed, mostChannels } = chosen;
    const groups = mixed ? [mixed] : packets.streams.map((stream) => [stream]);
    this.#packets = packets;
    this.#zero = zero;
    this.#end = end;
    const tracks: SoundEncoder[] = [];
    try {
      for (const streams of groups) tracks.push(new SoundEncoder(file, path, streams, zero, mostChannels));
    } catch (error) {
      for (const track of tracks) track.close();
      throw error;
    }
    this.#tracks = tracks;
  }

  /** Seconds of the clip up to which the sound of every track is known; Infinity when no more of it comes. */
  get position(): number {
    return this.#ended
      ? Number.POSITIVE_INFINITY
      : Math.min(...this.#tracks.map(({ knownSeconds }) => knownSeconds));
  }

  /** Seconds of the clip up to which there is sound. */
  get length(): number {
    return Math.max(...this.#tracks.map(({ knownSeconds }) => knownSeconds));
  }

  get isEmpty(): boolean {
    return this.#tracks.every(({ samples }) => samples === 0);
  }

  /** Reads the next packet. `until`: seconds of the clip up to which sound may be encoded already. */
  step(until: number) {
    const next = this.#packets.next();
    if (!next || (next.seconds !== null && next.seconds > this.#end + apart)) {
      next?.packet.free();
      for (const track of this.#tracks) track.send(null);
      this.#ended = true;
      return;
    }
    const { packet, seconds } = next;
    try {
      for (const track of this.#tracks) track.send(packet);
    } finally {
      packet.free();
    }
    for (const track of this.#tracks) {
      if (seconds !== null) track.reach(seconds - this.#zero - apart);
      track.encode(until);
    }
  }

  /** Encodes the rest, each track up to `seconds` of the clip. */
  finish(seconds: number) {
    for (const track of this.#tracks) track.finish(seconds);
  }

  close() {
    for (const track of this.#tracks) track.close();
  }
}
