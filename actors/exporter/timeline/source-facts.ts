// What a timeline has to know of a source, taken from what the prober says of the file.
import { basename } from 'node:path';
import type { Probe, Rational } from '../../decoder/contract.ts';
import { frames } from '../../decoder/timecode.ts';
import { oneLine } from '../rows.ts';
import type { Counter, Sound } from './model.ts';
import { conformedRate } from './rate.ts';

export interface SourceFacts {
  readonly path: string;
  readonly name: string;
  readonly kind: 'video' | 'audio' | 'image';
  /** 0 for stills, and for sound that does not say. */
  readonly seconds: number;
  /** As the file says it; null when it does not, and for stills and sound. */
  readonly rate: Rational | null;
  /** The rate is an average: pictures come at unequal times. */
  readonly varies: boolean;
  readonly width: number;
  readonly height: number;
  /** Null when the file has none. */
  readonly timecode: Counter | null;
  readonly sound: Sound | null;
}

export function sourceFacts(path: string, probe: Probe): SourceFacts {
  const { kind, duration_seconds, width, height, video } = probe;
  const rate = kind === 'video' && video !== null && video.frame_rate.num > 0 ? video.frame_rate : null;
  return {
    path,
    name: oneLine(basename(path)) || 'media',
    kind,
    seconds: kind === 'image' ? 0 : duration_seconds,
    rate,
    varies: video?.rate_varies ?? false,
    width,
    height,
    timecode: kind === 'video' ? counterOf(probe) : null,
    sound: soundOf(probe),
  };
}

function counterOf({ timecode: { text, drop_frame: dropFrame, rate } }: Probe): Counter | null {
  const counted = conformedRate(rate);
  const frame = counted && frames(text, { rate: counted.rate, dropFrame });
  // A file without one counts as its frames do, and those of an odd rate count at another one.
  if (frame === null || (frame === 0 && !counted!.isOwn)) return null;
  return { frame, rate: counted!.rate, dropFrame };
}

function soundOf({ audio }: Probe): Sound | null {
  const [first] = audio;
  if (!first) return null;
  const channels = audio.reduce((sum, { channels: of }) => sum + Math.max(1, of), 0);
  const isStereo = audio.length === 1 && first.channels === 2;
  return { channels, streams: audio.length, isStereo, sampleRate: first.sample_rate };
}
