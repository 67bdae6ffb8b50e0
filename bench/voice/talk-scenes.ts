// Talk for the training scenes of our own voice detector: recordings one after the other, close or in drawn
// rooms, over lines and at levels of their own, with noise, music or other sound behind them; and files that
// begin within a word.
import { seeded } from '../diarization/random.ts';
import { drawRoom } from '../voices/room.ts';
import { drawSession, heardIn, type Session } from '../voices/session.ts';
import { addNoise, equalised, faster } from './degrade.ts';
import type { Region } from './score.ts';
import {
  brown,
  hum,
  levelOf,
  music,
  type NoiseGenerator,
  pink,
  type Random,
  rate,
  solo,
  white,
} from './sounds.ts';

export interface LabelledRecording {
  readonly samples: Float32Array;
  /** Speech of the clean recording, by Silero. */
  readonly speech: readonly Region[];
}

export type Behind = Readonly<Record<'music' | 'recorded' | 'babble', NoiseGenerator>>;

/** Sound of talk, before its line and level, and where somebody speaks in it. */
export interface Talk {
  readonly kind: string;
  readonly sound: Float32Array;
  readonly speech: readonly Region[];
}

export interface TalkForm {
  readonly samples: number;
  /** The file begins while somebody speaks. */
  readonly within: boolean;
}

/** Sound behind talk: kind, generator, and how many decibels it is below the talk, at least and at most. */
function backgroundOf(behind: Behind, random: Random): [string, NoiseGenerator, number, number] | null {
  const noises = [white, white, pink, pink, brown, hum];
  const choice = random();
  if (choice < 0.18) return null;
  if (choice < 0.45) return ['noise', noises[Math.floor(random() * noises.length)]!, -5, 30];
  if (choice < 0.57) return ['babble', behind.babble, -2, 30];
  if (choice < 0.8) return ['music', behind.music, -4, 25];
  if (choice < 0.85) return ['synthetic music', random() < 0.5 ? music : solo, -2, 25];
  return ['recorded', behind.recorded, -4, 25];
}

export function talkScene(
  voices: readonly LabelledRecording[],
  behind: Behind,
  form: TalkForm,
  random: Random,
): Talk {
  const isHeldInRooms = random() < 0.45;
  const { sound, speech } = said(voices, form, isHeldInRooms ? sessionsOf(random) : null, random);
  const coloured = isHeldInRooms || random() < 0.5 ? sound : equalised(sound, random);
  const level = levelOf(coloured) || 1;
  const count = form.samples;
  addNoise(coloured, level * 10 ** (-(30 + 40 * random()) / 20), white(count, random));
  const background = backgroundOf(behind, random);
  if (background) {
    const [, make, most, least] = background;
    // Most of them in the louder half, where it is hard.
    const decibels = most + (least - most) * random() ** 1.3;
    addNoise(coloured, level * 10 ** (-decibels / 20), make(count, random));
  }
  const where = `${isHeldInRooms ? 'rooms' : 'talk'}, ${background?.[0] ?? 'alone'}`;
  return { kind: form.within ? `begun ${where}` : where, sound: coloured, speech };
}

/**
 * Draws the session of who speaks next: in half the talks all are in one, else everybody has a room and line
 * of his own.
 */
function sessionsOf(random: Random): () => Session {
  const draws = seeded(Math.floor(2 ** 31 * random()));
  const lines = { telephone: 0.3, codec: 0.3 };
  const shared = drawSession(draws, lines);
  const room = drawRoom(draws);
  const choice = random();
  if (choice < 0.4) return () => ({ ...shared, level: shared.level + draws.between(-4, 4) });
  // On one line each, in one room.
  if (choice < 0.6) return () => ({ ...drawSession(draws, lines), room });
  return () => drawSession(draws, lines);
}

interface Placed {
  readonly sound: Float32Array;
  readonly speech: Region[];
}

/** Recordings one after the other until the scene is full. */
function said(
  voices: readonly LabelledRecording[],
  { samples: count, within }: TalkForm,
  session: (() => Session) | null,
  random: Random,
): Placed {
  const sound = new Float32Array(count);
  const speech: Region[] = [];
  let at = within || random() < 0.4 ? 0 : Math.floor(Math.min(rate * 5, count / 3) * random());
  let isFirst = within;
  while (at < count - rate) {
    const voice = voices[Math.floor(random() * voices.length)]!;
    const speed = random() < 0.4 ? 0.88 + 0.25 * random() : 1;
    const from = isFirst ? placeWithin(voice, random) : random() < 0.5 ? 0 : anywhere(voice, random);
    const clean = faster(voice.samples.subarray(from), speed);
    const end = Math.min(count, at + clean.length);
    const heard = session ? inSession(clean.subarray(0, end - at), session(), random) : near(clean, random);
    for (let n = at; n < Math.min(count, at + heard.length); n++) sound[n]! += heard[n - at]!;
    for (const [start, stop] of voice.speech) {
      const place = (sample: number) => Math.max(at, Math.min(end, at + Math.round((sample - from) / speed)));
      if (place(start) < place(stop)) speech.push([place(start), place(stop)]);
    }
    at = end + Math.floor(rate * (random() < 0.5 ? 0.3 : 6) * random());
    isFirst = false;
  }
  return { sound, speech };
}

const anywhere = ({ samples }: LabelledRecording, random: Random) =>
  Math.floor(random() * samples.length * 0.7);

/** A sample in the midst of speech, half a second before its end at the latest. */
function placeWithin({ samples, speech }: LabelledRecording, random: Random): number {
  const long = speech.filter(([start, end]) => end - start > 0.7 * rate && start < 0.7 * samples.length);
  const region = long[Math.floor(random() * long.length)];
  if (!region) return 0;
  const [start, end] = region;
  return Math.floor(start + (end - start - 0.5 * rate) * random());
}

/** Close to the microphone; two of five are fainter than the others. */
function near(clean: Float32Array, random: Random): Float32Array {
  const gain = (0.1 / (levelOf(clean) || 1)) * 10 ** ((random() < 0.4 ? -14 * random() : 0) / 20);
  return clean.map((value) => gain * value);
}

function inSession(clean: Float32Array, session: Session, random: Random): Float32Array {
  const noise = session.line.kind === 'telephone' && random() < 0.7 ? session.noise : null;
  return heardIn(session, clean, seeded(Math.floor(2 ** 31 * random())), { tail: true, noise });
}
