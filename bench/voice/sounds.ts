// Sounds for training and testing voice detectors: noises, tones, hum, synthetic music, and ways to mix them
// with speech. The same seed gives the same sound.
import { seeded } from '../diarization/random.ts';

export const rate = 16_000;
export type Random = () => number;

/** Numbers from 0 to 1. */
export function randomOf(seed: number): Random {
  const { between } = seeded(seed);
  return () => between(0, 1);
}

/** Mean 0, deviation about 1. */
function gauss(random: Random): number {
  return (random() + random() + random() + random() - 2) * Math.sqrt(3);
}

export type NoiseGenerator = (count: number, random: Random) => Float32Array;

export const white: NoiseGenerator = (count, random) =>
  Float32Array.from({ length: count }, () => gauss(random));

/** Equal power in every octave: white noise through a row of first-order filters. */
export const pink: NoiseGenerator = (count, random) => {
  const poles = [0.99765, 0.963, 0.57];
  const gains = [0.099046, 0.2965164, 1.0526913];
  const state = [0, 0, 0];
  return Float32Array.from({ length: count }, () => {
    const next = gauss(random);
    let sum = 0.1848 * next;
    for (let i = 0; i < 3; i++) {
      state[i] = poles[i]! * state[i]! + gains[i]! * next;
      sum += state[i]!;
    }
    return sum;
  });
};

export const brown: NoiseGenerator = (count, random) => {
  let level = 0;
  return Float32Array.from({ length: count }, () => {
    level = 0.998 * level + gauss(random);
    return level;
  });
};

/** Mains: 50 or 60 Hz with harmonics, and a little hiss. */
export const hum: NoiseGenerator = (count, random) => {
  const base = random() < 0.5 ? 50 : 60;
  const parts = Array.from({ length: 12 }, (_, i) => ({ level: random() / (i + 1), phase: random() * 6.3 }));
  return Float32Array.from({ length: count }, (_, n) => {
    let sum = 0.003 * gauss(random);
    for (const [i, { level, phase }] of parts.entries()) {
      sum += level * Math.sin((2 * Math.PI * base * (i + 1) * n) / rate + phase);
    }
    return sum;
  });
};

/** Beeps: tones of one frequency that come and go, some sliding. */
export const tones: NoiseGenerator = (count, random) => {
  const sound = new Float32Array(count);
  for (let at = 0; at < count; ) {
    const length = Math.floor(rate * (0.05 + 1.5 * random() ** 2));
    const hertz = 60 * 100 ** random();
    const slide = random() < 0.3 ? (random() - 0.5) * hertz : 0;
    const on = random() < 0.75 ? 1 : 0;
    let phase = 0;
    for (let i = 0; i < length && at < count; i++, at++) {
      phase += (2 * Math.PI * (hertz + (slide * i) / length)) / rate;
      sound[at] = on * Math.sin(phase) * Math.min(1, i / 80, (length - i) / 80);
    }
  }
  return sound;
};

interface Note {
  readonly hertz: number;
  readonly level: number;
  readonly decay: number;
  readonly harmonics: number;
  readonly brightness: number;
}

function strike(sound: Float32Array, at: number, length: number, note: Note): void {
  for (let h = 1; h <= note.harmonics && h * note.hertz < rate / 2; h++) {
    const step = (2 * Math.PI * h * note.hertz) / rate;
    const level = note.level * note.brightness ** (h - 1);
    const end = Math.min(sound.length, at + length);
    for (let n = at; n < end; n++) {
      const t = (n - at) / rate;
      const envelope = Math.min(1, t * 100, (end - n) / 400) * Math.exp(-note.decay * t);
      sound[n] = sound[n]! + level * envelope * Math.sin(step * (n - at));
    }
  }
}

/** Chords, a tune and drums, on a beat. */
export const music: NoiseGenerator = (count, random) => {
  const sound = new Float32Array(count);
  const beat = Math.floor(rate * (0.25 + 0.4 * random()));
  const root = 80 + 160 * random();
  const scale = [0, 2, 3, 5, 7, 8, 10, 12];
  const timbre = {
    decay: 6 * random() ** 2,
    harmonics: 2 + Math.floor(10 * random()),
    brightness: 0.4 + 0.5 * random(),
  };
  const pitch = (degree: number) => root * 2 ** (scale[degree % scale.length]! / 12);
  const drums = random() < 0.6;
  for (let at = 0, bar = 0; at < count; at += beat, bar++) {
    if (bar % 4 === 0) {
      const degree = Math.floor(random() * 5);
      for (const step of [0, 2, 4])
        strike(sound, at, beat * 4, { ...timbre, hertz: pitch(degree + step), level: 0.3 });
    }
    if (random() < 0.7) {
      const length = Math.floor(beat * (0.5 + random()));
      strike(sound, at, length, { ...timbre, hertz: 2 * pitch(Math.floor(random() * 8)), level: 0.4 });
    }
    if (!drums) continue;
    const speed = bar % 2 === 0 ? 15 : 40;
    for (let n = at; n < Math.min(count, at + beat); n++) {
      sound[n] = sound[n]! + 0.4 * gauss(random) * Math.exp((-speed * (n - at)) / rate);
    }
  }
  return sound;
};

