// Speakers that subtitles name, as speakers of a transcript: an id each in the order of appearance, and the
// name as its display name.
import type { Segment } from '../../../transcriber/contract.ts';

export interface IdentifiedSegments {
  readonly segments: readonly Segment[];
  /** The name that the subtitles give, by id. */
  readonly names: Readonly<Record<string, string>>;
  /** Speakers that are named. */
  readonly count: number;
}

export const speakerId = (number: number): string => `SPEAKER_${String(number).padStart(2, '0')}`;

/** Subtitles that were made of a transcript may have ids for names. */
const isId = (name: string) => /^SPEAKER_\d{2,}$/.test(name);

export function identifySpeakers(segments: readonly Segment[]): IdentifiedSegments {
  const said = new Set(segments.flatMap(({ speaker }) => speaker ?? []));
  const ids = new Map<string, string>();
  let next = 0;
  for (const name of said) {
    if (isId(name)) ids.set(name, name);
    else {
      while (said.has(speakerId(next))) next++;
      ids.set(name, speakerId(next++));
    }
  }
  const named = [...ids].filter(([name, id]) => name !== id).map(([name, id]) => [id, name] as const);
  return {
    segments: segments.map((one) => ({ ...one, speaker: ids.get(one.speaker ?? '') ?? null })),
    names: Object.fromEntries(named),
    count: said.size,
  };
}

/**
 * Names for voices: each gets the name that most of what it says has in the subtitles, and no name two
 * voices.
 */
export function namesOfVoices(
  segments: readonly Segment[],
  voices: readonly (string | null)[],
): Record<string, string> {
  const seconds = new Map<string, { readonly voice: string; readonly name: string; seconds: number }>();
  for (const [i, { speaker: name, start_seconds, end_seconds }] of segments.entries()) {
    const voice = voices[i] ?? null;
    if (name === null || voice === null || isId(name)) continue;
    const key = JSON.stringify([voice, name]);
    const pair = seconds.get(key) ?? { voice, name, seconds: 0 };
    pair.seconds += end_seconds - start_seconds;
    seconds.set(key, pair);
  }
  const names: Record<string, string> = {};
  const given = new Set<string>();
  for (const { voice, name } of [...seconds.values()].sort((a, b) => b.seconds - a.seconds)) {
    if (Object.hasOwn(names, voice) || given.has(name)) continue;
    names[voice] = name;
    given.add(name);
  }
  return names;
}

/** What to say when there are fewer speakers than were asked for; undefined when there are not. */
export function fewerSpeakers(asked: number | string, found: number | null): string | undefined {
  if (typeof asked !== 'number' || found === null || found >= asked) return undefined;
  const were = `${asked} ${asked === 1 ? 'speaker was' : 'speakers were'} expected`;
  return `${were}, but ${found === 0 ? 'none' : `only ${found}`} could be told apart`;
}
