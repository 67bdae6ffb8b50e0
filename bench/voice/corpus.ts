// The speech beside the checkout, decoded to 16 kHz mono and read once. It is no part of the project; where it is missing,
// what needs it is left out.
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { soundRate } from '../../actors/decoder/contract.ts';
import { type Decoder, startBench } from '../actors.ts';

const shared = fileURLToPath(new URL('../../../shared', import.meta.url));
export const speechFolder = join(shared, 'media/speech');
export const sileroFile = join(shared, 'weights/silero_vad.onnx');

export interface Recording {
  /** Without its ending. */
  readonly name: string;
  /** 16 kHz, −1 to 1. */
  readonly samples: Float32Array;
}

export interface Corpus {
  /** 251 voices, one recording each: to learn from. */
  readonly train: readonly Recording[];
  /** Voices that are in no other part, and three readings: to be judged by. */
  readonly test: readonly Recording[];
}

export function hasCorpus(): boolean {
  return existsSync(speechFolder) && existsSync(sileroFile);
}

export async function readCorpus(parts: { readonly train: boolean }): Promise<Corpus> {
  const bench = startBench(4, 8 * soundRate * Float32Array.BYTES_PER_ELEMENT * 2);
  try {
    const [decoder] = await bench.decoders(1);
    const read = async (paths: readonly string[]) => {
      const found: Recording[] = [];
      for (const path of paths) found.push(await decode(decoder!, bench.pool, path));
      return found;
    };
    const readings = ['jfk.flac', 'two_cities_16k.wav', 'beckett.wav'].map((name) =>
      join(speechFolder, name),
    );
    return {
      train: parts.train ? await read(filesIn('librispeech/train-clean-100')) : [],
      test: await read([...filesIn('librispeech/test-other'), ...readings]),
    };
  } finally {
    await bench.stop();
  }
}

function filesIn(folder: string): string[] {
  const path = join(speechFolder, folder);
  return readdirSync(path)
    .filter((name) => name.endsWith('.flac'))
    .sort()
    .map((name) => join(path, name));
}

async function decode(
  decoder: Decoder,
  pool: ReturnType<typeof startBench>['pool'],
  path: string,
): Promise<Recording> {
  const blocks: Float32Array[] = [];
  for await (const { samples, count } of decoder.feed('sound', { path, channels: null })) {
    const { buffer, byteOffset } = pool.view(samples);
    blocks.push(new Float32Array(buffer, byteOffset, count).slice());
  }
  const whole = new Float32Array(blocks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const block of blocks) {
    whole.set(block, at);
    at += block.length;
  }
  return { name: basename(path).replace(/\.\w+$/, ''), samples: whole };
}
