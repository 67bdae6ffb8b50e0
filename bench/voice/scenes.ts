// Training scenes for our own voice detector: 24 s each of talk with pauses, noise, music or other recorded sound
// behind it, or of sound without speech. Nothing of the test recordings is used.
import { frameValues, VoiceFeatures } from '../../actors/transcriber/voice/features.ts';
import { frameHop, frameSize } from '../../actors/transcriber/voice/frame.ts';
import { addNoise, clipped, equalised, faster } from './degrade.ts';
import { type RecordedSound, recordedNoise } from './recordings.ts';
import {
  babbleOf,
  brown,
  claps,
  hum,
  knocks,
  levelOf,
  music,
  type NoiseGenerator,
  pink,
  type Random,
  rate,
  solo,
  telephone,
  tones,
  white,
} from './sounds.ts';

export type Region = readonly [start: number, end: number];

export interface LabelledRecording {
  readonly samples: Float32Array;
  /** Speech of the clean recording, by Silero. */
  readonly speech: readonly Region[];
}

export interface Material {
  readonly voices: readonly LabelledRecording[];
  readonly sounds: readonly RecordedSound[];
}

/** The frames of a scene, and the label of each: speech (1) or not (0). */
export interface TrainingScene {
  /** What is heard behind the talk, or instead of it. */
  readonly kind: string;
  readonly frames: Float32Array;
  readonly speech: Uint8Array;
}

const length = 24 * rate;
/** Recorded sounds are played between these speeds. */
const speeds = [0.8, 1.25] as const;

/** Scenes of each kind. */
export interface SceneCounts {
  readonly talk: number;
  readonly music: number;
  readonly recorded: number;
  readonly synthetic: number;
}

export function* trainingScenes(
  material: Material,
  counts: SceneCounts,
  random: Random,
): Generator<TrainingScene> {
  const makers = sceneMakers(material);
  for (let at = 0; at < counts.talk; at++) yield makers.talk(random);
  for (let at = 0; at < counts.music; at++) yield silentScene('music', makers.music, random);
  for (let at = 0; at < counts.recorded; at++) yield silentScene('recorded', makers.recorded, random);
  const synthetic = [white, pink, brown, hum, tones, tones, music, music, solo, solo, solo, knocks, claps];
  for (let at = 0; at < counts.synthetic; at++) {
    yield silentScene('synthetic', synthetic[at % synthetic.length]!, random);
  }
}

function sceneMakers({ voices, sounds }: Material) {
  const music = recordedNoise(
    sounds.filter(({ kind }) => kind === 'music'),
    speeds,
  );
  const recorded = recordedNoise(
    sounds.filter(({ kind }) => kind !== 'music'),
    speeds,
  );
  const babble = babbleOf(voices.slice(0, 80).map(({ samples }) => samples));
  const talk = (random: Random) => talkScene(voices, { music, recorded, babble }, random);
  return { music, recorded, talk };
}

type Behind = Readonly<Record<'music' | 'recorded' | 'babble', NoiseGenerator>>;

/** What is heard behind talk, how often, and how many decibels below it at least and at most. */
function backgroundOf(behind: Behind, random: Random): [string, NoiseGenerator, number, number] | null {
  const noises = [white, white, pink, pink, brown, hum];
  const choice = random();
  if (choice < 0.18) return null;
  if (choice < 0.45) return ['noise', noises[Math.floor(random() * noises.length)]!, -5, 30];
  if (choice < 0.57) return ['babble', behind.babble, -2, 30];
  if (choice < 0.82) return ['music', behind.music, -4, 25];
  if (choice < 0.87) return ['synthetic music', random() < 0.5 ? music : solo, -2, 25];
  return ['recorded', behind.recorded, -4, 25];
}

function talkScene(voices: readonly LabelledRecording[], behind: Behind, random: Random): TrainingScene {
  const sound = new Float32Array(length);
  const speech: Region[] = [];
  let at = random() < 0.4 ? 0 : Math.floor(rate * 5 * random());
  while (at < length - rate) {
    const one = voices[Math.floor(random() * voices.length)]!;
    const speed = random() < 0.4 ? 0.88 + 0.25 * random() : 1;
    const from = random() < 0.5 ? 0 : Math.floor(random() * one.samples.length * 0.7);
    const samples = faster(one.samples.subarray(from), speed);
    const gain = (0.1 / (levelOf(samples) || 1)) * 10 ** ((random() < 0.3 ? -12 : 0) * random() * 0.05);
    const end = Math.min(length, at + samples.length);
    for (let n = at; n < end; n++) sound[n] = gain * samples[n - at]!;
    for (const [start, stop] of one.speech) {
      const place = (sample: number) => Math.max(at, Math.min(end, at + Math.round((sample - from) / speed)));
      if (place(start) < place(stop)) speech.push([place(start), place(stop)]);
    }
    at = end + Math.floor(rate * (random() < 0.5 ? 0.3 : 6) * random());
  }
  const coloured = random() < 0.5 ? sound : equalised(sound, random);
  const level = levelOf(coloured) || 1;
  addNoise(coloured, level * 10 ** (-(30 + 40 * random()) / 20), white(length, random));
  const background = backgroundOf(behind, random);
  if (background) {
    const [, make, most, least] = background;
    // Most of them in the louder half, where it is hard.
    const decibels = most + (least - most) * random() ** 1.3;
    addNoise(coloured, level * 10 ** (-decibels / 20), make(length, random));
  }
  return framed(`talk, ${background?.[0] ?? 'alone'}`, degraded(coloured, random), speech);
}

function silentScene(kind: string, make: NoiseGenerator, random: Random): TrainingScene {
  const made = make(length, random);
  const sound = random() < 0.4 ? equalised(made, random) : made;
  // A third of them with pauses: the onset of a sound is no speech either.
  if (random() < 0.35) {
    for (let at = 0; at < length; at += rate * (0.5 + 6 * random())) {
      const end = at + rate * (0.2 + random());
      sound.fill(0, Math.floor(at), Math.floor(end));
      at = end;
    }
  }
  const level = levelOf(sound) || 1;
  addNoise(
    sound,
    level * 10 ** (-(15 + 55 * random()) / 20),
    random() < 0.5 ? white(length, random) : pink(length, random),
  );
  return framed(kind, degraded(sound, random), []);
}

/** A fifth of all sound is band-limited, as by a telephone or a codec; some is overdriven; all is loud or faint. */
function degraded(sound: Float32Array, random: Random): Float32Array {
  const narrow = random() < 0.2 ? telephone(sound) : sound;
  const hard = random() < 0.12 ? clipped(narrow, 0.6 + 2.5 * random()) : narrow;
  const gain = (0.25 * 10 ** ((-45 * random()) / 20)) / (levelOf(hard) || 1);
  return hard.map((value) => Math.round(32768 * Math.max(-1, Math.min(1, gain * value))) / 32768);
}

function framed(kind: string, sound: Float32Array, speech: readonly Region[]): TrainingScene {
  const count = Math.floor((sound.length - frameSize) / frameHop) + 1;
  const features = new VoiceFeatures();
  const frames = new Float32Array(count * frameValues);
  const labels = new Uint8Array(count);
  for (let at = 0; at < count; at++) {
    const first = at * frameHop;
    features.measure(sound.subarray(first, first + frameSize), frames, at * frameValues);
    const middle = first + frameSize / 2;
    labels[at] = speech.some(([start, end]) => start <= middle && middle < end) ? 1 : 0;
  }
  return { kind, frames, speech: labels };
}
