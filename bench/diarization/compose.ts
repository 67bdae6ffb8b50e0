// Composes conversations of recorded voices, with their reference turns: turns, pauses and, when wanted,
// overlap. The same seed gives the same conversation.

import { sized } from '../size.ts';
import { type Random, seeded } from './random.ts';
import type { Turn } from './score.ts';

export const rate = 16_000;

/** Samples at 16 kHz, -1 to 1, *borrowed*: composing copies. */
export interface Voice {
  readonly name: string;
  /** One recording each, in which only this voice speaks. */
  readonly pieces: readonly Float32Array[];
}

export interface Composition {
  readonly seed: number;
  /** Speech at most this long, in seconds; less when the voices have less to say. */
  readonly seconds: number;
  /** Seconds of a turn and of the pause after it. */
  readonly turn: readonly [number, number];
  readonly pause: readonly [number, number];
  /** Share of the speaking time in which two speak, 0 to 0.5. */
  readonly overlap: number;
}

export interface Conversation {
  readonly samples: Float32Array;
  /** Turns of the speakers; a silence of 0.3 s inside a turn is no speech. */
  readonly turns: readonly Turn[];
}

export const usual: Omit<Composition, 'seed'> = {
  seconds: sized(300, 20),
  turn: [1.5, 8],
  pause: [0.1, 1.2],
  overlap: 0,
};

/** Root mean square of every voice while it speaks: about -26 dBFS. */
const loudness = 0.05;
/** Noise of the room, so that pauses are not digital zeros: about -66 dBFS. */
const roomNoise = 5e-4;
const fade = 80;

/** Every voice speaks at least once when it has a recording that is long enough. */
export function compose(voices: readonly Voice[], plan: Composition): Conversation {
  const random = seeded(plan.seed);
  const sources = voices.map((voice) => new TurnSource(voice, random));
  const placed: { start: number; samples: Float32Array; name: string }[] = [];
  let clock = rate / 2;
  let spoken = 0;
  let shared = 0;
  let before: TurnSource | null = null;
  let waiting = random.shuffled(sources);
  while (spoken < plan.seconds * rate) {
    const others: TurnSource[] = sources.filter((source) => source !== before && source.hasMore());
    // First each voice once, then by chance.
    waiting = waiting.filter((source) => others.includes(source));
    const source: TurnSource | undefined = waiting.shift() ?? others[random.below(others.length)];
    if (!source) break;
    const samples = source.next(random.between(...plan.turn) * rate);
    if (!samples) continue;
    const last = placed.at(-1);
    const owed = plan.overlap * (spoken + samples.length) - shared;
    const most = Math.min(2.5 * rate, samples.length / 2, (last?.samples.length ?? 0) / 2);
    const meet = last && owed > 0.5 * rate && most > 0.5 * rate;
    const gap = meet ? -Math.min(most, Math.max(0.5 * rate, owed)) : random.between(...plan.pause) * rate;
    const start = Math.round(last ? Math.max(last.start, clock + gap) : clock);
    if (start < clock) shared += Math.min(clock, start + samples.length) - start;
    placed.push({ start, samples, name: source.name });
    clock = Math.max(clock, start + samples.length);
    spoken += samples.length;
    before = source;
  }
  return mix(placed, clock + rate / 2, random);
}

function mix(
  placed: readonly { start: number; samples: Float32Array; name: string }[],
  length: number,
  random: Random,
): Conversation {
  const samples = new Float32Array(length);
  for (let at = 0; at < length; at++) samples[at] = random.between(-roomNoise, roomNoise) * 1.7;
  const turns: Turn[] = [];
  for (const piece of placed) {
    for (let at = 0; at < piece.samples.length; at++) {
      const edge = Math.min(1, at / fade, (piece.samples.length - at) / fade);
      samples[piece.start + at]! += piece.samples[at]! * edge;
    }
    for (const [from, to] of speechIn(piece.samples)) {
      turns.push({ start: (piece.start + from) / rate, end: (piece.start + to) / rate, speaker: piece.name });
    }
  }
  turns.sort((a, b) => a.start - b.start);
  return { samples, turns };
}

