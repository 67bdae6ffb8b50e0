// Runs voice detectors over whole sounds.
import type { VoiceDetectors } from '../../actors/transcriber/voice/detector.ts';
import type { Region } from './score.ts';
import { rate } from './sounds.ts';

/** Sound arrives in blocks, as in the service. */
const block = 8 * rate;

export interface Pair {
  readonly own: VoiceDetectors;
  readonly silero: VoiceDetectors;
}

export async function regionsOf(detectors: VoiceDetectors, samples: Float32Array): Promise<Region[]> {
  const detector = detectors.open();
  const regions: Region[] = [];
  for (let at = 0; at < samples.length; at += block) {
    regions.push(...(await detector.push(samples.subarray(at, at + block), at)).speech);
  }
  regions.push(...(await detector.end()).speech);
  return regions;
}

export const secondsOf = (regions: readonly Region[]) =>
  regions.reduce((sum, [start, end]) => sum + end - start, 0) / rate;
