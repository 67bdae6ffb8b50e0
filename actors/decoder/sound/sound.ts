// The sound of a file at 16 kHz: one pass over its packets, however many channels are requested.
import { type FeedTurn, Sent } from '../../../runtime/actor.ts';
import type { Request } from '../../../runtime/contract.ts';
import { type decoderContract, mediaErrors, type SoundBlock, soundRate } from '../contract.ts';
import { AV_DISPOSITION_DEFAULT, AVMEDIA_TYPE_AUDIO, Codec, Packet, type Stream } from '../ffmpeg.ts';
import { timelineStart } from '../packets/timeline-start.ts';
import { expectUnchanged, readFileStamp } from '../source/file-stamp.ts';
import { packetCheckpoint } from '../source/packet-checkpoint.ts';
import { openSource, type Source } from '../source/source.ts';
import { isStill } from '../source/still.ts';
import { chooseChannels, defaultTrack, type TrackChoice, type TrackFacts } from './choice.ts';
import { copyClamped } from './samples.ts';
import { SoundTrack, type TrackBlock } from './track.ts';

type SoundRequest = Request<typeof decoderContract, 'sound'>;

/** Seconds in a block at most. */
const blockSeconds = 8;

/**
 * Errors: NO_SOUND, NO_CHANNEL, UNSUPPORTED_CODEC, DECODE_FAILED when none of it can be decoded, and those of `openSource`.
 * A track without samples yields no blocks.
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

/** Throws NO_SOUND, NO_CHANNEL. `asked`: null for the mix of the default track. */
export function chosenTracks(
  { path, format }: Source,
  asked: SoundRequest['channels'],
): readonly TrackChoice[] {
  const tracks = format.streams.filter(isAudio).map(trackFacts);
  if (tracks.length === 0) throw mediaErrors.NO_SOUND(`${path}: has no sound`, { path });
  if (asked === null || asked.length === 0) {
    const track = defaultTrack(tracks) ?? tracks[0]!;
    return [{ stream: track.stream, channels: null, positions: [[0]] }];
  }
  const chosen = chooseChannels(tracks, asked);
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

const isAudio = ({ codecpar }: Stream) => codecpar.codecType === AVMEDIA_TYPE_AUDIO;

function trackFacts({ index, codecpar, disposition }: Stream): TrackFacts {
  return {
    stream: index,
    channels: codecpar.channels,
    preferred: (disposition & AV_DISPOSITION_DEFAULT) !== 0,
    decodable: Codec.findDecoder(codecpar.codecId) !== null,
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
  try {
    for (const choice of choices) tracks.set(choice.stream, { choice, track: open(source, choice, zero) });
    source.only([...tracks.keys()]);
    while (source.read(packet)) {
      await checkpoint();
      const { track, choice } = tracks.get(packet.streamIndex)!;
      for (const block of track.send(packet)) yield* sent(block, choice, turn);
      packet.unref();
    }
    for (const { track, choice } of tracks.values()) {
      for (const block of track.finish()) yield* sent(block, choice, turn);
    }
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
  const [start, duration] = [Math.max(0, Number(format.startTime)), Number(format.duration)];
  return new SoundTrack({
    path,
    stream: format.streams[choice.stream]!,
    choice,
    zero,
    end: duration > 0 ? (start + duration) / 1e6 - zero : Number.POSITIVE_INFINITY,
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

/** Sound without samples is no error; a track with packets or a duration of which nothing can be decoded is. */
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
