// The fast mode: only keyframes are read and decoded. Every grid second shows the latest keyframe not after
// it; seconds before the first keyframe show the first.
import { type Checkpoint, createCheckpoint } from '../../../runtime/sync/checkpoint.ts';
import { AVDISCARD_NONKEY, type Frame, type Packet, ticks } from '../ffmpeg.ts';
import { keepPicture, PictureDecoder } from '../packets/picture-decoder.ts';
import { packetCheckpoint } from '../source/packet-checkpoint.ts';
import { endsStrictly, type GridPicture, type WalkOptions } from './gop-walk.ts';

/** As `walkGrid`. */
export async function* walkKeyframes(options: WalkOptions): AsyncGenerator<GridPicture> {
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
  { source, ending, grid }: WalkOptions,
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
function firstSecondOf({ grid, to }: WalkOptions, from: number, packet: Packet): number {
  let second = from;
  while (second < to && grid.limit(second) < Number(packet.pts)) second++;
  return second;
}

/**
 * First second without a picture. Only keyframes were read, so the duration in the file counts unless reading
 * broke off.
 */
function endOf(options: WalkOptions): number {
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
