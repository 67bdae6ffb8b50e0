// Recorded voices for measurements, where they lie beside the checkout; they are no part of the project.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { soundRate } from '../../actors/decoder/contract.ts';
import { type Decoder, startBench } from '../actors.ts';
import type { Voice } from './compose.ts';

const librispeech = fileURLToPath(new URL('../../../shared/media/speech/librispeech', import.meta.url));
const slotBytes = 16 * soundRate * Float32Array.BYTES_PER_ELEMENT;

/**
 * The voices of a part of LibriSpeech, each with all its recordings, by name; null, and said, where they are missing. Files
 * are named SPEAKER-CHAPTER-NUMBER.flac.
 */
export async function readVoices(
  part: 'test-other' | 'train-clean-100',
  say: (text: string) => void,
): Promise<Voice[] | null> {
  const folder = join(librispeech, part);
  if (!existsSync(folder)) {
    say(`${folder} is not there; left out`);
    return null;
  }
  const bench = startBench(8, slotBytes);
  try {
    const [decoder] = await bench.decoders(1);
    const voices = new Map<string, Float32Array[]>();
    for (const file of readdirSync(folder).sort()) {
      if (!file.endsWith('.flac')) continue;
      const name = file.slice(0, file.indexOf('-'));
      const samples = await listen(decoder!, join(folder, file), bench.pool.view);
      voices.set(name, [...(voices.get(name) ?? []), samples]);
    }
    return [...voices].map(([name, pieces]) => ({ name, pieces }));
  } finally {
    await bench.stop();
  }
}

/** The whole sound of a file, mixed to one channel. */
async function listen(
  decoder: Decoder,
  path: string,
  view: (handle: { slot: number; generation: number }) => Uint8Array,
): Promise<Float32Array> {
  const blocks: Float32Array[] = [];
  for await (const { samples, count } of decoder.feed('sound', { path, channels: null }, { credit: 2 })) {
    const bytes = view(samples);
    blocks.push(new Float32Array(bytes.buffer, bytes.byteOffset, count).slice());
  }
  const whole = new Float32Array(blocks.reduce((sum, { length }) => sum + length, 0));
  blocks.reduce((at, block) => {
    whole.set(block, at);
    return at + block.length;
  }, 0);
  return whole;
}
