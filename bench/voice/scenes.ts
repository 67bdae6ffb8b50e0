// Training examples for our own voice detector: recordings with pauses, equalisation and noise, and sounds without voices.
import { frameHop, frameSize, frameValues, VoiceFeatures } from '../../actors/transcriber/voice/features.ts';
import { addNoise, equalised } from './degrade.ts';
import {
  babbleOf,
  brown,
  hum,
  knocks,
  levelOf,
  music,
  type NoiseGenerator,
  pink,
  type Random,
  rate,
  telephone,
  tones,
  white,
} from './sounds.ts';
import type { TrainingExample } from './train.ts';

export type Region = readonly [start: number, end: number];

export interface LabelledRecording {
  readonly samples: Float32Array;
  /** Speech of the clean recording, by Silero. */
  readonly speech: readonly Region[];
}

/** Every recording once, with random degradation, and ten minutes of sound without voices. */
export function trainingExamples(
  recordings: readonly LabelledRecording[],
  random: Random,
): TrainingExample[] {
  const babble = babbleOf(recordings.slice(0, 80).map(({ samples }) => samples));
  const spoken = recordings.map((one) => speechScene(one, babble, random));
  const makers = [white, pink, brown, hum, tones, tones, music, music, music, knocks];
  const unspoken = Array.from({ length: 60 }, (_, at) => soundScene(makers[at % makers.length]!, random));
  return [...spoken, ...unspoken];
}

function speechScene(
  { samples, speech }: LabelledRecording,
  babble: NoiseGenerator,
  random: Random,
): TrainingExample {
  const before = random() < 0.5 ? 0 : Math.floor(rate * 4 * random());
  const behind = Math.floor(rate * 3 * random() ** 2);
  const sound = new Float32Array(before + samples.length + behind);
  sound.set(samples, before);
  const coloured = random() < 0.5 ? sound : equalised(sound, random);
  const level = levelOf(samples) || 1;
  addNoise(coloured, level * 10 ** (-60 / 20), white(coloured.length, random));
  if (random() < 0.75) {
    const makers = [white, pink, pink, brown, brown, hum, babble, babble, music, knocks];
    const maker = makers[Math.floor(random() * makers.length)]!;
    addNoise(coloured, level * 10 ** (-(5 + 25 * random()) / 20), maker(coloured.length, random));
  }
  const degraded = narrowed(coloured, random);
  scale(degraded, 10 ** ((10 - 40 * random()) / 20));
  return example(
    degraded,
    speech.map(([start, end]) => [start + before, end + before] as const),
  );
}

function soundScene(make: NoiseGenerator, random: Random): TrainingExample {
  const sound = narrowed(make(Math.floor(rate * (4 + 12 * random())), random), random);
  // Half of them with pauses: the onset of a noise is no speech either.
  if (random() < 0.5) {
    for (let at = 0; at < sound.length; at += rate * (0.5 + 2 * random())) {
      const end = at + rate * (0.2 + random());
      sound.fill(0, Math.floor(at), Math.floor(end));
      at = end;
    }
  }
  scale(sound, (0.3 * 10 ** ((-50 * random()) / 20)) / (levelOf(sound) || 1));
  addNoise(sound, 10 ** (-(60 + 30 * random()) / 20), white(sound.length, random));
  return example(sound, []);
}

/** A fifth of all sound is band-limited, as by a telephone or a codec. */
function narrowed(sound: Float32Array, random: Random): Float32Array {
  return random() < 0.2 ? telephone(sound) : sound;
}

/** The frames of a sound, and which of them lie in a region. */
function example(sound: Float32Array, speech: readonly Region[]): TrainingExample {
  const count = Math.max(0, Math.floor((sound.length - frameSize) / frameHop) + 1);
  const features = new VoiceFeatures();
  const frames = new Float32Array(count * frameValues);
  const labels = new Uint8Array(count);
  for (let at = 0; at < count; at++) {
    const first = at * frameHop;
    features.measure(sound.subarray(first, first + frameSize), frames, at * frameValues);
    const middle = first + frameSize / 2;
    labels[at] = speech.some(([start, end]) => start <= middle && middle < end) ? 1 : 0;
  }
  return { frames, speech: labels };
}

function scale(sound: Float32Array, gain: number): void {
  for (let at = 0; at < sound.length; at++) sound[at] = Math.max(-1, Math.min(1, sound[at]! * gain));
}
