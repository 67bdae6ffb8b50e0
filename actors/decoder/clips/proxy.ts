// Makes a proxy: a whole film or sound as H.264 and AAC, small enough for players that cannot play the file
// itself. Every picture is there, at its own time, so that picture n of one is picture n of the other.
import { availableParallelism } from 'node:os';
import type { Turn } from '../../../runtime/actor.ts';
import { discard } from '../../../runtime/files/names.ts';
import { createCheckpoint } from '../../../runtime/sync/checkpoint.ts';
import { mediaErrors, type Rational } from '../contract.ts';
import type { Stream } from '../ffmpeg.ts';
import { readHead, timelineStart } from '../packets/head.ts';
import { SoundDecoder } from '../sound/decoder.ts';
import { recordedStreams } from '../sound/sound.ts';
import { expectUnchanged, readFileStamp } from '../source/file.ts';
import { isStillContainer, openSource, type Source } from '../source/source.ts';
import { isStill } from '../source/still.ts';
import { pictureRate } from '../source/stream.ts';
import { ClipFile, m4a, mp4 } from './clip-file.ts';
import { clipErrors, type ProxyJob, type ProxyMade, type ProxyStep } from './contract.ts';
import { EncoderFailure } from './encoders/device-encoder.ts';
import { type EncoderOpener, type PictureEncoders, softwareEncoders } from './encoders/machine.ts';
import { PictureCut } from './picture-cut.ts';
import { type EncodedShape, openPictureEncoder } from './picture-encoder.ts';
import { encodeBoth, SoundCut } from './precise.ts';
import { expectReadable, SoundPackets, soundStreams } from './sound-packets.ts';

/** For looking at. Half of the processors, so that searches and analyses go on. */
const encoding = {
  quality: { preset: 'veryfast', crf: '23' },
  threads: Math.max(1, Math.floor(availableParallelism() / 2)),
};
/** Seconds between keyframes: a player that seeks decodes so much at most. */
const keyEvery = 1;
/** Seconds of sound between two that are told. */
const toldEvery = 10;
/** Seconds of a film whose proxy may be written twice. */
const rewrittenUpTo = 900;
/** Pictures a second where a film does not say. */
const mostUsualRate = 60;
/** Bytes of a picture, and of a block of sound, in the tables of an index at most. */
const [pictureEntry, soundEntry] = [44, 32];
/** Blocks of sound a second. */
const soundBlocks = 47;
const stereo = 2;
const [always, never] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];

/** In software where that is possible: a device has more to do, and is asked for less. */
export async function* proxy(
  request: ProxyJob,
  turn: Turn,
  encoders: PictureEncoders = softwareEncoders,
): AsyncGenerator<ProxyStep> {
  const { path, output } = request;
  const stamp = await readFileStamp(path);
  if (await isStill(path)) throw ofStill(path);
  turn.throwIfCancelled();
  const source = await openSource(path, { turn, pictures: 0 });
  let isWhole = false;
  try {
    if (isStillContainer(source.container)) throw ofStill(path);
    source.lookForRate();
    const result = yield* source.video ? film(source, request, turn, encoders) : sound(source, request, turn);
    await expectUnchanged(path, stamp);
    expectReadable(source);
    isWhole = true;
    yield { seconds: result.seconds, made: result };
  } catch (error) {
    if (!(error instanceof EncoderFailure)) throw error;
    encoders.failed(error);
    throw clipErrors.CLIP_NO_ENCODER(`${path}: ${error.message}`, { path }, error);
  } finally {
    source.close();
    if (!isWhole) await discard(output);
  }
}

function ofStill(path: string) {
  return clipErrors.CLIP_OF_STILL(`${path}: is a still; stills have no proxies`, { path });
}

async function* film(
  source: Source,
  { path, output, max_side }: ProxyJob,
  turn: Turn,
  encoders: PictureEncoders,
): AsyncGenerator<ProxyStep, ProxyMade> {
  const head = await readHead(source, turn);
  let [width, height] = [0, 0];
  const openEncoder: EncoderOpener = async (file, shape, video) => {
    const fitted = proxyShape(shape, max_side);
    ({ width, height } = fitted);
    if (encoders.software === null) return encoders.open(file, fitted, video);
    return { encoder: openPictureEncoder(file, fitted, video, encoding), failed: null };
  };
  const whole = { start: always, end: never, keyEvery };
  const pictures = new PictureCut({ source, head, turn, openEncoder, ...whole });
  const file = new ClipFile(output, mp4);
  let soundtrack: Heard | null = null;
  try {
    await pictures.open(file).catch((error) => {
      if (!clipErrors.CLIP_OUTSIDE.is(error)) throw error;
      throw mediaErrors.DECODE_FAILED(`${path}: has no picture that can be decoded`, { path });
    });
    soundtrack = await hear(path, file, pictures.origin, turn);
    file.begin(indexFirst(secondsOf(source), pictureRate(source)));
    for await (const seconds of encodeBoth(pictures, soundtrack?.sound ?? null, turn)) {
      yield { seconds, made: null };
    }
    file.finish();
  } finally {
    soundtrack?.close();
    await pictures.close();
    file.close();
  }
  await pictures.check(output, turn);
  const seconds = pictures.length ?? 0;
  return { extension: mp4.extension, frames: pictures.frames, width, height, seconds };
}

