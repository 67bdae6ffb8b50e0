// The sound of a file at 16 kHz: one pass over its packets, however many channels are requested.
import { type FeedTurn, Sent } from '../../../runtime/actor.ts';
import type { Request } from '../../../runtime/contract.ts';
import { type decoderContract, mediaErrors, type SoundBlock, soundRate } from '../contract.ts';
import {
  AV_DISPOSITION_CLEAN_EFFECTS,
  AV_DISPOSITION_COMMENT,
  AV_DISPOSITION_DEFAULT,
  AV_DISPOSITION_DESCRIPTIONS,
  AV_DISPOSITION_HEARING_IMPAIRED,
  AV_DISPOSITION_KARAOKE,
  AV_DISPOSITION_VISUAL_IMPAIRED,
  AVMEDIA_TYPE_AUDIO,
  avGetCodecName,
  Codec,
  type Frame,
  Packet,
  type Stream,
  ticks,
} from '../ffmpeg.ts';
import { timelineStart } from '../packets/head.ts';
import { expectUnchanged, readFileStamp } from '../source/file.ts';
import { packetCheckpoint } from '../source/packet-checkpoint.ts';
import { openSource, type Source } from '../source/source.ts';
import { isStill } from '../source/still.ts';
import { chooseChannels, downmix, mixedTracks, pick, type TrackChoice, type TrackFacts } from './choice.ts';
import { SoundClock } from './clock.ts';
import { type ChannelLayout, copyClamped, cutFront, Resampler, SoundDecoder } from './decoder.ts';
import { SoundMix, type TrackBlock } from './mix.ts';

type SoundRequest = Request<typeof decoderContract, 'sound'>;

/** Seconds in a block at most. */
const blockSeconds = 8;

/**
 * Errors: NO_SOUND, NO_CHANNEL, UNSUPPORTED_CODEC, DECODE_FAILED when none of it can be decoded, and those of
 * `openSource`. A track without samples yields no blocks.
 */
export async function* sound(request: SoundRequest, turn: FeedTurn): AsyncGenerator<Sent<SoundBlock>> {
  const { path, channels } = request;
  const stamp = await readFileStamp(path);
  if (await isStill(path)) throw mediaErrors.NO_SOUND(`${path}: is a picture without sound`, { path });
  turn.throwIfCancelled();
  const source = await openSource(path, { turn });
  try {
    const choices = chosenTracks(source, channels);
    const zero = await timelineStart(source, turn);
    turn.throwIfCancelled();
    yield* decodeTracks(source, choices, zero, turn);
  } finally {
    source.close();
  }
  await expectUnchanged(path, stamp);
}

/** Throws NO_SOUND, NO_CHANNEL. `request`: null for the tracks of the recording, which are mixed. */
export function chosenTracks(
  { path, format }: Source,
  request: SoundRequest['channels'],
): readonly TrackChoice[] {
  const tracks = format.streams.filter(isAudio).map(trackFacts);
  if (tracks.length === 0) throw mediaErrors.NO_SOUND(`${path}: has no sound`, { path });
  if (request === null || request.length === 0) {
    const mixed = mixedTracks(tracks);
    return (mixed.length > 0 ? mixed : tracks.slice(0, 1)).map(({ stream }) => ({
      stream,
      channels: null,
      positions: [[0]],
    }));
  }
  const chosen = chooseChannels(tracks, request);
  if (!('missing' in chosen)) return chosen;
  const channels = tracks.reduce((sum, track) => sum + track.channels, 0);
  throw mediaErrors.NO_CHANNEL(
    `${path}: has no audio channel ${chosen.missing}; it has ${channels} channels`,
    {
      path,
      channel: chosen.missing,
      channels,
    },
  );
}

/** Audio streams of a file that are mixed if no channels are named. */
export function recordedStreams(streams: readonly Stream[]): Stream[] {
  const mixed = new Set(mixedTracks(streams.filter(isAudio).map(trackFacts)).map(({ stream }) => stream));
  return streams.filter(({ index }) => mixed.has(index));
}

const isAudio = ({ codecpar }: Stream) => codecpar.codecType === AVMEDIA_TYPE_AUDIO;

/** Kinds of sound that a recording does not have. */
const besideFlags =
  AV_DISPOSITION_CLEAN_EFFECTS |
  AV_DISPOSITION_COMMENT |
  AV_DISPOSITION_DESCRIPTIONS |
  AV_DISPOSITION_HEARING_IMPAIRED |
  AV_DISPOSITION_KARAOKE |
  AV_DISPOSITION_VISUAL_IMPAIRED;
/** Titles say it where no flag does. */
const besideTitle = /\b(comment|descripti|karaoke|hearing)/i;

