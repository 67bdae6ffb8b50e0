// A voice that takes part in a talk: it says its recordings, in its room and over its line.
//
// A voice of train-clean-100 has one recording of 12 to 16 s. In a longer talk it says that again, at most as
// often as the plan allows; each time it begins elsewhere, is cut elsewhere, speaks at another tempo and from
// another place in the room.
import { heardIn, type Session, sourceSamples } from '../voices/session.ts';
import { atTempo } from '../voices/tempo.ts';
import { quietNear, rate, speechIn, type Voice } from './compose.ts';
import type { Random } from './random.ts';

export interface Saying {
  /** Without room, line and noise: who speaks when is read from it. */
  readonly clean: Float32Array;
  /** The sound at the microphone; longer than `clean` by what the room adds. */
  readonly heard: Float32Array;
}

const joint = 0.25 * rate;
/** A turn is louder or quieter than the one before, decibels. */
const mood = 1.5;

export class Participant {
  readonly name: string;
  readonly #session: Session;
  readonly #random: Random;
  /** The recordings one after the other, which is said in a circle. */
  readonly #tape: Float32Array;
  #left: number;
  #at: number;
  #lap = 0;
  #tempo: number;

  /** `laps`: how often it may say everything it has. */
  constructor(voice: Voice, session: Session, laps: number, random: Random) {
    this.name = voice.name;
    this.#session = session;
    this.#random = random;
    this.#tape = tapeOf(random.shuffled(voice.pieces));
    this.#left = laps * this.#tape.length;
    this.#at = random.below(Math.max(1, this.#tape.length));
    this.#tempo = session.tempo;
  }

  /** Seconds that it can still say, about. */
  get left(): number {
    return this.#left / rate;
  }

  /** About `seconds`, cut where it is quiet. */
  say(seconds: number): Saying {
    const sampleCount = Math.min(sourceSamples(seconds, this.#tempo), this.#tape.length, this.#left);
    const around = new Float32Array(sampleCount + rate / 2).map(
      (_, at) => this.#tape[(this.#at + at) % this.#tape.length]!,
    );
    const words = around.subarray(0, Math.min(around.length, quietNear(around, sampleCount)));
    const [first, ...others] = speechIn(words);
    const clean = atTempo(
      words.slice(first?.[0] ?? 0, (others.at(-1) ?? first)?.[1] ?? words.length),
      this.#tempo,
    );
    this.#move(words.length);
    const noise = this.#session.line.kind === 'telephone' ? this.#session.noise : null;
    const loud = 10 ** (this.#random.between(-mood, mood) / 20);
    const heard = heardIn(this.#session, clean, this.#random, { tail: true, noise });
    return { clean, heard: heard.map((x) => loud * x) };
  }

  #move(samples: number): void {
    this.#at += samples;
    this.#left -= samples;
    const lap = Math.floor(this.#at / this.#tape.length);
    if (lap === this.#lap) return;
    this.#lap = lap;
    this.#at += this.#random.below(rate);
    this.#tempo = this.#random.between(0.92, 1.08);
  }
}

function tapeOf(recordings: readonly Float32Array[]): Float32Array {
  const parts = recordings.map((samples) => {
    const speech = speechIn(samples);
    return samples.subarray(speech[0]?.[0] ?? 0, speech.at(-1)?.[1] ?? samples.length);
  });
  const tape = new Float32Array(parts.reduce((sum, { length }) => sum + length + joint, 0));
  let at = 0;
  for (const part of parts) {
    tape.set(part, at);
    at += part.length + joint;
  }
  return tape;
}
