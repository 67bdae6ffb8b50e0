// A file of the fake prober: what is in it, and what goes wrong with it.
import type { Probe } from '../../../actors/decoder/contract.ts';

export interface FakeFile {
  readonly name: string;
  readonly frames: number;
  readonly kind?: 'video' | 'audio' | 'image';
  /** Content; files of the same content have the same hash. */
  readonly content?: string;
  /** The same picture stays for so many frames; a new one every frame when left out. */
  readonly still?: number;
  /** The feed fails at this frame, this many times. */
  readonly failAt?: number;
  failures?: number;
  /** Frames that are left out. */
  readonly missing?: readonly number[];
  readonly error?: 'crash' | 'hang' | 'decode';
  /** Has sound, as long as there are frames. */
  readonly sound?: boolean;
  /** Text of an embedded track of the language, a second each. */
  readonly captions?: { readonly language: string; readonly texts: readonly string[] };
}

/** What every byte of a frame is: something else where it is not of the size of the model. */
export function byteOf({ still = 1 }: FakeFile, frame: number, forModel: boolean): number {
  return (Math.floor(frame / still) + (forModel ? 0 : 100)) % 256;
}

export function probeOf(file: FakeFile): Probe {
  const kind = file.kind ?? 'video';
  return {
    kind,
    container: 'fake',
    size_bytes: 1,
    duration_seconds: file.frames,
    grid_frames: kind === 'audio' ? 0 : file.frames,
    width: 4,
    height: 2,
    video: null,
    audio:
      file.sound || kind === 'audio'
        ? [{ index: 1, codec: 'fake', sample_rate: 48_000, channels: 2, layout: null, language: null }]
        : [],
    subtitles: file.captions ? [{ index: 2, codec: 'subrip', language: file.captions.language }] : [],
    timecode: { text: '00:00:00:00', drop_frame: false, rate: { num: 1, den: 1 } },
    creation_date: null,
    camera_make: null,
    camera_model: null,
    location: null,
  };
}
