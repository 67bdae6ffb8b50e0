// The pictures of grid seconds; chooses how to get them from a file: exact pictures by the GOP walk, by
// decoding everything where packets have no PTS, or keyframes only.

import { type Checkpoint, createCheckpoint } from '../../../runtime/sync/checkpoint.ts';
import type { DecodeMode } from '../contract.ts';
import { AVDISCARD_NONKEY, type Frame, type Packet, ticks } from '../ffmpeg.ts';
import { Ending, Grid } from '../grid.ts';
import { readHead } from '../packets/head.ts';
import { type Hardware, keepPicture, PictureDecoder } from '../packets/picture-decoder.ts';
import { type PacketTurn, packetCheckpoint } from '../source/packet-checkpoint.ts';
import type { Source } from '../source/source.ts';
import { frameStep } from '../source/stream.ts';
import type { SmallRequest } from './contract.ts';
import {
  endsStrictly,
  type GopWalkOptions,
  type GridPicture,
  type WalkCounts,
  walkGrid,
} from './gop-walk.ts';
import { near, seekNear } from './seek.ts';
import { SmallPictureMaker } from './small-pictures.ts';

// Decodes every picture, for streams whose packets have no PTS (AVI with B-frames, raw streams). The decoder
// outputs pictures in presentation order and estimates their times.

interface Timed {
  readonly frame: Frame;
  /** Ticks. */
  readonly at: number;
}

/** Like `walkGrid`. `step` is the usual time between pictures, in ticks. */
export async function* decodeEvery(options: GopWalkOptions, step: number): AsyncGenerator<GridPicture> {
  const { source, grid, to, ending } = options;
  const checkpoint = createCheckpoint(options.turn);
  const decoder = PictureDecoder.open(source, options);
  const output: Timed[] = [];
  let shown: Timed | null = null;
  let second = options.from;
  let read = 0;
  let last: number | null = null;
  const onPicture = (frame: Frame) => {
    const at: number = ticks(frame.bestEffortTimestamp) ?? (last === null ? 0 : last + step);
    last = at;
    ending.add(grid.seconds(at), grid.seconds(at + step) - grid.seconds(at));
    const copy = keepPicture(frame);
    if (copy) output.push({ frame: copy, at });
  };
  try {
    for (let more = true; more && second < to; ) {
      const packet = source.next();
      more = packet !== null;
      if (packet) {
        read++;
        try {
          decoder.send(packet, onPicture);
        } finally {
          packet.free();
        }
      } else decoder.drain(onPicture);
      for (let next = output[0]; next; next = output[0]) {
        for (; shown && second < to && next.at > grid.limit(second); second++) {
          yield { second, seconds: grid.seconds(shown.at), frame: shown.frame };
        }
        shown?.frame.free();
        shown = next;
        output.shift();
      }
      await checkpoint();
    }
    const end = Math.min(to, ending.lastSecond(endsStrictly(options)));
    for (; shown && second < end; second++) {
      if (shown.at <= grid.limit(second))
        yield { second, seconds: grid.seconds(shown.at), frame: shown.frame };
    }
  } finally {
    shown?.frame.free();
    for (const { frame } of output) frame.free();
    options.onEnd?.({ read, decoded: decoder.sent });
    decoder.close();
  }
}

// The fast mode: only keyframes are read and decoded. Every grid second shows the latest keyframe not after
// it; seconds before the first keyframe show the first.

