// Transcripts with voices for tests: each speaker sounds like a person who is given by number.
import type { SpeakerVoices } from '../../../../actors/diarizer/contract.ts';
import type { TranscriptMark, TranscriptSegment } from '../../../../actors/index/transcripts/contract.ts';
import { mediaRecord, near, randomVector, seeded } from '../footage.ts';
import type { Harness } from '../handlers.ts';

export const d = 32;
const mark: TranscriptMark = {
  model_key: 'subtitles',
  language: 'en',
  spoken: 'en',
  channels: null,
  detect_speakers: true,
  speaker_count: 'auto',
};

/** How a person sounds in a file: a little different in each. */
export const sound = (person: number, file: string) =>
  near(
    randomVector(d, seeded(person * 97 + 3)),
    0.4,
    seeded(file.charCodeAt(0) * 131 + file.charCodeAt(1) + person),
  );

export interface Turn {
  readonly speaker: string | null;
  /** Whole seconds, half-open. */
  readonly from: number;
  readonly to: number;
}

export const turn = (number: number | null, from: number, to: number): Turn => ({
  speaker: number === null ? null : `SPEAKER_0${number}`,
  from,
  to,
});

/** `people`: who each speaker is, in the order of their ids; none: nobody listened. */
export async function spoken(
  index: Harness,
  cache_dir: string,
  hash: string,
  turns: readonly Turn[],
  people: Readonly<Record<string, number>> | null,
  { model = 'm@1', path = `/media/${hash}.wav` } = {},
): Promise<void> {
  const segments = turns.map(({ speaker, from, to }, at): TranscriptSegment => {
    return { start_seconds: from, end_seconds: to, text: ` ${at}`, speaker };
  });
  const ids = Object.keys(people ?? {});
  const vectors = new Float32Array(ids.length * d);
  for (const [at, id] of ids.entries()) vectors.set(sound(people![id]!, hash), at * d);
  const seconds = (id: string) =>
    turns.filter(({ speaker }) => speaker === id).reduce((sum, { from, to }) => sum + to - from, 0);
  const speakers = ids.map((speaker) => ({ speaker, seconds: seconds(speaker) }));
  const voices: SpeakerVoices = { model, speakers, vectors };
  const media = mediaRecord(hash, path);
  await index.call('transcribe', { cache_dir, media, mark, segments, ...(people && { voices }) });
}

export async function suggested(
  index: Harness,
  cache_dir: string,
  hash_str: string,
  number: number,
  limit = 10,
) {
  const request = { cache_dir, hash_str, speaker: `SPEAKER_0${number}`, limit };
  let answer = await index.call('suggest_speakers', request);
  for (let steps = 0; !answer.done && steps < 100; steps++) {
    answer = await index.call('suggest_speakers', { ...request, load: answer.load });
  }
  return answer;
}

/** `hash number` of each, most alike first, those that are alike at all. */
export async function alike(index: Harness, cache_dir: string, hash: string, number: number) {
  const { suggestions } = await suggested(index, cache_dir, hash, number);
  return suggestions
    .filter(({ cosine }) => cosine > 0.6)
    .map(({ hash_str, speaker }) => `${hash_str} ${speaker.at(-1)}`);
}

/** `voices`: as `hash number`. */
export function link(
  index: Harness,
  cache_dir: string,
  voices: readonly string[],
  { name = null, same = true }: { readonly name?: string | null; readonly same?: boolean } = {},
) {
  const refs = voices.map((one) => {
    const [hash_str, number] = one.split(' ') as [string, string];
    return { hash_str, speaker: `SPEAKER_0${number}` };
  });
  return index.call('link_speakers', { cache_dir, voices: refs, name, same });
}

export async function namesOf(index: Harness, cache_dir: string, ...hashes: string[]) {
  const { transcripts } = await index.call('transcripts', { cache_dir, hashes });
  return transcripts.map((transcript) => transcript?.names ?? null);
}