/**
 * One instrument alone: a tune of held and gliding notes with vibrato, soft or distorted, its timbre moving
 * as a voice's.
 */
export const solo: NoiseGenerator = (count, random) => {
  const sound = new Float32Array(count);
  const scale = [0, 2, 3, 5, 7, 8, 10, 12, 14, 15];
  const root = 70 * 6 ** random();
  const beat = 0.1 + 0.4 * random();
  const vibrato = random() < 0.5 ? 0 : 0.012 * random();
  const slow = 0.002 + 0.05 * random() ** 2;
  const drive = random() < 0.4 ? 1 + 20 * random() : 0;
  const wah = random() < 0.5 ? 0 : 0.5 + 3 * random();
  const decay = random() < 0.5 ? 0 : 4 * random();
  const rich = 3 + Math.floor(17 * random());
  let hertz = root;
  let goal = root;
  let phase = 0;
  let level = 0;
  let smooth = 0;
  for (let at = 0; at < count; ) {
    const length = Math.floor(rate * beat * (1 + Math.floor(3 * random())));
    const rest = random() < 0.15;
    if (!rest) goal = root * 2 ** (scale[Math.floor(scale.length * random())]! / 12);
    const bright = 0.3 + 0.6 * random();
    for (let n = 0; n < length && at < count; n++, at++) {
      const t = n / rate;
      hertz += (goal - hertz) / (slow * rate);
      phase += (hertz * (1 + vibrato * Math.sin(2 * Math.PI * 5.5 * t))) / rate;
      level += ((rest ? 0 : Math.exp(-decay * t) * Math.min(1, (length - n) / 300)) - level) / (0.005 * rate);
      const moved = wah === 0 ? bright : bright * (0.6 + 0.4 * Math.sin(2 * Math.PI * wah * t));
      const pulse = harmonics(2 * Math.PI * phase, moved, rich);
      const shaped = drive > 0 ? Math.tanh(drive * level * pulse) : level * pulse;
      smooth = 0.5 * smooth + 0.5 * shaped;
      sound[at] = smooth;
    }
  }
  return sound;
};

/** The sum of share^h·cos(h·turn) for h from 1 to `count`, by recurrence. */
function harmonics(turn: number, share: number, count: number): number {
  const twice = 2 * Math.cos(turn);
  let before = 1;
  let now = twice / 2;
  let weight = share;
  let sum = 0;
  for (let h = 1; h <= count; h++) {
    sum += weight * now;
    weight *= share;
    [before, now] = [now, twice * now - before];
  }
  return sum;
}

/** Applause: few or many hands that clap, each short and with a colour of its own. */
export const claps: NoiseGenerator = (count, random) => {
  const sound = new Float32Array(count);
  const dense = 10 * 60 ** random();
  for (let at = 0; at < count; at += Math.ceil((-Math.log(1 - random()) * rate) / dense)) {
    const level = 0.2 + random();
    const speed = 150 + 400 * random();
    const colour = 0.9 * random();
    let before = 0;
    const end = Math.min(count, at + rate / 40);
    for (let n = at; n < end; n++) {
      before = colour * before + gauss(random);
      sound[n] = sound[n]! + level * before * Math.exp((-speed * (n - at)) / rate);
    }
  }
  return sound;
};

/** Knocks and clicks in silence. */
export const knocks: NoiseGenerator = (count, random) => {
  const sound = new Float32Array(count);
  for (let at = Math.floor(rate * random()); at < count; at += Math.floor(rate * (0.1 + random()))) {
    const hertz = 80 + 3000 * random() ** 2;
    const speed = 20 + 300 * random();
    const noisy = random();
    for (let n = at; n < Math.min(count, at + rate / 3); n++) {
      const t = (n - at) / rate;
      const tone = Math.sin(2 * Math.PI * hertz * t);
      sound[n] = sound[n]! + Math.exp(-speed * t) * (noisy * gauss(random) + (1 - noisy) * tone);
    }
  }
  return sound;
};

