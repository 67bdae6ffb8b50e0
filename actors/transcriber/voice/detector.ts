// Voice activity detection, block by block: Silero's graph where it is downloaded, else our own small
// network. A detector holds the state of one channel of one session; the graph and the weights are shared.
import type { DetectedSpeech } from '../contract.ts';

export const voiceRate = 16_000;

export interface VoiceDetector {
  /**
   * The next block, 16 kHz, −1 to 1, *borrowed until the promise settles*; `firstSample` is its place in the
   * file. Blocks follow each other without a gap, each after the one before was answered. `settled` is at
   * most half a second behind the end of the block. Throws RangeError for a gap and MODEL_RUN_FAILED.
   */
  push(samples: Float32Array, firstSample: number): Promise<DetectedSpeech>;
  /** The channel has ended: everything is settled. Called once, last. */
  end(): Promise<DetectedSpeech>;
}

export interface VoiceDetectors {
  /** Key of the model in use; null for our own detector, which needs none. */
  readonly modelKey: string | null;
  /** A detector for one channel: a few kilobytes that need no closing. */
  open(): VoiceDetector;
  /** Frees the graph. Called once, when nothing runs. */
  close(): Promise<void>;
}

/** Checks that a block begins where the last one ended; null when there was none. Throws RangeError. */
export function checkContiguous(expected: number | null, firstSample: number): void {
  if (expected === null || expected === firstSample) return;
  throw new RangeError(`A block begins at sample ${firstSample}, the one before ended at ${expected}`);
}

/** Two answers in a row as one. */
export function joinDetected(first: DetectedSpeech, then: DetectedSpeech): DetectedSpeech {
  const speech = [...first.speech];
  const last = speech.at(-1);
  const [next, ...others] = then.speech;
  if (last && next && last[1] === next[0]) speech.splice(-1, 1, [last[0], next[1]], ...others);
  else speech.push(...then.speech);
  return { speech, settled: then.settled };
}
