// The pictures of a film from shortly before a moment on, in order of presentation.
import { createCheckpoint } from '../../../runtime/sync/checkpoint.ts';
import { type Frame, ticks } from '../ffmpeg.ts';
import { near, seekNear } from '../frames/seek.ts';
import { MomentGrid } from '../grid.ts';
import type { StreamHead } from '../packets/head.ts';
import { keepPicture, PictureDecoder } from '../packets/picture-decoder.ts';
import type { PacketTurn } from '../source/packet-checkpoint.ts';
import type { Source } from '../source/source.ts';
import { frameStep } from '../source/stream.ts';
import type { ClipFile } from './clip-file.ts';

export interface DecodedPicture {
  /** *Moved* to whoever takes it. */
  readonly frame: Frame;
  /** Presentation time in ticks of the stream. */
  readonly at: number;
}

export interface PicturesFrom {
  readonly source: Source;
  readonly head: StreamHead;
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
    // Pictures shown before the first decoded packet depend on pictures that were not read.
    if (entry !== null && at < entry) return;
    const picture = keepPicture(frame);
    if (picture) ready.push({ frame: picture, at });
  };
}

// The pictures of a clip that is being written, however they come about.

export interface ClipPictures {
  /**
   * Makes the stream of the clip, up to its first picture. Errors: CLIP_OUTSIDE, CLIP_UNWRITABLE and others.
   */
  open(file: ClipFile): Promise<void>;
  /** Where the clip starts, in seconds of the clock of the streams; known once it is open. */
  readonly origin: number;
  /** Seconds of the clip up to which its pictures are known; Infinity at the end. */
  readonly position: number;
  /** Seconds of the clip at its end; null while it is not known. */
  readonly length: number | null;
  /** In seconds of the source; known at the end. */
  readonly span: { readonly start: number; readonly end: number };
  readonly frames: number;
  /** FFmpeg's name of what encodes them; null where none are encoded. */
  readonly encoder: string | null;
  /** The encoder of a device that could not be opened; null when none failed. */
  readonly failedEncoder: string | null;
  step(): Promise<void>;
  close(): Promise<void>;
}
