// The fast way: only key pictures are read and decoded. Every grid second shows the latest key picture not after it;
// seconds before the first one show the first.
import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import { AVDISCARD_NONKEY, type Frame, type Packet } from '../ffmpeg.ts';
import { keepPicture, PictureDecoder } from '../packets/picture-decoder.ts';
import { ticks } from '../source/source.ts';
import { endsStrictly, type GridPicture, type WalkQuestion } from './gop-walk.ts';

/** As `walkGrid`. */
export async function* walkKeyframes(question: WalkQuestion): AsyncGenerator<GridPicture> {
  const { source, grid, to } = question;
  if (source.video) source.video.discard = AVDISCARD_NONKEY;
  // A key picture of an open GOP is decoded alone, which is all right for itself.
  const decoder = PictureDecoder.open(source, { ...question, corrupt: true });
  let second = question.from;
  let read = 0;
  let waiting: Packet | null = null;
  try {
    for (let more = true; more && second < to; ) {
      question.checkpoint();
      const packet = nextKey(question, () => read++);
      more = packet !== null;
      const until = packet ? firstSecondOf(question, second, packet) : endOf(question);
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
      await eventLoopTurn();
    }
  } finally {
    waiting?.free();
    question.onEnd?.({ read, decoded: decoder.sent });
    decoder.close();
  }
}

/** The next key packet with a time, *moved*; other packets are freed. */
function nextKey({ source, ending, grid, checkpoint }: WalkQuestion, count: () => void): Packet | null {
  for (let packet = source.next(); packet; packet = source.next()) {
    count();
    const pts = ticks(packet.pts);
    if (pts !== null) {
      const duration = grid.seconds(pts + Number(packet.duration)) - grid.seconds(pts);
      ending.add(grid.seconds(pts), duration);
      if (packet.isKeyframe) return packet;
    }
    packet.free();
    checkpoint();
  }
  return null;
}

/** First second that shows this packet's picture instead of the one before. */
function firstSecondOf({ grid, to }: WalkQuestion, from: number, packet: Packet): number {
  let second = from;
  while (second < to && grid.limit(second) < Number(packet.pts)) second++;
  return second;
}

/** First second without a picture. Only key pictures were read, so the file's word is taken unless it broke off. */
function endOf(question: WalkQuestion): number {
  return endsStrictly(question) ? Math.min(question.to, question.ending.lastSecond(true)) : question.to;
}

/** The picture of one packet, *moved* to the caller; null when it cannot be decoded. */
function decodeAlone(decoder: PictureDecoder, packet: Packet): Frame | null {
  let picture: Frame | null = null;
  const keep = (frame: Frame) => {
    picture ??= keepPicture(frame);
  };
  decoder.send(packet, keep);
  decoder.drain(keep);
  return picture;
}