function trackFacts({ index, codecpar, disposition, metadata }: Stream): TrackFacts {
  const { language, title = '', handler_name = '' } = metadata?.getAll() ?? {};
  return {
    stream: index,
    channels: codecpar.channels,
    preferred: (disposition & AV_DISPOSITION_DEFAULT) !== 0,
    decodable: Codec.findDecoder(codecpar.codecId) !== null,
    codec: avGetCodecName(codecpar.codecId) ?? 'unknown',
    sampleRate: codecpar.sampleRate,
    language: language === undefined || language === 'und' ? null : language,
    isBeside: (disposition & besideFlags) !== 0 || besideTitle.test(`${title} ${handler_name}`),
  };
}

async function* decodeTracks(
  source: Source,
  choices: readonly TrackChoice[],
  zero: number,
  turn: FeedTurn,
): AsyncGenerator<Sent<SoundBlock>> {
  const tracks = new Map<number, { track: SoundTrack; choice: TrackChoice }>();
  const packet = new Packet();
  packet.alloc();
  const checkpoint = packetCheckpoint(turn);
  const isMixed = choices.length > 1 && choices.every(({ channels }) => channels === null);
  const mix = isMixed ? new SoundMix(choices.length, blockSeconds * soundRate) : null;
  const blocksOf = (block: TrackBlock, choice: TrackChoice) =>
    mix ? mix.add(choices.indexOf(choice), block.planes[0]!.subarray(0, block.count)) : [block];
  try {
    for (const choice of choices) tracks.set(choice.stream, { choice, track: open(source, choice, zero) });
    source.only([...tracks.keys()]);
    while (source.read(packet)) {
      await checkpoint();
      const { track, choice } = tracks.get(packet.streamIndex)!;
      for (const trackBlock of track.send(packet))
        for (const block of blocksOf(trackBlock, choice)) yield* sent(block, choice, turn);
      packet.unref();
    }
    for (const { track, choice } of tracks.values()) {
      for (const trackBlock of track.finish())
        for (const block of blocksOf(trackBlock, choice)) yield* sent(block, choice, turn);
    }
    for (const block of mix?.finish() ?? []) yield* sent(block, choices[0]!, turn);
    expectDecoded(
      source,
      [...tracks.values()].map(({ track }) => track),
      turn,
    );
  } finally {
    packet.free();
    for (const { track } of tracks.values()) track.close();
  }
}

function open(source: Source, choice: TrackChoice, zero: number): SoundTrack {
  const { path, format } = source;
  return new SoundTrack({
    path,
    stream: format.streams[choice.stream]!,
    choice,
    zero,
    end: source.endSeconds - zero,
    blockSamples: blockSeconds * soundRate,
  });
}

/** A channel that is requested several times gets a slot for each. */
async function* sent(
  { firstSample, count, planes }: TrackBlock,
  { positions }: TrackChoice,
  turn: FeedTurn,
): AsyncGenerator<Sent<SoundBlock>> {
  for (const [i, plane] of planes.entries()) {
    for (const channel of positions[i]!) {
      const samples = await turn.freeSlot();
      const { buffer, byteOffset } = turn.slot(samples);
      copyClamped(plane.subarray(0, count), new Float32Array(buffer, byteOffset, count));
      yield new Sent({ channel, first_sample: firstSample, count, samples }, { slots: [samples] });
    }
  }
}

/**
 * Sound without samples is no error; a track with packets or a duration of which nothing can be decoded is.
 */
function expectDecoded(source: Source, tracks: readonly SoundTrack[], turn: FeedTurn) {
  const { path } = source;
  const sum = (count: (track: SoundTrack) => number) => tracks.reduce((all, track) => all + count(track), 0);
  const broken = sum((track) => track.broken);
  if (broken > 0) turn.log.warn('parts of the sound cannot be decoded', { path, packets: broken });
  const announced =
    sum((track) => track.packets) > 0 || (!source.video && Number(source.format.duration) > 0);
  if (announced && sum((track) => track.frames) === 0) {
    throw mediaErrors.DECODE_FAILED(`${path}: none of its sound can be decoded`, { path });
  }
}

// One audio track: decodes its packets, places the samples at their timestamps and collects blocks of 16 kHz
// sound. Memory is bounded: one block per channel, and at most a second of samples in the resampler.

interface TrackOptions {
  readonly path: string;
  readonly stream: Stream;
  readonly choice: TrackChoice;
  /** Time of sample 0, in seconds of the stream's clock. */
  readonly zero: number;
  /** Seconds from sample 0 to the end of the file; Infinity when unknown. */
  readonly end: number;
  /** Most samples in a block. */
  readonly blockSamples: number;
}

class SoundTrack {
  readonly #options: TrackOptions;
  readonly #decoder: SoundDecoder;
  readonly #planes: readonly Float32Array[];
  #resampler: Resampler | null = null;
  #clock: SoundClock | null = null;
  /** Samples pushed to the resampler since the last `#pull`. */
  #waiting = 0;
  /** Samples in the planes. */
  #filled = 0;
  /** Samples in the blocks yielded so far. */
  #yielded = 0;
  /** The frame before could not be decoded, or there is none. */
  #lost = true;
  packets = 0;
  frames = 0;
  broken = 0;