/** Like `walkGrid`. */
export async function* walkKeyframes(options: GopWalkOptions): AsyncGenerator<GridPicture> {
  const { source, grid, to } = options;
  // The second field of a keyframe is often not marked as one.
  if (source.video && source.fieldFrameTicks === null) source.video.discard = AVDISCARD_NONKEY;
  // The keyframe of an open GOP is decoded without what precedes it; it is intact all the same.
  const decoder = PictureDecoder.open(source, { ...options, corrupt: true });
  const afterKeyframe = createCheckpoint(options.turn);
  const afterPacket = packetCheckpoint(options.turn);
  let second = options.from;
  let read = 0;
  let waiting: Packet | null = null;
  try {
    for (let more = true; more && second < to; ) {
      const packet = await nextKeyframe(options, afterPacket, () => read++);
      more = packet !== null;
      const until = packet ? firstSecondOf(options, second, packet) : endOf(options);
      if (waiting && until > second) {
        const picture = decodeAlone(decoder, waiting);
        try {
          for (; picture && second < until; second++) {
            yield { second, seconds: grid.seconds(Number(waiting.pts)), frame: picture };
          }
        } finally {
          picture?.free();
        }
        second = Math.max(second, until);
      }
      waiting?.free();
      waiting = packet;
      await afterKeyframe();
    }
  } finally {
    waiting?.free();
    options.onEnd?.({ read, decoded: decoder.sent });
    decoder.close();
  }
}

/** The next keyframe that has a PTS, *moved*; other packets are freed. */
async function nextKeyframe(
  { source, ending, grid }: GopWalkOptions,
  checkpoint: Checkpoint,
  count: () => void,
): Promise<Packet | null> {
  for (let packet = source.next(); packet; packet = source.next()) {
    count();
    const pts = ticks(packet.pts);
    if (pts !== null) {
      const duration = grid.seconds(pts + Number(packet.duration)) - grid.seconds(pts);
      ending.add(grid.seconds(pts), duration);
      if (packet.isKeyframe) return packet;
    }
    packet.free();
    await checkpoint();
  }
  return null;
}

/** First second that shows this packet's picture instead of the one before. */
function firstSecondOf({ grid, to }: GopWalkOptions, from: number, packet: Packet): number {
  let second = from;
  while (second < to && grid.limit(second) < Number(packet.pts)) second++;
  return second;
}

/**
 * First second without a picture. Only keyframes were read, so the duration in the file counts unless reading
 * broke off.
 */
function endOf(options: GopWalkOptions): number {
  return endsStrictly(options) ? Math.min(options.to, options.ending.lastSecond(true)) : options.to;
}

/** The picture of one packet, *moved* to the caller; null when it cannot be decoded. */
export function decodeAlone(decoder: PictureDecoder, packet: Packet): Frame | null {
  let picture: Frame | null = null;
  const keep = (frame: Frame) => {
    picture ??= keepPicture(frame);
  };
  decoder.send(packet, keep);
  decoder.drain(keep);
  return picture;
}

export interface GridRequest {
  readonly mode: DecodeMode;
  /** Grid seconds `[from, to)`. */
  readonly from: number;
  readonly to: number;
  /** The file does not say how long it is. */
  readonly endless?: boolean;
  /** Seconds by which the grid is shifted. */
  readonly offset?: number;
  /** A device to decode on; software without. */
  readonly hardware?: Hardware | null;
  readonly small?: SmallRequest;
  readonly turn: PacketTurn;
  onEnd?(counts: WalkCounts): void;
}

/** Errors: NO_PICTURE, UNSUPPORTED_CODEC, DECODE_FAILED. The source stays the caller's. */
export async function* gridPictures(source: Source, request: GridRequest): AsyncGenerator<GridPicture> {
  const { offset = 0, turn, small: smallRequest, ...gridOptions } = request;
  const { video, reader, start, timed } = await readHead(source, turn);
  const grid = new Grid(video.timeBase, start ?? 0, offset);
  const options = { source, reader, grid, ending: new Ending(), atStart: true, turn, ...gridOptions };
  if (!timed) return yield* decodeEvery(options, frameStep(source));
  if (request.mode === 'keyframes' && !source.intraOnly) return yield* walkKeyframes(options);
  const atStart = offset + request.from < near || (await seekNear(options, start ?? 0)) === null;
  // Where every picture is coded by itself, decoding some of them later costs no more.
  const hasSmall = smallRequest && !request.hardware && !source.intraOnly;
  if (!hasSmall) return yield* walkGrid({ ...options, atStart });
  const small = new SmallPictureMaker(smallRequest, { source, grid, atStart });
  try {
    yield* walkGrid({ ...options, atStart, small });
  } finally {
    small.close();
  }
}
