// A session: where and how somebody was recorded. The same words of the same voice in two sessions share
// nothing but the voice.
import { rate } from '../diarization/compose.ts';
import { curveFilter } from '../diarization/equalise.ts';
import type { Random } from '../diarization/random.ts';
import { brown, hum, type NoiseGenerator, pink, white } from '../voice/sounds.ts';
import { type TransformCodec, throughCodec, throughTelephone } from './codec.ts';
import { convolved, throughFilter } from './fourier.ts';
import { drawRoom, type Room, roomResponse } from './room.ts';

export type Line = { readonly kind: 'direct' | 'telephone' } | ({ readonly kind: 'codec' } & TransformCodec);

export interface Session {
  readonly room: Room;
  /** Metres from mouth to microphone, at most. */
  readonly farthest: number;
  readonly microphone: Float32Array;
  readonly line: Line;
  readonly noise: { readonly colour: keyof typeof colours; readonly decibelsBelow: number };
  /** Decibels above or below the usual loudness. */
  readonly level: number;
  /** 1.08 speaks 8 % faster. */
  readonly tempo: number;
}

/** Root mean square at a level of 0 dB: about -26 dBFS. */
export const usualLoudness = 0.05;
const colours = { white, pink, brown, hum } as const satisfies Record<string, NoiseGenerator>;

/** How often each line is drawn; the rest is direct. */
export interface Lines {
  readonly telephone: number;
  readonly codec: number;
}

export function drawSession(random: Random, lines: Lines = { telephone: 0.25, codec: 0.3 }): Session {
  const names = Object.keys(colours) as (keyof typeof colours)[];
  return {
    room: drawRoom(random),
    farthest: 2,
    microphone: drawMicrophone(random),
    line: drawLine(random, lines),
    noise: { colour: names[random.below(names.length)]!, decibelsBelow: random.between(10, 35) },
    level: random.between(-6, 6),
    tempo: random.between(0.92, 1.08),
  };
}

function drawLine(random: Random, { telephone, codec }: Lines): Line {
  const drawn = random.between(0, 1);
  const topHertz = random.between(3800, 7500);
  const ratio = random.between(4, 14);
  if (drawn < telephone) return { kind: 'telephone' };
  return drawn < telephone + codec ? { kind: 'codec', topHertz, ratio } : { kind: 'direct' };
}

/** A capsule and its casing: three resonances or dips, a tilt, an end below and one above. */
function drawMicrophone(random: Random): Float32Array {
  const bumps = Array.from({ length: 3 }, () => ({
    octave: random.between(0, 5.5),
    width: random.between(0.3, 1.5),
    height: random.between(-8, 8),
  }));
  const tilt = random.between(-2, 2);
  const lowest = random.between(50, 180);
  const highest = random.between(5000, 9000);
  return curveFilter((part) => {
    const hertz = Math.max(10, part * 8000);
    const octave = Math.log2(hertz / 125);
    const shape = bumps.reduce(
      (sum, { octave: middle, width, height }) =>
        sum + height * Math.exp(-(((octave - middle) / width) ** 2)),
      Math.max(-8, Math.min(8, tilt * (octave - 3))),
    );
    const ends = 12 * (Math.max(0, Math.log2(lowest / hertz)) + Math.max(0, Math.log2(hertz / highest)));
    return shape - Math.min(40, ends);
  });
}

/**
 * Speech as the session's microphone hears it, at the same times: the direct sound is not delayed, and what
 * the room adds after the end is kept (`tail`) or cut. Tempo is not its matter. Every call draws the places
 * of mouth and microphone anew.
 */
export function heardIn(
  { room, farthest, microphone, line, level }: Session,
  samples: Float32Array,
  random: Random,
  { tail = false, noise }: { readonly tail?: boolean; readonly noise: Session['noise'] | null },
): Float32Array {
  const whole = convolved(samples, roomResponse(room, random, farthest));
  const inRoom = tail ? whole : whole.slice(0, samples.length);
  const loud = scaledTo(inRoom, usualLoudness, samples.length);
  const noisy = noise ? withNoise(loud, noise, random) : loud;
  const captured = scaledTo(throughFilter(noisy, microphone), usualLoudness, samples.length);
  const sent =
    line.kind === 'telephone'
      ? throughTelephone(captured)
      : line.kind === 'codec'
        ? throughCodec(captured, line)
        : captured;
  return scaledTo(sent, usualLoudness * 10 ** (level / 20), samples.length);
}

function withNoise(samples: Float32Array, noise: Session['noise'], random: Random): Float32Array {
  const noiseSamples = noiseOf(samples.length, noise.colour, random);
  const gain = usualLoudness * 10 ** (-noise.decibelsBelow / 20);
  return samples.map((x, at) => x + gain * noiseSamples[at]!);
}

/** Root mean square 1. */
export function noiseOf(count: number, colour: Session['noise']['colour'], random: Random): Float32Array {
  return scaledTo(
    colours[colour](count, () => random.between(0, 1)),
    1,
    count,
  );
}

/** Scaled so that the first `count` samples have this root mean square; silence stays silence. */
function scaledTo(samples: Float32Array, level: number, count: number): Float32Array {
  const now = Math.sqrt(samples.subarray(0, count).reduce((sum, x) => sum + x * x, 0) / Math.max(1, count));
  return now > 0 ? samples.map((x) => (x * level) / now) : samples;
}

/** Samples of a source that speak for `seconds` at the session's tempo. */
export const sourceSamples = (seconds: number, tempo: number) => Math.ceil(seconds * rate * tempo);