  constructor(options: TrackOptions) {
    this.#options = options;
    const { choice, blockSamples, stream, path } = options;
    const wide = choice.channels?.length ?? 1;
    this.#planes = Array.from({ length: wide }, () => new Float32Array(blockSamples));
    this.#decoder = SoundDecoder.open(stream, path);
  }

  /**
   * Decodes a packet, *borrowed*; null flushes the decoder. A packet that cannot be decoded leaves a gap. The
   * planes of a block are those of the choice, *borrowed until the next block*.
   */
  *send(packet: Packet | null): Generator<TrackBlock> {
    if (packet) this.packets++;
    if (!this.#decoder.send(packet)) this.#markLost();
    for (let frame = this.#decoder.receive(); frame; frame = this.#decoder.receive()) {
      if (frame === 'broken') this.#markLost();
      else if (frame.nbSamples > 0 && frame.sampleRate > 0) yield* this.#place(frame);
    }
  }

  /** Flushes the decoder and the resampler. */
  *finish(): Generator<TrackBlock> {
    yield* this.send(null);
    yield* this.#closeResampler();
    if (this.#filled > 0) yield this.#block();
  }

  close() {
    this.#decoder.close();
    this.#resampler?.close();
  }

  #markLost() {
    this.broken++;
    this.#lost = true;
  }

  *#place(frame: Frame): Generator<TrackBlock> {
    this.frames++;
    if (this.#resampler?.rate !== frame.sampleRate) yield* this.#newResampler(frame);
    const clock = this.#clock!;
    const { silence, skip } = clock.place(this.#position(frame), frame.nbSamples, this.#lost);
    this.#lost = false;
    yield* this.#silence(silence);
    if (skip === frame.nbSamples) return;
    if (skip > 0) cutFront(frame, skip);
    if (!this.#resampler!.push(frame)) {
      yield* this.#newResampler(frame);
      this.#clock!.place(null, frame.nbSamples, false);
      if (!this.#resampler!.push(frame)) {
        const { path } = this.#options;
        throw mediaErrors.DECODE_FAILED(`${path}: its sound cannot be resampled`, { path });
      }
    }
    this.#waiting += frame.nbSamples;
    if (this.#waiting * 2 >= frame.sampleRate) yield* this.#pull(false);
  }

  /** Position of a frame by its timestamp, in samples of its own rate; null when it has none. */
  #position(frame: Frame): number | null {
    const at = ticks(frame.pts) ?? ticks(frame.bestEffortTimestamp);
    if (at === null) return null;
    const { stream, zero } = this.#options;
    const { num, den } = stream.timeBase;
    return Math.round(((at * num) / den - zero) * frame.sampleRate);
  }

  *#silence(samples: number): Generator<TrackBlock> {
    const resampler = this.#resampler!;
    for (let remainingSamples = samples; remainingSamples > 0; ) {
      const step = Math.min(remainingSamples, resampler.rate);
      resampler.pushSilence(step);
      remainingSamples -= step;
      yield* this.#pull(false);
    }
  }

  /** At a change of rate or layout: a new resampler, which continues where the last one ended. */
  *#newResampler(frame: Frame): Generator<TrackBlock> {
    const continues = this.#resampler !== null;
    yield* this.#closeResampler();
    const { choice, path, end } = this.#options;
    const rows = (layout: ChannelLayout) =>
      choice.channels ? pick(choice.channels, layout.nbChannels) : downmix(layout);
    this.#resampler = new Resampler(frame, rows, path);
    const { rate } = this.#resampler;
    const at = Math.round(((this.#yielded + this.#filled) * rate) / soundRate);
    this.#clock = new SoundClock(rate, end * rate, continues ? at : null);
  }

  *#closeResampler(): Generator<TrackBlock> {
    if (!this.#resampler) return;
    yield* this.#pull(true);
    this.#resampler.close();
    this.#resampler = null;
  }

  *#pull(last: boolean): Generator<TrackBlock> {
    this.#waiting = 0;
    for (;;) {
      const room = this.#options.blockSamples - this.#filled;
      const got = this.#resampler!.pull(
        this.#planes.map((plane) => bytesOf(plane, this.#filled)),
        room,
        last,
      );
      this.#filled += got;
      if (got < room) return;
      yield this.#block();
    }
  }

  #block(): TrackBlock {
    const block = { firstSample: this.#yielded, count: this.#filled, planes: this.#planes };
    this.#yielded += this.#filled;
    this.#filled = 0;
    return block;
  }
}

function bytesOf(plane: Float32Array, from: number): Buffer {
  return Buffer.from(plane.buffer, plane.byteOffset + from * 4, (plane.length - from) * 4);
}