/** Birds that sing near and far: whistled syllables that glide or trill, in phrases, over wind. */
export const whistles: NoiseGenerator = (count, random) => {
  const sound = (random() < 0.5 ? pink : brown)(count, random);
  const wind = 10 ** (-(5 + 35 * random()) / 20) / (levelOf(sound) || 1);
  for (let at = 0; at < count; at++) sound[at] = wind * sound[at]!;
  for (let birds = 1 + Math.floor(5 * random()); birds > 0; birds--) {
    const song = { base: 350 * 16 ** random(), level: 10 ** -random(), second: 0.5 * random() ** 2 };
    for (let at = Math.floor(3 * rate * random()); at < count; at += Math.floor(5 * rate * random() ** 2)) {
      at = sing(sound, at, song, random);
    }
  }
  return sound;
};

interface Song {
  readonly base: number;
  readonly level: number;
  /** Level of the second harmonic, of the first. */
  readonly second: number;
}

/** Adds a phrase of syllables, some of them repeated; answers where it ends. */
function sing(sound: Float32Array, from: number, { base, level, second }: Song, random: Random): number {
  let at = from;
  for (let syllables = 1 + Math.floor(8 * random()); syllables > 0; syllables--) {
    const length = Math.floor(rate * (0.03 + 0.4 * random() ** 2));
    const gap = Math.floor(rate * (0.01 + 0.15 * random()));
    const low = base * 2 ** (1.2 * (random() - 0.5));
    const glide = 2 ** (1.6 * (random() - 0.5));
    const trill = random() < 0.4 ? 0.15 * random() : 0;
    const turn = (2 * Math.PI * (8 + 50 * random())) / rate;
    for (let times = random() < 0.3 ? 2 + Math.floor(8 * random()) : 1; times > 0; times--) {
      let phase = 0;
      const end = Math.min(sound.length, at + length);
      for (let n = at; n < end; n++) {
        const part = (n - at) / length;
        phase += (2 * Math.PI * low * glide ** part * (1 + trill * Math.sin(turn * (n - at)))) / rate;
        const tone = Math.sin(phase) + second * Math.sin(2 * phase);
        sound[n] = sound[n]! + level * Math.sin(Math.PI * part) ** 0.5 * tone;
      }
      at += length + gap;
    }
  }
  return at;
}

/** Babble noise: six voices played backwards, over each other. */
export function babbleOf(voices: readonly Float32Array[]): NoiseGenerator {
  return (count, random) => {
    const sound = new Float32Array(count);
    for (let voice = 0; voice < 6; voice++) {
      const voice = voices[Math.floor(random() * voices.length)]!;
      const gain = 1 / (levelOf(voice) || 1);
      let at = Math.floor(random() * voice.length);
      for (let n = 0; n < count; n++) {
        sound[n] = sound[n]! + gain * voice[at]!;
        at = at === 0 ? voice.length - 1 : at - 1;
      }
    }
    return sound;
  };
}

/** Root of the mean square. */
export function levelOf(sound: Float32Array): number {
  let sum = 0;
  for (const value of sound) sum += value * value;
  return Math.sqrt(sum / Math.max(1, sound.length));
}

/** `speech` with `noise` so many decibels below it, over the whole length; never louder than 1. */
export function mixed(speech: Float32Array, noise: Float32Array, decibels: number): Float32Array {
  const gain = (levelOf(speech) / (levelOf(noise) || 1)) * 10 ** (-decibels / 20);
  const sound = speech.map((value, at) => value + gain * noise[at]!);
  const most = sound.reduce((peak, value) => Math.max(peak, Math.abs(value)), 1);
  return most > 1 ? sound.map((value) => value / most) : sound;
}

/** The band of a telephone: 300 to 3,400 Hz. */
export function telephone(sound: Float32Array): Float32Array {
  const out = new Float32Array(sound.length);
  for (let n = 0; n < sound.length; n++) {
    let sum = 0;
    const last = Math.min(telephoneTaps.length - 1, n);
    for (let k = 0; k <= last; k++) sum += telephoneTaps[k]! * sound[n - k]!;
    out[n] = sum;
  }
  return out;
}

/** The difference of two low passes, under a Hann window: 3.9 ms late. */
const telephoneTaps = Float64Array.from({ length: 127 }, (_, k) => {
  const at = k - 63;
  const low = (hertz: number) => {
    const share = (2 * hertz) / rate;
    return at === 0 ? share : Math.sin(Math.PI * share * at) / (Math.PI * at);
  };
  return (low(3400) - low(300)) * (0.5 - 0.5 * Math.cos((2 * Math.PI * (k + 1)) / 128));
});
