// Recorded sounds without speech: music, birds, dogs, applause, traffic and weather. recordings.tsv lists
// them with their authors and licences; none of them is part of the project. Where they are missing, they are
// named.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { soundRate } from '../../actors/decoder/contract.ts';
import { startBench } from '../actors.ts';
import { decodeSamples } from '../samples.ts';
import { faster } from './degrade.ts';
import { levelOf, type NoiseGenerator } from './sounds.ts';

export type SoundKind = 'music' | 'birds' | 'dogs' | 'applause' | 'traffic' | 'weather';

/**
 * `fit`: for training; `refit`: for its second part alone; `aside`: to choose settings by; `test`: to measure
 * by. Nothing of the last two was ever trained on, nor made by somebody whose other sounds were.
 */
export type SoundPart = 'fit' | 'refit' | 'aside' | 'test';

export interface RecordedSound {
  readonly kind: SoundKind;
  /** Title and author. */
  readonly name: string;
  /** 16 kHz, −1 to 1. */
  readonly samples: Float32Array;
}

/** A line of recordings.tsv: a file, or all whose names begin with what stands before the asterisk. */
interface Listed {
  readonly part: string;
  readonly kind: SoundKind;
  readonly folder: string;
  readonly path: string;
  readonly name: string;
}

/** Longer recordings are cut to this length. */
const longest = 180 * soundRate;

/**
 * Holds the files of each repository of the list in a folder OWNER+NAME, at their paths in the repository.
 */
export const recordingsFolder =
  process.env.FRAMEHOUND_BENCH_RECORDINGS ??
  fileURLToPath(new URL('../../../shared/media/recordings', import.meta.url));

/** Paths of the list that are not there. */
export function missingRecordings(part: SoundPart): string[] {
  return listed(part)
    .filter((listing) => filesOf(listing).length === 0)
    .map(({ folder, path }) => join(folder, path));
}

/** All of one part that are there, decoded. Throws for a file that cannot be decoded. */
export async function readRecordings(part: SoundPart): Promise<RecordedSound[]> {
  const bench = startBench(4, 8 * soundRate * Float32Array.BYTES_PER_ELEMENT * 2);
  try {
    const [decoder] = await bench.decoders(1);
    const sounds: RecordedSound[] = [];
    for (const listing of listed(part)) {
      for (const path of filesOf(listing)) {
        const samples = await decodeSamples(decoder!, bench.pool, path);
        sounds.push({ kind: listing.kind, name: listing.name, samples: samples.slice(0, longest) });
      }
    }
    return sounds;
  } finally {
    await bench.stop();
  }
}

/**
 * Pieces of recorded sounds, all equally loud, between two speeds. Every kind is as likely, whatever its
 * length.
 */
export function recordedNoise(
  sounds: readonly RecordedSound[],
  [slowest, fastest]: readonly [number, number],
): NoiseGenerator {
  const kinds = [...new Set(sounds.map(({ kind }) => kind))];
  return (count, random) => {
    const kind = kinds[Math.floor(random() * kinds.length)];
    const some = sounds.filter((sound) => sound.kind === kind);
    const noise = new Float32Array(count);
    for (let at = 0; at < count; ) {
      const { samples } = some[Math.floor(random() * some.length)]!;
      const from = Math.floor(random() * Math.max(1, samples.length - count));
      const piece = faster(samples.subarray(from, from + count), slowest + (fastest - slowest) * random());
      const level = levelOf(piece) || 1;
      const end = Math.min(count, at + piece.length);
      for (let n = at; n < end; n++) noise[n] = piece[n - at]! / level;
      at = end;
    }
    return noise;
  };
}

function listed(part: SoundPart): Listed[] {
  const text = readFileSync(new URL('./recordings.tsv', import.meta.url), 'utf8');
  return text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [of, kind, repository, , path, name] = line.split('\t');
      return {
        part: of!,
        kind: kind as SoundKind,
        folder: repository!.replace('/', '+'),
        path: path!,
        name: name!,
      };
    })
    .filter((entry) => entry.part === part);
}

function filesOf({ folder, path }: Listed): string[] {
  const whole = join(recordingsFolder, folder, path);
  if (!path.endsWith('*')) return existsSync(whole) ? [whole] : [];
  const inside = dirname(whole);
  if (!existsSync(inside)) return [];
  const start = whole.slice(inside.length + 1, -1);
  return readdirSync(inside)
    .filter((name) => name.startsWith(start))
    .sort()
    .map((name) => join(inside, name));
}
