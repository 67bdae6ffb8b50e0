// The reference for tests: decodes every packet of a file in order and scales each picture as the decoder
// does.
import type { PictureShape } from '../../../../actors/decoder/contract.ts';
import { type Frame, ticks } from '../../../../actors/decoder/ffmpeg.ts';
import { PictureDecoder } from '../../../../actors/decoder/packets/picture-decoder.ts';
import { PictureFiller } from '../../../../actors/decoder/pixels/picture.ts';
import { openSource } from '../../../../actors/decoder/source/source.ts';
import { codedSize, frameStep } from '../../../../actors/decoder/source/stream.ts';

export interface Decoded {
  /** Seconds from the first picture. */
  readonly seconds: number;
  readonly rgb: Uint8Array;
}

export async function fullDecode(path: string, shape: PictureShape): Promise<Decoded[]> {
  const source = await openSource(path, {
    turn: { reserve: async () => () => {}, throwIfCancelled: () => {}, alive: () => {} },
  });
  const video = source.video!;
  const filler = new PictureFiller(shape, video.codecpar.colorTrc);
  const coded = codedSize(video);
  const { num, den } = video.timeBase;
  source.onlyVideo();
  const decoder = PictureDecoder.open(source);
  const pictures: { at: number; rgb: Uint8Array }[] = [];
  const keep = (frame: Frame) => {
    const rgb = new Uint8Array(shape.width * shape.height * 3);
    filler.fill(frame, coded, rgb);
    const before = pictures.at(-1);
    pictures.push({
      at: ticks(frame.bestEffortTimestamp) ?? (before ? before.at + frameStep(source) : 0),
      rgb,
    });
  };
  try {
    for (let packet = source.next(); packet; packet = source.next()) {
      decoder.send(packet, keep);
      packet.free();
    }
    decoder.drain(keep);
  } finally {
    decoder.close();
    filler.close();
    source.close();
  }
  const start = pictures[0]?.at ?? 0;
  return pictures.map(({ at, rgb }) => ({ seconds: ((at - start) * num) / den, rgb }));
}

/** The last picture shown at or before a second. */
export function shownAt(pictures: readonly Decoded[], second: number): Decoded | null {
  return pictures.filter(({ seconds }) => seconds <= second + 0.0005).at(-1) ?? null;
}

/** Mean difference of two pictures in levels. */
export function meanDifference(a: Uint8Array, b: Uint8Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += Math.abs(a[i]! - b[i]!);
  return sum / a.length;
}
