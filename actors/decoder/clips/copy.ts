// A copied clip: the packets of pictures and sound as they are, in a container like that of the source.
import { createCheckpoint } from '../../../runtime/sync/checkpoint.ts';
import { AV_PKT_DATA_SKIP_SAMPLES, type Packet, type Stream } from '../ffmpeg.ts';
import { readHead } from '../packets/head.ts';
import { timelineStart } from '../packets/timeline-start.ts';
import type { OpenOptions, Source } from '../source/source.ts';
import { ClipFile } from './clip-file.ts';
import { type ClipRequest, type CutResult, clipErrors } from './contract.ts';
import { containersFor } from './formats.ts';
import { PictureCopy, shift } from './picture-copy.ts';
import { SoundPackets } from './sound-packets.ts';

type Turn = OpenOptions['turn'];

interface Tracks {
  readonly pictures: PictureCopy | null;
  readonly sound: SoundCopy | null;
}

/** Seconds of sound read beyond the end of the clip: packets of several tracks are not in order. */
const beyond = 1;

/** The source stays the caller's. */
export async function copyPackets(source: Source, request: ClipRequest, turn: Turn): Promise<CutResult> {
  const { start_seconds: start, end_seconds: end } = request;
  let pictures: PictureCopy | null = null;
  let packets: SoundPackets | null = null;
  try {
    if (source.video) {
      pictures = new PictureCopy({ source, head: await readHead(source, turn), start, end, turn });
      await pictures.open();
    }
    const zero = pictures ? pictures.origin : (await timelineStart(source, turn)) + start;
    packets = await SoundPackets.open(source.path, zero, { turn });
    const tracks = { pictures, sound: packets && new SoundCopy(packets, zero, pictures !== null) };
    return await write(source, tracks, request, turn);
  } finally {
    packets?.close();
    pictures?.close();
  }
}

async function write(source: Source, tracks: Tracks, request: ClipRequest, turn: Turn): Promise<CutResult> {
  const { pictures, sound } = tracks;
  const { path, start_seconds, end_seconds } = request;
  const start = pictures?.span.start ?? start_seconds;
  const file = begin(source, tracks, request.output);
  try {
    await writePackets(tracks, end_seconds - start, turn);
    if (!pictures && !sound?.span) {
      throw clipErrors.CLIP_OUTSIDE(`${path}: has no sound at ${start_seconds} s`, { path });
    }
    file.finish();
    const { extension } = file.container;
    if (pictures) {
      const span = pictures.span;
      return {
        extension,
        start_seconds: span.start,
        end_seconds: span.end,
        frames: pictures.frames,
        encoder: null,
      };
    }
    const heard = sound!.span!;
    return {
      extension,
      start_seconds: start + heard.start,
      end_seconds: start + heard.end,
      frames: 0,
      encoder: null,
    };
  } finally {
    file.close();
  }
}

/**
 * Opens the first container that takes the packets. Throws CLIP_UNWRITABLE with the reason of the last one.
 */
function begin(source: Source, { pictures, sound }: Tracks, output: string): ClipFile {
  let refusal: unknown = null;
  for (const container of containersFor(source.container, source.path)) {
    const file = new ClipFile(output, container);
    try {
      // Names of codecs in files of the same family; others have names of their own.
      const keepsTag = /^mov/.test(source.container) && container.muxer !== 'matroska';
      pictures?.begin(file, keepsTag);
      sound?.begin(file, keepsTag);
      file.begin();
      return file;
    } catch (error) {
      file.close();
      refusal = error;
    }
  }
  throw refusal;
}

/** Always advances what is behind. `asked`: seconds of the clip; its pictures may be shown longer. */
async function writePackets({ pictures, sound }: Tracks, asked: number, turn: Turn) {
  const checkpoint = createCheckpoint(turn, { every: 16 });
  for (let more = true; more; ) {
    await checkpoint();
    const seen = pictures?.position ?? Number.POSITIVE_INFINITY;
    const length = Math.max(asked, pictures?.length ?? 0);
    if (sound && sound.position < length + beyond && sound.position <= seen) sound.step(length);
    else if (pictures && seen < Number.POSITIVE_INFINITY) pictures.step();
    else more = false;
  }
}

// The sound of a copied clip: packets of all audio tracks as they are.

/** Seconds that packets of several tracks lie apart in a file, at most. */
const apart = 5;

class SoundCopy {
  #file: ClipFile | null = null;
  readonly #packets: SoundPackets;
  readonly #zero: number;
  /** Seconds of the clock of the streams that become time 0 of the file; null before the first packet. */
  #base: number | null;
  readonly #streams = new Map<Stream, Stream>();
  /** Seconds of the clip up to which packets were read. */
  #read = 0;
  /** Seconds of the clip at which the first packet starts and the last one ends; null while there is none. */
  span: { start: number; end: number } | null = null;

  /**
   * `zero`: start of the clip in seconds of the clock of the streams. Sound alone begins with its first
   * packet, however that lies to it.
   */
  constructor(packets: SoundPackets, zero: number, hasPictures: boolean) {
    this.#packets = packets;
    this.#zero = zero;
    this.#base = hasPictures ? zero : null;
  }

  begin(file: ClipFile, keepsTag: boolean) {
    this.#file = file;
    this.#streams.clear();
    for (const stream of this.#packets.streams) {
      this.#streams.set(stream, file.copiedStream(stream, keepsTag));
    }
  }

  /** Seconds of the clip up to which packets were read; Infinity at the end of the file. */
  get position(): number {
    return this.#read;
  }

  /** Writes the next packet, unless it lies before the clip or from `end` on, in seconds of the clip. */
  step(end: number) {
    const next = this.#packets.next();
    if (!next) {
      this.#read = Number.POSITIVE_INFINITY;
      return;
    }
    const { packet, stream, seconds } = next;
    const { num, den } = stream.timeBase;
    const length = (Number(packet.duration) * num) / den;
    try {
      if (seconds === null) return;
      const at = seconds - this.#zero;
      this.#read = Math.max(this.#read, at > end + apart ? Number.POSITIVE_INFINITY : at);
      // Packets begin and end as near to the clip as they can; a short one has that of its middle.
      const isInside = at >= -length / 2 && at < end - length / 2;
      if (!isInside && !(at <= end / 2 && at + length > end / 2)) return;
      const { start = at, end: until = at } = this.span ?? {};
      this.span = { start: Math.min(start, at), end: Math.max(until, at + length) };
      this.#base ??= seconds;
      if (this.#file!.container.muxer === 'mp3') keepDelay(packet);
      shift(packet, BigInt(Math.round((this.#base * den) / num)));
      this.#file!.write(packet, this.#streams.get(stream)!, stream.timeBase);
    } finally {
      packet.free();
    }
  }
}

/** Samples that decoders of MP3 are late by, and leave out of themselves. */
const decoderDelay = 529;

/**
 * A packet says what its file leaves out at start and end, which is not what the clip does. FFmpeg's muxer
 * takes less than the delay of decoders for a large number.
 */
function keepDelay(packet: Packet) {
  if (!packet.getSideData(AV_PKT_DATA_SKIP_SAMPLES)) return;
  const skips = Buffer.alloc(10);
  skips.writeUInt32LE(decoderDelay, 0);
  packet.addSideData(AV_PKT_DATA_SKIP_SAMPLES, skips);
}
