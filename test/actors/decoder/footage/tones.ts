// Files of known sound for the tests: each channel is a tone of its own that begins at its highest, so that its phase
// tells to a part of a sample where what came out belongs.
import assert from 'node:assert/strict';
import type { FilmSound } from '../../../../actors/samples/writer/sound.ts';

/** Hz of the tone in each channel, from the first on: whole periods in 160 samples of 16 kHz. */
export const pitches = [300, 500, 700, 1100, 1300, 1700];
export const level = 0.5;

export interface Tones extends Partial<Omit<FilmSound, 'fill'>> {
  readonly encoder: string;
  /** The first channel's place in `pitches`. */
  readonly from?: number;
}

export function tones({
  from = 0,
  sampleRate = 48000,
  channels = 1,
  seconds = 2,
  ...rest
}: Tones): FilmSound {
  const fill = (start: number, samples: Float32Array) => {
    for (let i = 0; i < samples.length; i++) {
      const at = (start + Math.floor(i / channels)) / sampleRate;
      samples[i] = level * Math.cos(2 * Math.PI * pitches[from + (i % channels)]! * at);
    }
  };
  return { sampleRate, channels, seconds, fill, ...rest };
}

export interface Stretch {
  /** Seconds. */
  readonly from?: number;
  readonly to?: number;
  /** Seconds at which the tone is at its highest. */
  readonly zero?: number;
}

/** Level of a tone within a stretch of 16 kHz samples, and by how many samples it comes late. */
export function heard(samples: Float32Array, pitch: number, { from = 0.2, to, zero = 0 }: Stretch = {}) {
  const first = Math.round(from * 16000);
  const last = to === undefined ? samples.length - 3200 : Math.round(to * 16000);
  const count = Math.floor((last - first) / 160) * 160;
  let [re, im] = [0, 0];
  for (let i = first; i < first + count; i++) {
    const turn = 2 * Math.PI * pitch * (i / 16000 - zero);
    re += samples[i]! * Math.cos(turn);
    im += samples[i]! * Math.sin(turn);
  }
  return {
    level: (2 * Math.hypot(re, im)) / count,
    late: (Math.atan2(im, re) / (2 * Math.PI)) * (16000 / pitch),
  };
}

/** `loud`: level to find; `within`: samples it may be early or late. */
export function expectTone(
  samples: Float32Array,
  pitch: number,
  { loud = level, within = 0.125, ...stretch }: Stretch & { loud?: number; within?: number } = {},
) {
  const tone = heard(samples, pitch, stretch);
  assert.ok(Math.abs(tone.level - loud) < 0.02 * loud, `${pitch} Hz at ${tone.level}`);
  assert.ok(Math.abs(tone.late) < within, `${pitch} Hz late by ${tone.late} samples`);
}

/** Fails unless the stretch is all zeros but for the ringing of the resampler at its ends. */
export function expectSilence(samples: Float32Array, from: number, to: number) {
  const stretch = samples.subarray(Math.round(from * 16000) + 64, Math.round(to * 16000) - 64);
  const loudest = stretch.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  assert.ok(loudest < 1e-4, `${loudest} between ${from} and ${to} s`);
}