async function* sound(
  source: Source,
  { path, output }: ProxyJob,
  turn: Turn,
): AsyncGenerator<ProxyStep, ProxyMade> {
  if (soundStreams(source).length === 0) {
    throw mediaErrors.NOT_MEDIA(`${path}: has neither pictures nor sound`, { path });
  }
  const zero = await timelineStart(source, turn);
  const checkpoint = createCheckpoint(turn);
  const file = new ClipFile(output, m4a);
  let soundtrack: Heard | null = null;
  try {
    soundtrack = await hear(path, file, zero, turn);
    if (!soundtrack) throw mediaErrors.UNSUPPORTED_CODEC(`${path}: its sound cannot be decoded`, { path });
    const track = soundtrack.sound;
    file.begin(indexFirst(secondsOf(source), null));
    for (let reported = 0; track.position < never; ) {
      track.step(never);
      await checkpoint();
      if (track.position < reported + toldEvery || track.position === never) continue;
      reported = track.position;
      yield { seconds: reported, made: null };
    }
    const seconds = track.length;
    track.finish(seconds);
    if (track.isEmpty) throw mediaErrors.DECODE_FAILED(`${path}: none of its sound can be decoded`, { path });
    file.finish();
    return { extension: m4a.extension, frames: 0, width: 0, height: 0, seconds };
  } finally {
    soundtrack?.close();
    file.close();
  }
}

interface Heard {
  readonly sound: SoundCut;
  close(): void;
}

/**
 * The tracks of the recording, mixed; where they cannot be decoded, the first one that can. Null without any.
 */
async function hear(path: string, file: ClipFile, zero: number, turn: Turn): Promise<Heard | null> {
  const packets = await SoundPackets.open(path, zero, { turn });
  const recorded = packets
    ? recordedStreams(packets.streams).filter((stream) => canDecode(stream, path))
    : [];
  const mixed = recorded.length > 0 ? recorded : firstDecodable(packets?.streams ?? [], path);
  if (!packets || mixed.length === 0) {
    packets?.close();
    return null;
  }
  try {
    const chosen = { mixed, mostChannels: stereo };
    const track = new SoundCut(file, packets, { zero, end: never }, chosen);
    return {
      sound: track,
      close: () => {
        track.close();
        packets.close();
      },
    };
  } catch (error) {
    packets.close();
    throw error;
  }
}

function firstDecodable(streams: readonly Stream[], path: string): Stream[] {
  const first = streams.find((stream) => canDecode(stream, path));
  return first ? [first] : [];
}

function canDecode(stream: Stream, path: string): boolean {
  try {
    SoundDecoder.open(stream, path).close();
    return true;
  } catch (error) {
    if (mediaErrors.UNSUPPORTED_CODEC.is(error)) return false;
    throw error;
  }
}

/** Null where the file does not say. */
function secondsOf({ format, clockSeconds, isEstimated }: Source): number | null {
  if (isEstimated) return null;
  const seconds = clockSeconds ?? Number(format.duration) / 1e6;
  return seconds > 0 ? seconds : null;
}

/**
 * Options of the muxer by which the index of the file comes first, so that a player begins before it has read
 * to the end. A file of some minutes is written once more for it, which nothing can interrupt; for a longer
 * one space is left, twice as much as the entries of all pictures and blocks of sound can take.
 */
export function indexFirst(seconds: number | null, rate: Rational | null): Readonly<Record<string, string>> {
  if (seconds === null || seconds < rewrittenUpTo) return { movflags: '+faststart' };
  const pictures = rate ? rate.num / rate.den : mostUsualRate;
  const entries = seconds * (pictures * pictureEntry + soundBlocks * soundEntry);
  return { moov_size: String(Math.ceil(2 * entries) + 1_000_000) };
}

/** Square pixels, 8 bit 4:2:0, whole pictures: what every browser shows. Rotation stays with the stream. */
export function proxyShape(shape: EncodedShape, maxSide: number): EncodedShape {
  const { num, den } = shape.pixelAspect;
  const [wide, high] = [(shape.width * num) / den, shape.height];
  const scale = Math.min(1, maxSide / Math.max(wide, high));
  const even = (side: number) => Math.max(2, 2 * Math.round((side * scale) / 2));
  return {
    ...shape,
    width: even(wide),
    height: even(high),
    format: 'yuv420p',
    pixelAspect: { num: 1, den: 1 },
    firstField: null,
  };
}
