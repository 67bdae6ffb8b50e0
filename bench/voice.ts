// Our own voice detector against Silero: agreement on voices it was not trained on, clean and with noise; false alarms of both
// in sounds without speech; speed.
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
  mixed,
  music,
  type NoiseGenerator,
  pink,
  type Random,
  randomOf,
  rate,
  telephone,
  tones,
  white,
} from './voice/sounds.ts';

/** Sound arrives in blocks, as in the service. */
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

/** How a recording is degraded; null: not at all. */
type Degradation = ((speech: Float32Array, random: Random) => Float32Array) | null;
const noisy =
  (noise: NoiseGenerator): Degradation =>
  (speech, random) =>
    mixed(speech, noise(speech.length, random), 10);

/** Agreement over all degraded recordings with Silero on the same sound, and with Silero on the clean sound. */
async function agreementOf(
  { own, silero }: Pair,
  recordings: readonly Recording[],
  clean: readonly (readonly Region[])[],
  degrade: Degradation,
) {
  const same = [];
  const without = [];
  const all = [];
  const random = randomOf(11);
  for (const [at, { samples }] of recordings.entries()) {
    const sound = degrade ? degrade(samples, random) : samples;
    const found = await regionsOf(own, sound);
    const reference = degrade ? await regionsOf(silero, sound) : clean[at]!;
    const count = samples.length;
    same.push(agreement(found, reference, count));
    without.push(agreement(found, clean[at]!, count));
    all.push(agreement([[0, count]], reference, count));
  }
  return { same: f1(summed(same)), clean: f1(summed(without)), all: f1(summed(all)) };
}

async function agreementRows(pair: Pair, test: readonly Recording[], say: (text: string) => void) {
  const degradations: Readonly<Record<string, Degradation>> = {
    clean: null,
    'white noise at 10 dB': noisy(white),
    'pink noise at 10 dB': noisy(pink),
    'brown noise at 10 dB': noisy(brown),
    'six voices played backwards at 10 dB': noisy(babbleOf(test.map(({ samples }) => samples))),
    'over the telephone': telephone,
  };
  const rows: Row[] = [];
  const detectedClean: Region[][] = [];
  for (const { samples } of test) detectedClean.push(await regionsOf(pair.silero, samples));
  for (const [name, degrade] of Object.entries(degradations)) {
    say(name);
    const { same, clean, all } = await agreementOf(pair, test, detectedClean, degrade);
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
    if (degrade) rows.push(row('on the clean sound', clean));
  }
  return rows;
}

/** False alarms: the share detected as speech in sounds without voices, at six levels of 20 s each. */
async function silentRows({ own, silero }: Pair, say: (text: string) => void): Promise<Row[]> {
  const silence: NoiseGenerator = (count) => new Float32Array(count);
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
