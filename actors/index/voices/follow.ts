// Which speakers of a new transcript are the ones of the transcript before: the same sound was heard, so
// whoever speaks at the same time is the same, whatever the ids.

/** A speaker's vector, and who people say it is. */
export interface StoredVoice {
  /** Id in the transcript; empty while nobody there is this voice. */
  readonly speaker: string;
  /** Linked voices have the same; empty for one of which nobody said anything. */
  readonly person: string;
  readonly seconds: number;
  readonly vector: Float32Array;
}

/**
 * Speaking times: columns with one entry for each segment, ascending by start. `speakers`: 0 for nobody, else
 * an index in ids plus 1.
 */
export interface SpeakingTimes {
  readonly starts_ms: Uint32Array;
  readonly ends_ms: Uint32Array;
  readonly speakers: Uint32Array;
  readonly speakerIds: readonly string[];
}

/** Cosine from which two vectors of the same sound are one voice: those of two voices are far below. */
const surelySame = 0.8;

/** The pairs that share most of the time of the first one, longest first, nobody twice. */
export function sameSpeakers(before: SpeakingTimes, now: SpeakingTimes): Map<string, string> {
  const shared = sharedTimes(before, now);
  const whole = new Map<number, number>();
  for (const [at, speaker] of before.speakers.entries()) {
    whole.set(speaker, (whole.get(speaker) ?? 0) + before.ends_ms[at]! - before.starts_ms[at]!);
  }
  const pairs = new Map<string, string>();
  const usedSpeakers = new Set<number>();
  for (const { oldSpeaker, newSpeaker, ms } of shared.sort((a, b) => b.ms - a.ms)) {
    const id = before.speakerIds[oldSpeaker - 1]!;
    if (pairs.has(id) || usedSpeakers.has(newSpeaker) || ms * 2 <= whole.get(oldSpeaker)!) continue;
    pairs.set(id, now.speakerIds[newSpeaker - 1]!);
    usedSpeakers.add(newSpeaker);
  }
  return pairs;
}

function sharedTimes(
  before: SpeakingTimes,
  now: SpeakingTimes,
): { oldSpeaker: number; newSpeaker: number; ms: number }[] {
  const width = now.speakerIds.length + 1;
  const times = new Map<number, number>();
  let first = 0;
  for (const [at, newSpeaker] of now.speakers.entries()) {
    const [start, end] = [now.starts_ms[at]!, now.ends_ms[at]!];
    while (first < before.ends_ms.length && before.ends_ms[first]! <= start) first++;
    for (let k = first; k < before.starts_ms.length && before.starts_ms[k]! < end; k++) {
      const ms = Math.min(end, before.ends_ms[k]!) - Math.max(start, before.starts_ms[k]!);
      const oldSpeaker = before.speakers[k]!;
      if (ms <= 0 || oldSpeaker === 0 || newSpeaker === 0) continue;
      times.set(oldSpeaker * width + newSpeaker, (times.get(oldSpeaker * width + newSpeaker) ?? 0) + ms);
    }
  }
  return Array.from(times, ([pair, ms]) => ({
    oldSpeaker: Math.floor(pair / width),
    newSpeaker: pair % width,
    ms,
  }));
}

/**
 * The voices of a new transcript with who people said they are. One that nobody is now is kept with an empty
 * id while a person is known of it, for the time when it is heard again. `isComparable`: vectors of both are
 * of one model.
 */
export function followed(
  before: readonly StoredVoice[],
  fresh: readonly StoredVoice[],
  pairs: ReadonlyMap<string, string>,
  isComparable: boolean,
): StoredVoice[] {
  const people = new Map<string, string>();
  const unmatchedVoices = before.filter(({ person, speaker }) => {
    const now = speaker === '' ? undefined : pairs.get(speaker);
    if (person === '' || now === undefined || !fresh.some((voice) => voice.speaker === now))
      return person !== '';
    people.set(now, person);
    return false;
  });
  const lostVoices = unmatchedVoices.filter(({ person, vector }) => {
    const free = isComparable ? fresh.filter(({ speaker }) => !people.has(speaker)) : [];
    const best = free.reduce<StoredVoice | null>(
      (a, b) => (a !== null && dot(a.vector, vector) >= dot(b.vector, vector) ? a : b),
      null,
    );
    if (best === null || dot(best.vector, vector) < surelySame) return true;
    people.set(best.speaker, person);
    return false;
  });
  const keptVoices = isComparable ? lostVoices.map((voice) => ({ ...voice, speaker: '' })) : [];
  return [...fresh.map((voice) => ({ ...voice, person: people.get(voice.speaker) ?? '' })), ...keptVoices];
}

export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k]! * b[k]!;
  return sum;
}
