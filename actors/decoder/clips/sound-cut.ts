// The sound of a precise clip: all audio tracks, side by side, each encoded from sample to sample.
import type { Stream } from '../ffmpeg.ts';
import type { ClipFile } from './clip-file.ts';
import { SoundEncoder } from './sound-encoder.ts';
import type { SoundPackets } from './sound-packets.ts';

/**
 * Seconds that packets of several tracks lie apart in a file; a track that is further behind is silent
 * meanwhile.
 */
const apart = 5;

/** All of it, where nothing is said. */
export interface ChosenSound {
  readonly streams?: readonly Stream[];
  /** More are mixed down to two. */
  readonly mostChannels?: number;
}

export class SoundCut {
  readonly #packets: SoundPackets;
  readonly #tracks: readonly SoundEncoder[];
  readonly #zero: number;
  readonly #end: number;
  #ended = false;

  /** Start and end of the clip in seconds of the clock of the streams; the end may be later by a picture. */
  constructor(
    file: ClipFile,
    packets: SoundPackets,
    { zero, end }: { zero: number; end: number },
    chosen: ChosenSound = {},
  ) {
    const { path } = packets;
    const { streams = packets.streams, mostChannels } = chosen;
    this.#packets = packets;
    this.#zero = zero;
    this.#end = end;
    const tracks: SoundEncoder[] = [];
    try {
      for (const stream of streams) tracks.push(new SoundEncoder(file, path, stream, zero, mostChannels));
    } catch (error) {
      for (const track of tracks) track.close();
      throw error;
    }
    this.#tracks = tracks;
  }

  /** Seconds of the clip up to which the sound of every track is known; Infinity when no more of it comes. */
  get position(): number {
    return this.#ended ? Number.POSITIVE_INFINITY : Math.min(...this.#tracks.map(({ known }) => known));
  }

  /** Seconds of the clip up to which there is sound. */
  get length(): number {
    return Math.max(...this.#tracks.map(({ known }) => known));
  }

  /** True while no track has a sample. */
  get isEmpty(): boolean {
    return this.#tracks.every(({ samples }) => samples === 0);
  }

  /** Reads the next packet. `until`: seconds of the clip up to which sound may be encoded already. */
  step(until: number) {
    const next = this.#packets.next();
    if (!next || (next.seconds !== null && next.seconds > this.#end + apart)) {
      next?.packet.free();
      for (const track of this.#tracks) track.send(null);
      this.#ended = true;
      return;
    }
    const { packet, stream, seconds } = next;
    try {
      this.#tracks.find((track) => track.stream === stream)?.send(packet);
    } finally {
      packet.free();
    }
    for (const track of this.#tracks) {
      if (seconds !== null) track.reach(seconds - this.#zero - apart);
      track.encode(until);
    }
  }

  /** Encodes the rest, each track up to `seconds` of the clip. */
  finish(seconds: number) {
    for (const track of this.#tracks) track.finish(seconds);
  }

  close() {
    for (const track of this.#tracks) track.close();
  }
}
