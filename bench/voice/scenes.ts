// Training scenes for our own voice detector: talk with pauses, close or in rooms, with noise, music or other
// recorded sound behind it, or sound without speech; 24 s each, and short ones of how files begin. Nothing of
// the test recordings is used.
import { frameHop, frameSize, frameValues, VoiceFeatures } from '../../actors/transcriber/voice/features.ts';
import { seeded } from '../diarization/random.ts';
import { throughTelephone } from '../voices/codec.ts';
import { drawSession, heardIn } from '../voices/session.ts';
import { addNoise, clipped, equalised } from './degrade.ts';
import { type RecordedSound, recordedNoise } from './recordings.ts';
import type { Region } from './score.ts';
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
  whistles,
  white,
} from './sounds.ts';
import { type LabelledRecording, talkScene } from './talk-scenes.ts';

export interface Material {
  readonly voices: readonly LabelledRecording[];
  readonly sounds: readonly RecordedSound[];
}

/** The frames of a scene, and the label of each: speech (1) or not (0). */
export interface TrainingScene {
  /** Kind of the sound behind the talk, or instead of it. */
  readonly kind: string;
  readonly frames: Float32Array;
  readonly speech: Uint8Array;
}

/** Samples of a scene, and of one that is about how a file begins. */
const usualLength = 24 * rate;
const shortLength = 6 * rate;
/** Recorded sounds are played between these speeds, birds in a chorus between the other ones. */
const speeds = [0.8, 1.25] as const;
const chorusSpeeds = [0.5, 1.6] as const;

/** Scenes of each kind. */
export interface SceneCounts {
  readonly talk: number;
  readonly music: number;
  readonly recorded: number;
  /** Birds alone, beside those among recorded sound. */
  readonly birds: number;
  /** Up to four recordings of birds over each other. */
  readonly chorus: number;
  /** Birds made by a program. */
  readonly whistles: number;
  readonly synthetic: number;
}

export function* trainingScenes(
  material: Material,
  counts: SceneCounts,
  random: Random,
): Generator<TrainingScene> {
  const { behind, birds, chorus } = soundsOf(material);
  for (let at = 0; at < counts.talk; at++) {
    const form = { samples: usualLength, within: random() < 0.15 };
    const { kind, sound, speech } = talkScene(material.voices, behind, form, random);
    yield framed(kind, degraded(sound, random), speech);
  }
  for (let at = 0; at < counts.music; at++) yield silentScene('music', behind.music, usualLength, random);
  for (let at = 0; at < counts.recorded; at++)
    yield silentScene('recorded', behind.recorded, usualLength, random);
  for (let at = 0; at < counts.birds; at++) yield silentScene('birds', birds, usualLength, random);
  for (let at = 0; at < counts.chorus; at++) yield silentScene('chorus', chorus, usualLength, random);
  for (let at = 0; at < counts.whistles; at++) yield silentScene('whistles', whistles, usualLength, random);
  for (let at = 0; at < counts.synthetic; at++) {
    yield silentScene('synthetic', synthetic[at % synthetic.length]!, usualLength, random);
  }
}

const synthetic = [white, pink, brown, hum, tones, tones, music, music, solo, solo, solo, knocks, claps];

/** Short scenes of how files begin: within a word or before it, or with sound that is no speech, as often. */
export function* beginningScenes(
  material: Material,
  count: number,
  random: Random,
): Generator<TrainingScene> {
  const { behind, birds } = soundsOf(material);
  const others: readonly NoiseGenerator[] = [behind.music, behind.music, behind.recorded, birds];
  for (let at = 0; at < count; at++) {
    if (at % 2 === 0) {
      const form = { samples: shortLength, within: random() < 0.7 };
      const { kind, sound, speech } = talkScene(material.voices, behind, form, random);
      yield framed(kind, degraded(sound, random, 0.4), speech);
    } else {
      const some = random() < 0.7 ? others : synthetic;
      const make = some[Math.floor(random() * some.length)]!;
      yield silentScene('begun without talk', make, shortLength, random);
    }
  }
}

function soundsOf({ voices, sounds }: Material) {
  const of = (isWanted: (kind: RecordedSound['kind']) => boolean) =>
    recordedNoise(
      sounds.filter(({ kind }) => isWanted(kind)),
      speeds,
    );
  const babble = babbleOf(voices.slice(0, 80).map(({ samples }) => samples));
  const behind = { music: of((kind) => kind === 'music'), recorded: of((kind) => kind !== 'music'), babble };
  const wide = recordedNoise(
    sounds.filter(({ kind }) => kind === 'birds'),
    chorusSpeeds,
  );
  return { behind, birds: of((kind) => kind === 'birds'), chorus: chorusOf(wide) };
}

/** One to four of them at once, the others up to 20 dB below the first, over wind. */
function chorusOf(birds: NoiseGenerator): NoiseGenerator {
  return (count, random) => {
    const sound = birds(count, random);
    for (let others = Math.floor(4 * random()); others > 0; others--) {
      addNoise(sound, 10 ** -random(), birds(count, random));
    }
    if (random() < 0.5) addNoise(sound, 10 ** (-2 * random()), pink(count, random));
    return sound;
  };
}

function silentScene(kind: string, make: NoiseGenerator, length: number, random: Random): TrainingScene {
  const source = make(length, random);
  const sound = heardFrom(source, random);
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

/** The sound itself, by another microphone, or from a loudspeaker in a room, perhaps over a line. */
function heardFrom(source: Float32Array, random: Random): Float32Array {
  const choice = random();
  if (choice < 0.5) return source;
  if (choice < 0.8) return equalised(source, random);
  const draws = seeded(Math.floor(2 ** 31 * random()));
  return heardIn(drawSession(draws), source, draws, { noise: null }).slice();
}

/** Some sound is of the band of a telephone (`narrow`: how often) or overdriven; all is loud or faint. */
function degraded(sound: Float32Array, random: Random, narrow = 0.22): Float32Array {
  const line = random() < 0.6 ? telephone : throughTelephone;
  const sent = random() < narrow ? line(sound) : sound;
  const hard = random() < 0.12 ? clipped(sent, 0.6 + 2.5 * random()) : sent;
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
