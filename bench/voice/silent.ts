// Mistakes of voice detectors in sounds without speech: noises made by a program, and recordings of
// music, animals, traffic and weather that were never trained on.
import type { Row } from '../row.ts';
import { sized } from '../size.ts';
import { type Pair, regionsOf, secondsOf } from './detect.ts';
import type { RecordedSound } from './recordings.ts';
import {
  brown,
  claps,
  hum,
  knocks,
  levelOf,
  music,
  type NoiseGenerator,
  pink,
  randomOf,
  rate,
  solo,
  tones,
  white,
} from './sounds.ts';

interface Heard {
  own: number;
  silero: number;
  /** Seconds of sound. */
  all: number;
}

async function hear({ own, silero }: Pair, samples: Float32Array): Promise<Heard> {
  return {
    own: secondsOf(await regionsOf(own, samples)),
    silero: secondsOf(await regionsOf(silero, samples)),
    all: samples.length / rate,
  };
}

function row(name: string, heard: readonly Heard[], most: number | null): Row {
  const share = (of: 'own' | 'silero') =>
    (100 * heard.reduce((sum, entry) => sum + entry[of], 0)) /
    heard.reduce((sum, entry) => sum + entry.all, 0);
  return {
    question: 'voice',
    name: `own detector: heard as speech in ${name}`,
    value: share('own'),
    unit: '%',
    against: { name: 'Silero', value: share('silero') },
    ratio: null,
    goal: most === null ? null : { of: 'value', at: 'most', than: most },
  };
}

/** At six levels of 20 s each. */
export async function syntheticRows(pair: Pair, say: (text: string) => void): Promise<Row[]> {
  const silence: NoiseGenerator = (count) => new Float32Array(count);
  const never = {
    silence,
    'white noise': white,
    'pink noise': pink,
    'brown noise': brown,
    tones,
    hum,
    knocks,
  };
  const rows: Row[] = [];
  const some = { 'applause, synthetic': claps, 'music, synthetic': music, 'a solo, synthetic': solo };
  for (const [name, make] of Object.entries({ ...never, ...some })) {
    say(name);
    const heard: Heard[] = [];
    for (let seed = 0; seed < sized(6, 1); seed++) {
      const sound = make(sized(20, 2) * rate, randomOf(1000 + seed));
      const gain = (0.2 * 10 ** (-seed / 3)) / (levelOf(sound) || 1);
      heard.push(
        await hear(
          pair,
          sound.map((value) => Math.max(-1, Math.min(1, value * gain))),
        ),
      );
    }
    rows.push(row(name, heard, name in never ? 0 : 10));
  }
  return rows;
}

/** One row for each kind of sound, one for each piece of music, and their mean and spread. */
export async function recordedRows(
  pair: Pair,
  sounds: readonly RecordedSound[],
  say: (text: string) => void,
): Promise<Row[]> {
  const kinds = new Map<string, Heard[]>();
  const tracks: Row[] = [];
  for (const { kind, name, samples } of sounds) {
    say(name);
    const heard = await hear(pair, samples);
    kinds.set(kind, [...(kinds.get(kind) ?? []), heard]);
    if (kind === 'music') tracks.push(row(`recorded music: ${name}`, [heard], null));
  }
  const rows = [...kinds].map(([kind, heard]) => row(`recorded ${kind}`, heard, 10));
  if (tracks.length === 0) return rows;
  const of = (share: (track: Row) => number) => {
    const mean = tracks.reduce((sum, track) => sum + share(track), 0) / tracks.length;
    const square = tracks.reduce((sum, track) => sum + (share(track) - mean) ** 2, 0) / tracks.length;
    return { mean, spread: Math.sqrt(square) };
  };
  const own = of(({ value }) => value);
  const silero = of(({ against }) => against!.value);
  const summary = (name: string, value: number, peerValue: number, goal: Row['goal']): Row => ({
    ...tracks[0]!,
    name: `own detector: heard as speech in recorded music, ${name} over ${tracks.length} pieces`,
    value,
    against: { name: 'Silero', value: peerValue },
    goal,
  });
  return [
    ...rows,
    summary('mean', own.mean, silero.mean, { of: 'value', at: 'most', than: 10 }),
    summary('standard deviation', own.spread, silero.spread, null),
    ...tracks,
  ];
}
