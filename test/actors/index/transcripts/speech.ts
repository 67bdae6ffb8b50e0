// Transcripts for tests: segments from texts, and how they came about.
import assert from 'node:assert/strict';
import type { TranscriptMark, TranscriptSegment } from '../../../../actors/index/transcripts/contract.ts';
import { until } from '../../../until.ts';
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

/** Loads the transcripts of a folder to the end; answers the last report and how many turns it took. */
export async function loadAll(index: Harness, cache_dir: string) {
  let turns = 0;
  let next: number | null = null;
  const { done, load, ...report } = await until(async () => {
    turns++;
    const answer = await index.call('load_transcripts', { cache_dir, load: next });
    next = answer.load;
    return answer.done && answer;
  });
  assert.deepEqual([done, load], [true, next]);
  return { turns, report };
}

/** `hash:segment` of each match, in their order. */
export async function find(index: Harness, cache_dir: string, query: string, more: object = {}) {
  const scope = { hashes: null, ranges: {}, filters: [] };
  const request = { cache_dir, query, speaker_name: null, max_results: 50, scope, ...more };
  const { matches } = await index.call('search_transcripts', request);
  return matches.map(({ hash_str, segment_index }) => `${hash_str}:${segment_index}`);
}
