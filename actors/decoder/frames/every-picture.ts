// Decodes every picture, for streams whose packets have no PTS (AVI with B-frames, raw streams). The decoder
// outputs pictures in presentation order and estimates their times.
import { createCheckpoint } from '../../../runtime/sync/checkpoint.ts';
import { type Frame, ticks } from '../ffmpeg.ts';
import { keepPicture, PictureDecoder } from '../packets/picture-decoder.ts';
import { endsStrictly, type GridPicture, type WalkOptions } from './gop-walk.ts';

interface Timed {
  readonly frame: Frame;
  /** Ticks. */
  readonly at: number;
}

/** As `walkGrid`. `step` is the usual time between pictures, in ticks. */
export async function* decodeEvery(options: WalkOptions, step: number): AsyncGenerator<GridPicture> {
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
