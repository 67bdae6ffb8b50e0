// Test tones: each channel is a cosine of its own frequency, so that its phase tells, to a fraction of a
// sample, where the decoded samples are on the timeline.
import assert from 'node:assert/strict';
import type { FilmSound } from '../../../../bench/samples/writer/sound.ts';

/** Frequency of the tone in each channel, in Hz: whole periods in 160 samples at 16 kHz. */
export const pitches = [300, 500, 700, 1100, 1300, 1700];
export const level = 0.5;

export interface Tones extends Partial<Omit<FilmSound, 'fill'>> {
  readonly encoder: string;
  /** Index of the first channel's tone in `pitches`. */
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

export interface Range {
  /** Seconds. */
  readonly from?: number;
  readonly to?: number;
  /** Seconds at which the phase of the tone is 0. */
  readonly zero?: number;
}

/** Amplitude of a tone within a range of 16 kHz samples, and its delay in samples. */
export function measureTone(samples: Float32Array, pitch: number, { from = 0.2, to, zero = 0 }: Range = {}) {
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

/** `loud`: expected amplitude; `within`: tolerance of the delay, in samples. */
export function expectTone(
  samples: Float32Array,
  pitch: number,
  { loud = level, within = 0.125, ...stretch }: Range & { loud?: number; within?: number } = {},
) {
  const tone = measureTone(samples, pitch, stretch);
  assert.ok(Math.abs(tone.level - loud) < 0.02 * loud, `${pitch} Hz at ${tone.level}`);
  assert.ok(Math.abs(tone.late) < within, `${pitch} Hz late by ${tone.late} samples`);
}

/** Fails unless the range is silent, except for the ringing of the resampler at its ends. */
export function expectSilence(samples: Float32Array, from: number, to: number) {
  const stretch = samples.subarray(Math.round(from * 16000) + 64, Math.round(to * 16000) - 64);
  const loudest = stretch.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  assert.ok(loudest < 1e-4, `${loudest} between ${from} and ${to} s`);
}
