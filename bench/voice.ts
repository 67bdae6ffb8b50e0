// How well our own voice detector agrees with Silero on voices it was not fitted to, clean and with noise; what both hear
// where nobody speaks; how fast they are.
import { openSession } from '../actors/models/session.ts';
import type { VoiceDetectors } from '../actors/transcriber/voice/detector.ts';
import { ownDetectors } from '../actors/transcriber/voice/own.ts';
import { openSilero } from '../actors/transcriber/voice/silero.ts';
import { createLog } from '../runtime/log.ts';
import { alternate, processorSeconds, type Question, type Row } from './row.ts';
import { hasCorpus, type Recording, readCorpus, sileroFile } from './voice/corpus.ts';
import type { Region } from './voice/scenes.ts';
import { agreement, f1, summed } from './voice/score.ts';
import {
  babbleOf,
  brown,
  hum,
  knocks,
  levelOf,
  type Maker,
  mixed,
  music,
  pink,
  type Random,
  randomOf,
  rate,
  telephone,
  tones,
  white,
} from './voice/sounds.ts';

/** As a service hears: block after block. */
const block = 8 * rate;

async function regionsOf(detectors: VoiceDetectors, samples: Float32Array): Promise<Region[]> {
  const detector = detectors.open();
  const found: Region[] = [];
  for (let at = 0; at < samples.length; at += block) {
    found.push(...(await detector.push(samples.subarray(at, at + block), at)).speech);
  }
  found.push(...(await detector.end()).speech);
  return found;
}

const secondsOf = (regions: readonly Region[]) =>
  regions.reduce((sum, [start, end]) => sum + end - start, 0) / rate;

interface Pair {
  readonly own: VoiceDetectors;
  readonly silero: VoiceDetectors;
}

/** How a recording reaches the ear; null: as it is. */
type Way = ((speech: Float32Array, random: Random) => Float32Array) | null;
const noisy =
  (noise: Maker): Way =>
  (speech, random) =>
    mixed(speech, noise(speech.length, random), 10);

/** Agreement over all recordings heard in this way, against Silero on the same sound and against what it heard without. */
async function heardThrough(
  { own, silero }: Pair,
  recordings: readonly Recording[],
  clean: readonly (readonly Region[])[],
  way: Way,
) {
  const same = [];
  const without = [];
  const all = [];
  const random = randomOf(11);
  for (const [at, { samples }] of recordings.entries()) {
    const sound = way ? way(samples, random) : samples;
    const found = await regionsOf(own, sound);
    const heard = way ? await regionsOf(silero, sound) : clean[at]!;
    const count = samples.length;
    same.push(agreement(found, heard, count));
    without.push(agreement(found, clean[at]!, count));
    all.push(agreement([[0, count]], heard, count));
  }
  return { same: f1(summed(same)), clean: f1(summed(without)), all: f1(summed(all)) };
}

async function agreementRows(pair: Pair, test: readonly Recording[], say: (text: string) => void) {
  const ways: Readonly<Record<string, Way>> = {
    clean: null,
    'white noise at 10 dB': noisy(white),
    'pink noise at 10 dB': noisy(pink),
    'brown noise at 10 dB': noisy(brown),
    'six voices played backwards at 10 dB': noisy(babbleOf(test.map(({ samples }) => samples))),
    'over the telephone': telephone,
  };
  const rows: Row[] = [];
  const heardClean: Region[][] = [];
  for (const { samples } of test) heardClean.push(await regionsOf(pair.silero, samples));
  for (const [name, way] of Object.entries(ways)) {
    say(name);
    const { same, clean, all } = await heardThrough(pair, test, heardClean, way);
    const row = (against: string, value: number): Row => ({
      question: 'voice',
      name: `own detector, ${name}: frame F1 against Silero ${against}`,
      value,
      unit: 'F1',
      against: { name: 'everything is speech', value: all },
      ratio: value / all,
      goal: { of: 'value', at: 'least', than: 0.9 },
    });
    rows.push(row('on the same sound', same));
    if (way) rows.push(row('on the clean sound', clean));
  }
  return rows;
}

/** The share that is heard as speech in sounds without voices, at six levels of 20 s each. */
async function silentRows({ own, silero }: Pair, say: (text: string) => void): Promise<Row[]> {
  const silence: Maker = (count) => new Float32Array(count);
  const never = { silence, 'white noise': white, 'brown noise': brown, tones, hum, knocks };
  const rows: Row[] = [];
  for (const [name, make] of Object.entries({ ...never, 'music, synthetic': music })) {
    say(name);
    const [mine, theirs] = [[] as number[], [] as number[]];
    for (let seed = 0; seed < 6; seed++) {
      const sound = make(20 * rate, randomOf(1000 + seed));
      const gain = (0.2 * 10 ** (-seed / 3)) / (levelOf(sound) || 1);
      const scaled = sound.map((value) => Math.max(-1, Math.min(1, value * gain)));
      mine.push(secondsOf(await regionsOf(own, scaled)));
      theirs.push(secondsOf(await regionsOf(silero, scaled)));
    }
    const share = (seconds: readonly number[]) => (100 * seconds.reduce((sum, one) => sum + one, 0)) / 120;
    rows.push({
      question: 'voice',
      name: `own detector: heard as speech in ${name}`,
      value: share(mine),
      unit: '%',
      against: { name: 'Silero', value: share(theirs) },
      ratio: null,
      goal: { of: 'value', at: 'most', than: name in never ? 0 : 10 },
    });
  }
  return rows;
}

async function speedRows({ own, silero }: Pair, test: readonly Recording[]): Promise<Row[]> {
  const sound = test.at(-2)!.samples;
  const speedOf = (detectors: VoiceDetectors) => async () =>
    sound.length / rate / (await processorSeconds(() => regionsOf(detectors, sound)));
  const speed = await alternate(5, { 'own detector': speedOf(own), Silero: speedOf(silero) });
  return Object.entries(speed).map(([name, value]) => ({
    question: 'voice',
    name: `${name}, by processor time`,
    value,
    unit: '× real time',
    against: { name: 'real time', value: 1 },
    ratio: value,
    goal: name === 'Silero' ? null : { of: 'ratio', at: 'least', than: 300 },
  }));
}

export const voice: Question = async (say) => {
  if (!hasCorpus()) {
    say('the recordings and Silero are not beside the checkout; nothing is measured');
    return [];
  }
  say('decoding');
  const { test } = await readCorpus({ train: false });
  const log = createLog('bench', () => {});
  const open = (source: string | Uint8Array) => openSession(source, { device: 'cpu', threads: 1, log });
  const pair: Pair = { own: ownDetectors(), silero: await openSilero('silero-vad', sileroFile, open) };
  try {
    const rows = await agreementRows(pair, test, say);
    return [...rows, ...(await silentRows(pair, say)), ...(await speedRows(pair, test))];
  } finally {
    await pair.silero.close();
  }
};
