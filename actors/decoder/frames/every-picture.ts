// Decoding every picture, for streams whose packets do not say when they are shown (AVI with B-frames, raw streams). The
// decoder puts pictures out in the order of showing and estimates their times.
import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import type { Frame } from '../ffmpeg.ts';
import { keepPicture, PictureDecoder } from '../packets/picture-decoder.ts';
import { ticks } from '../source/source.ts';
import { endsStrictly, type GridPicture, type WalkQuestion } from './gop-walk.ts';

interface Timed {
  readonly frame: Frame;
  readonly at: number;
}

/** As `walkGrid`. `step` is the usual time between pictures, in ticks. */
export async function* decodeEvery(question: WalkQuestion, step: number): AsyncGenerator<GridPicture> {
  const { source, grid, to } = question;
  const decoder = PictureDecoder.open(source, question);
  const arrived: Timed[] = [];
  let shown: Timed | null = null;
  let second = question.from;
  let read = 0;
  let last: number | null = null;
  const arrive = (frame: Frame) => {
    const at: number = ticks(frame.bestEffortTimestamp) ?? (last === null ? 0 : last + step);
    last = at;
    question.ending.add(grid.seconds(at), grid.seconds(at + step) - grid.seconds(at));
    const copy = keepPicture(frame);
    if (copy) arrived.push({ frame: copy, at });
  };
  try {
    for (let more = true; more && second < to; ) {
      question.checkpoint();
      const packet = source.next();
      more = packet !== null;
      if (packet) {
        read++;
        try {
          decoder.send(packet, arrive);
        } finally {
          packet.free();
        }
      } else decoder.drain(arrive);
      for (let next = arrived[0]; next; next = arrived[0]) {
        for (; shown && second < to && next.at > grid.limit(second); second++) {
          yield { second, seconds: grid.seconds(shown.at), frame: shown.frame };
        }
        shown?.frame.free();
        shown = next;
        arrived.shift();
      }
      await eventLoopTurn();
    }
    const end = Math.min(to, question.ending.lastSecond(endsStrictly(question)));
    for (; shown && second < end; second++) {
      if (shown.at <= grid.limit(second))
        yield { second, seconds: grid.seconds(shown.at), frame: shown.frame };
    }
  } finally {
    shown?.frame.free();
    for (const { frame } of arrived) frame.free();
    question.onEnd?.({ read, decoded: decoder.sent });
    decoder.close();
  }
}
