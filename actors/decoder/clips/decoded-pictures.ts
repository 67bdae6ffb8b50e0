// The pictures of a film from shortly before a moment on, in order of presentation.
import { createCheckpoint } from '../../../runtime/sync/checkpoint.ts';
import { AV_FRAME_FLAG_CORRUPT, type Frame, ticks } from '../ffmpeg.ts';
import { near, seekNear } from '../frames/seek.ts';
import { MomentGrid } from '../grid.ts';
import type { Head } from '../packets/head.ts';
import { keepPicture, PictureDecoder } from '../packets/picture-decoder.ts';
import type { PacketTurn } from '../source/packet-checkpoint.ts';
import type { Source } from '../source/source.ts';
import { frameStep } from '../source/stream.ts';

export interface DecodedPicture {
  /** *Moved* to whoever takes it. */
  readonly frame: Frame;
  /** Presentation time in ticks of the stream. */
  readonly at: number;
}

export interface PicturesFrom {
  readonly source: Source;
  readonly head: Head;
  /** Seconds from the first picture; the picture shown then is among those that come. */
  readonly seconds: number;
  readonly turn: PacketTurn;
}

/** Errors: UNSUPPORTED_CODEC, DECODE_FAILED, CANCELLED. The source stays the caller's. */
export async function* decodedPictures(options: PicturesFrom): AsyncGenerator<DecodedPicture> {
  const { source, turn } = options;
  const entry = await seek(options);
  const checkpoint = createCheckpoint(turn);
  const decoder = PictureDecoder.open(source);
  const ready: DecodedPicture[] = [];
  const onPicture = keeper(options, entry, ready);
  try {
    for (let more = true; more; ) {
      const packet = source.next();
      more = packet !== null;
      if (packet) {
        try {
          decoder.send(packet, onPicture);
        } finally {
          packet.free();
        }
      } else decoder.drain(onPicture);
      for (let next = ready.shift(); next; next = ready.shift()) yield next;
      await checkpoint();
    }
  } finally {
    for (const { frame } of ready) frame.free();
    decoder.close();
  }
}

/** PTS of the packet that decoding starts at; null at the first one of the file. */
async function seek({ source, head, seconds, turn }: PicturesFrom): Promise<number | null> {
  if (!head.timed || seconds < near) return null;
  const { video, reader } = head;
  const start = head.start ?? 0;
  const grid = new MomentGrid(video.timeBase, start, [seconds]);
  return seekNear({ source, reader, grid, from: 0, turn }, start);
}

function keeper({ head, source }: PicturesFrom, entry: number | null, ready: DecodedPicture[]) {
  const step = frameStep(source);
  let last: number | null = null;
  return (frame: Frame, pts: number | null) => {
    const estimated = ticks(frame.bestEffortTimestamp);
    const at: number = (head.timed ? pts : estimated) ?? (last === null ? (head.start ?? 0) : last + step);
    last = at;
    // What is shown before the packet that decoding starts at needs pictures that were not read.
    if (entry !== null && at < entry) return;
    const kept = keepPicture(frame);
    if (kept) ready.push({ frame: kept, at });
  };
}

/** Whether a decoder had to guess a picture. */
export const isDamaged = (frame: Frame) =>
  frame.decodeErrorFlags !== 0 || frame.hasFlags(AV_FRAME_FLAG_CORRUPT);
