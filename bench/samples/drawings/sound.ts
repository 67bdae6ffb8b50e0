// Synthesised sounds for the samples, mono. Each function returns a new sound, to be read block by block from
// its start.
import { randomFrom, smooth } from './noise.ts';

/** Fills `samples` (one channel, -1 to 1) with the sound from sample number `start` on. */
export type Fill = (start: number, samples: Float32Array) => void;
export const sampleRate = 48000;

function each(sample: (seconds: number) => number): Fill {
  return (start, samples) => {
    for (let i = 0; i < samples.length; i++) samples[i] = sample((start + i) / sampleRate);
  };
}

/** Low-passed white noise; `share` (0 to 1) is the coefficient of the one-pole filter. */
function rumble(seed: number, share: number): () => number {
  const random = randomFrom(seed);
  let value = 0;
  return () => {
    value += (random() * 2 - 1 - value) * share;
    return value;
  };
}

/** Waves on a shore. */
export function surf(seed: number): Fill {
  const [low, high] = [rumble(seed, 0.03), rumble(seed + 1, 0.35)];
  return each((at) => {
    const swell = 0.35 + 0.65 * Math.sin(at * 1.15) ** 2;
    return low() * 1.5 * swell + high() * 0.16 * swell * swell;
  });
}

/** A car at a constant speed. */
export function engine(seed: number): Fill {
  const wind = rumble(seed, 0.05);
  return each((at) => {
    const turn = 2 * Math.PI * (58 * at + 0.5 * Math.sin(at * 0.8));
    const motor = Math.sin(turn) * 0.2 + Math.sin(turn * 2) * 0.12 + Math.sin(turn * 3.01) * 0.06;
    return motor * (0.9 + 0.1 * Math.sin(at * 13)) + wind() * 0.4;
  });
}

/** Birds over a light wind. */
export function birds(seed: number): Fill {
  const wind = rumble(seed, 0.02);
  const random = randomFrom(seed + 1);
  const calls = Array.from({ length: 60 }, (_, n) => ({
    from: n * 0.55 + random() * 0.5,
    pitch: 2300 + random() * 1700,
    rise: (random() - 0.5) * 2600,
    length: 0.07 + random() * 0.12,
    loud: 0.05 + random() * 0.09,
  }));
  return each((at) => {
    let sum = wind() * 0.5;
    const first = Math.max(0, Math.floor(at / 0.55) - 2);
    for (const call of calls.slice(first, first + 4)) {
      const age = at - call.from;
      if (age < 0 || age > call.length) continue;
      const shape = Math.sin((Math.PI * age) / call.length);
      sum += call.loud * shape * Math.sin(2 * Math.PI * (call.pitch + call.rise * age) * age);
    }
    return sum;
  });
}

/** A fire: a low roar and crackles. */
export function crackle(seed: number): Fill {
  const roar = rumble(seed, 0.02);
  const hiss = rumble(seed + 1, 0.6);
  const random = randomFrom(seed + 2);
  let crack = 0;
  return each((at) => {
    if (random() < 0.00028) crack = 0.25 + random() * 0.7;
    crack *= 0.9965;
    return roar() * (0.8 + 0.2 * Math.sin(at * 3)) + hiss() * crack * 0.9 + hiss() * 0.015;
  });
}

/** A slow melody on a pentatonic scale. */
export function melody(seed: number): Fill {
  const random = randomFrom(seed);
  const scale = [220, 261.63, 293.66, 329.63, 392, 440, 523.25];
  const notes = Array.from({ length: 120 }, () => scale[Math.floor(random() * scale.length)]!);
  const beat = 0.5;
  return each((at) => {
    let sum = 0;
    const now = Math.floor(at / beat);
    for (let n = Math.max(0, now - 2); n <= now; n++) {
      const age = at - n * beat;
      const shape = smooth(0, 0.02, age) * Math.exp(-age * 3.2);
      const turn = 2 * Math.PI * notes[n % notes.length]! * age;
      sum += shape * (Math.sin(turn) * 0.22 + Math.sin(turn * 2) * 0.06);
    }
    return sum;
  });
}