/** The turns of one voice: its recordings in order; no turn spans two of them. */
class TurnSource {
  readonly name: string;
  readonly #pieces: { samples: Float32Array; at: number; end: number }[];
  readonly #gain: number;

  constructor({ name, pieces }: Voice, random: Random) {
    this.name = name;
    const trimmed = pieces.map((samples) => {
      const speech = speechIn(samples);
      return { samples, at: speech[0]?.[0] ?? 0, end: speech.at(-1)?.[1] ?? 0, speech };
    });
    const power = trimmed.flatMap(({ samples, speech }) =>
      speech.map(([from, to]) => [samples.subarray(from, to).reduce((sum, x) => sum + x * x, 0), to - from]),
    );
    const energy = power.reduce((sum, [of]) => sum + of!, 0);
    const count = power.reduce((sum, [, of]) => sum + of!, 0);
    this.#gain = energy > 0 ? loudness / Math.sqrt(energy / count) : 1;
    this.#pieces = random.shuffled(trimmed);
  }

  hasMore(): boolean {
    return this.#pieces.length > 0;
  }

  /**
   * About `target` samples, cut where it is quiet. Null when the recording's rest was too short to be a turn.
   */
  next(target: number): Float32Array | null {
    const piece = this.#pieces[0]!;
    const remainingSamples = piece.end - piece.at;
    const count =
      remainingSamples - target < 1.5 * rate
        ? remainingSamples
        : quietNear(piece.samples, piece.at + target) - piece.at;
    const start = piece.at;
    piece.at += count;
    if (piece.end - piece.at < 1.5 * rate) this.#pieces.shift();
    if (count < 1.2 * rate) return null;
    const [first] = speechIn(piece.samples.subarray(start, start + count));
    return piece.samples.slice(start + (first?.[0] ?? 0), start + count).map((x) => x * this.#gain);
  }
}

/** The sample within 0.3 s of `at` around which 40 ms are quietest. */
export function quietNear(samples: Float32Array, at: number): number {
  let best = Math.round(at);
  let least = Number.POSITIVE_INFINITY;
  for (let around = Math.round(at) - 4800; around <= at + 4800; around += 160) {
    const energy = samples.subarray(around - 320, around + 320).reduce((sum, x) => sum + x * x, 0);
    if (energy < least) {
      least = energy;
      best = around;
    }
  }
  return best;
}

const hop = 160;

/**
 * Where a clean recording of one voice is speech, by level: samples, half-open. Silences under 0.3 s belong
 * to it. This is the reference of the scorer, not a detector: it may look at the whole recording.
 */
export function speechIn(samples: Float32Array): [number, number][] {
  const levels = frameLevels(samples);
  const sorted = [...levels].sort((a, b) => a - b);
  const high = sorted[Math.floor(sorted.length * 0.95)] ?? 0;
  const low = sorted[Math.floor(sorted.length * 0.05)] ?? 0;
  const least = Math.max(high - 35, low + 0.25 * (high - low));
  const regions: [number, number][] = [];
  levels.forEach((level, frame) => {
    if (level < least) return;
    const from = Math.max(0, (frame - 3) * hop);
    const to = Math.min(samples.length, (frame + 4) * hop);
    const last = regions.at(-1);
    if (last && from - last[1] < 0.3 * rate) last[1] = to;
    else regions.push([from, to]);
  });
  return regions.filter(([from, to]) => to - from > 0.15 * rate);
}

/** Decibels of 25 ms every 10 ms. */
function frameLevels(samples: Float32Array): number[] {
  const levels: number[] = [];
  for (let at = 0; at + 400 <= samples.length; at += hop) {
    let energy = 0;
    for (let i = at; i < at + 400; i++) energy += samples[i]! * samples[i]!;
    levels.push(10 * Math.log10(energy / 400 + 1e-10));
  }
  return levels;
}
