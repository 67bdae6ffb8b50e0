// The recorded speech beside the checkout, decoded to 16 kHz mono. It is no part of the project; where it is
// missing, measurements that need it are skipped.
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { soundRate } from '../../actors/decoder/contract.ts';
import { startBench } from '../actors.ts';
import { decodeSamples } from '../samples.ts';
import { sized } from '../size.ts';

const shared = fileURLToPath(new URL('../../../shared', import.meta.url));
export const speechFolder = join(shared, 'media/speech');
export const sileroFile = join(shared, 'weights/silero_vad.onnx');

/** Recordings of each kind in the test set. */
const mostOfKind = sized(Number.POSITIVE_INFINITY, 1);

export interface Recording {
  /** File name without its extension. */
  readonly name: string;
  /** 16 kHz, −1 to 1. */
  readonly samples: Float32Array;
}

export interface Corpus {
  /** Voices for training, one recording each: 189 of 251. */
  readonly fit: readonly Recording[];
  /** Voices that are in no other part, and three readings: the test set. */
  readonly test: readonly Recording[];
}

export function hasCorpus(): boolean {
  return existsSync(speechFolder) && existsSync(sileroFile);
}

export async function readCorpus(parts: { readonly fit: boolean }): Promise<Corpus> {
  const bench = startBench(4, 8 * soundRate * Float32Array.BYTES_PER_ELEMENT * 2);
  try {
    const [decoder] = await bench.decoders(1);
    const read = async (paths: readonly string[]) => {
      const recordings: Recording[] = [];
      for (const path of paths) {
        const samples = await decodeSamples(decoder!, bench.pool, path);
        recordings.push({ name: basename(path).replace(/\.\w+$/, ''), samples });
      }
      return recordings;
    };
    const readings = ['jfk.flac', 'two_cities_16k.wav', 'beckett.wav'].map((name) =>
      join(speechFolder, name),
    );
    return {
      fit: parts.fit ? await read(filesIn('librispeech/train-clean-100').filter((_, at) => !isHeld(at))) : [],
      test: await read([
        ...filesIn('librispeech/test-other').slice(0, mostOfKind),
        ...readings.slice(0, mostOfKind),
      ]),
    };
  } finally {
    await bench.stop();
  }
}

/** Every fourth voice, 62 of them, is for measuring alone. `at`: its place among the sorted names. */
function isHeld(at: number): boolean {
  return at % 4 === 0 && at / 4 < 62;
}

function filesIn(folder: string): string[] {
  const path = join(speechFolder, folder);
  return readdirSync(path)
    .filter((name) => name.endsWith('.flac'))
    .sort()
    .map((name) => join(path, name));
}
