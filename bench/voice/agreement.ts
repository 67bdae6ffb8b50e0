// How well our own voice detector agrees with Silero on recorded speech: clean, with noise, over music, by
// telephone, in rooms; and what it finds of files that begin within a word.
import { seeded } from '../diarization/random.ts';
import type { Row } from '../row.ts';
import { throughTelephone } from '../voices/codec.ts';
import { drawSession, heardIn, type Line } from '../voices/session.ts';
import type { Recording } from './corpus.ts';
import { clipped } from './degrade.ts';
import { type Pair, regionsOf } from './detect.ts';
import { type RecordedSound, recordedNoise } from './recordings.ts';
import { agreement, f1, type Region, summed } from './score.ts';
import {
  babbleOf,
  brown,
  mixed,
  type NoiseGenerator,
  pink,
  type Random,
  randomOf,
  rate,
  telephone,
  white,
} from './sounds.ts';

/** How a recording is degraded; null: not at all. */
type Degradation = ((speech: Float32Array, random: Random) => Float32Array) | null;

const noisy =
  (noise: NoiseGenerator, decibels: number): Degradation =>
  (speech, random) =>
    mixed(speech, noise(speech.length, random), decibels);

/** In a drawn room, by a drawn microphone, with its noise 10 to 35 dB below. */
const inRoom =
  (line: Line): Degradation =>
  (speech, random) => {
    const draws = seeded(Math.floor(2 ** 31 * random()));
    const session = { ...drawSession(draws), line };
    return heardIn(session, speech, draws, { noise: session.noise });
  };

/** `sounds`: recorded ones that were never trained on; without them, talk over them is not measured. */
function degradationsOf(
  test: readonly Recording[],
  sounds: readonly RecordedSound[],
): Record<string, Degradation> {
  const babble = babbleOf(test.map(({ samples }) => samples));
  const recorded = (name: string, kind: string, decibels: number) => {
    const some = sounds.filter((sound) => sound.kind === kind);
    return some.length === 0 ? {} : { [name]: noisy(recordedNoise(some, [1, 1]), decibels) };
  };
  return {
    clean: null,
    'white noise at 10 dB': noisy(white, 10),
    'pink noise at 10 dB': noisy(pink, 10),
    'brown noise at 10 dB': noisy(brown, 10),
    'six voices played backwards at 10 dB': noisy(babble, 10),
    'over the telephone': telephone,
    clipped: (speech) => clipped(speech, 1),
    'by telephone, 8 bits': throughTelephone,
    'in rooms': inRoom({ kind: 'direct' }),
    'in rooms, by telephone, 8 bits': inRoom({ kind: 'telephone' }),
    'in rooms, by a codec': inRoom({ kind: 'codec', topHertz: 5000, ratio: 7 }),
    'white noise at 0 dB': noisy(white, 0),
    'pink noise at 0 dB': noisy(pink, 0),
    'brown noise at 0 dB': noisy(brown, 0),
    'six voices played backwards at 0 dB': noisy(babble, 0),
    ...recorded('over music at 10 dB', 'music', 10),
    ...recorded('over music at 0 dB', 'music', 0),
    ...recorded('in traffic at 5 dB', 'traffic', 5),
  };
}

interface Scores {
  /** F1 against Silero on the same sound, on the clean sound, and that of "everything is speech". */
  readonly same: number;
  readonly clean: number;
  readonly all: number;
  /** Share of the first second of speech of each recording that is found. */
  readonly first: number;
}

/** The part of `[start, end)` that lies in regions, in samples. */
function coveredOf(regions: readonly Region[], start: number, end: number): number {
  return regions.reduce((sum, [from, to]) => sum + Math.max(0, Math.min(end, to) - Math.max(start, from)), 0);
}

async function scoresOf(
  { own, silero }: Pair,
  recordings: readonly Recording[],
  clean: readonly (readonly Region[])[],
  degrade: Degradation,
): Promise<Scores> {
  const same = [];
  const without = [];
  const all = [];
  let covered = 0;
  let first = 0;
  const random = randomOf(11);
  for (const [at, { samples }] of recordings.entries()) {
    const sound = degrade ? degrade(samples, random) : samples;
    const regions = await regionsOf(own, sound);
    const reference = degrade ? await regionsOf(silero, sound) : clean[at]!;
    const count = samples.length;
    same.push(agreement(regions, reference, count));
    without.push(agreement(regions, clean[at]!, count));
    all.push(agreement([[0, count]], reference, count));
    const [start, end] = clean[at]![0] ?? [0, 0];
    const until = Math.min(end, start + rate);
    covered += coveredOf(regions, start, until);
    first += until - start;
  }
  return { same: f1(summed(same)), clean: f1(summed(without)), all: f1(summed(all)), first: covered / first };
}

export async function agreementRows(
  pair: Pair,
  test: readonly Recording[],
  sounds: readonly RecordedSound[],
  say: (text: string) => void,
): Promise<Row[]> {
  const rows: Row[] = [];
  const detectedClean: Region[][] = [];
  for (const { samples } of test) detectedClean.push(await regionsOf(pair.silero, samples));
  for (const [name, degrade] of Object.entries(degradationsOf(test, sounds))) {
    say(name);
    const { same, clean, all, first } = await scoresOf(pair, test, detectedClean, degrade);
    const row = (measure: string, unit: string, value: number, goal: Row['goal']): Row => ({
      question: 'voice',
      name: `own detector, ${name}: ${measure}`,
      value,
      unit,
      against: unit === 'F1' ? { name: 'everything is speech', value: all } : null,
      ratio: unit === 'F1' ? value / all : null,
      goal,
    });
    const least = {
      of: 'value',
      at: 'least',
      than: name.includes('0 dB') && !name.includes('10 dB') ? 0.8 : 0.9,
    } as const;
    rows.push(row('frame F1 against Silero on the same sound', 'F1', same, least));
    if (degrade) rows.push(row('frame F1 against Silero on the clean sound', 'F1', clean, least));
    rows.push(row('found of the first second of speech', '%', 100 * first, null));
  }
  return rows;
}

/** The share of the first second that is found where a file begins a quarter of a second into a phrase. */
export async function beginningRows(
  { own, silero }: Pair,
  test: readonly Recording[],
  say: (text: string) => void,
): Promise<Row[]> {
  const rows: Row[] = [];
  const degradations: Record<string, NonNullable<Degradation>> = {
    clean: (speech) => speech,
    'over the telephone': telephone,
    'by telephone, 8 bits': throughTelephone,
  };
  for (const [name, degrade] of Object.entries(degradations)) {
    say(`files that begin within a word, ${name}`);
    const covered = { own: 0, silero: 0, all: 0 };
    for (const { samples } of test) {
      const phrases = await regionsOf(silero, samples);
      const phrase = phrases.find(([start, end]) => end - start >= 1.25 * rate);
      if (!phrase) continue;
      const cut = degrade(samples.slice(phrase[0] + rate / 4), randomOf(11));
      covered.own += coveredOf(await regionsOf(own, cut), 0, rate);
      covered.silero += coveredOf(await regionsOf(silero, cut), 0, rate);
      covered.all += rate;
    }
    rows.push({
      question: 'voice',
      name: `own detector, ${name}: found of the first second of files that begin within a word`,
      value: (100 * covered.own) / covered.all,
      unit: '%',
      against: { name: 'Silero', value: (100 * covered.silero) / covered.all },
      ratio: null,
      goal: null,
    });
  }
  return rows;
}
