// Transcripts for tests: segments from texts, and how they came about.
import type { TranscriptMark, TranscriptSegment } from '../../../../actors/index/contract.ts';
import { mediaRecord } from '../footage.ts';
import type { Harness } from '../handlers.ts';

export const mark: TranscriptMark = {
  model_key: 'subtitles',
  language: 'en',
  spoken: 'en',
  channels: null,
  detect_speakers: true,
  speaker_count: 'auto',
};

/** One segment each two seconds; `who` speaks it. */
export function segments(
  texts: readonly string[],
  who: readonly (string | null)[] = [],
): TranscriptSegment[] {
  return texts.map((text, i) => ({
    start_seconds: i * 2,
    end_seconds: i * 2 + 1.5,
    text,
    speaker: who[i] ?? null,
  }));
}

export async function transcribe(
  index: Harness,
  cache_dir: string,
  hash: string,
  said: readonly TranscriptSegment[],
  path?: string,
): Promise<void> {
  await index.call('transcribe', { cache_dir, media: mediaRecord(hash, path), mark, segments: [...said] });
}
