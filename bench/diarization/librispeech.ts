// Recorded voices of LibriSpeech for measurements, where they lie beside the checkout; they are no part of
// the project.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { soundRate } from '../../actors/decoder/contract.ts';
import { startBench } from '../actors.ts';
import { decodeSamples } from '../samples.ts';
import { sized } from '../size.ts';
import type { Voice } from './compose.ts';

const librispeech = fileURLToPath(new URL('../../../shared/media/speech/librispeech', import.meta.url));
/** Recordings of each voice. */
const mostOfVoice = sized(Number.POSITIVE_INFINITY, 3);
const slotBytes = 16 * soundRate * Float32Array.BYTES_PER_ELEMENT;

/**
 * The voices of a part of LibriSpeech, each with all its recordings, by name; null, with a message, where
 * they are missing. Files are named SPEAKER-CHAPTER-NUMBER.flac.
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
      if ((voices.get(name)?.length ?? 0) >= mostOfVoice) continue;
      const samples = await decodeSamples(decoder!, bench.pool, join(folder, file));
      voices.set(name, [...(voices.get(name) ?? []), samples]);
    }
    return [...voices].map(([name, pieces]) => ({ name, pieces }));
  } finally {
    await bench.stop();
  }
}
