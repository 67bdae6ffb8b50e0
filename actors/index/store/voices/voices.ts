// The voices of an analysis folder: kept with each transcript, and linked by people.
import type { SpeakerVoices } from '../../../diarizer/contract.ts';
import { followed, type StoredVoice } from '../../voices/follow.ts';
import type { Environment, Writes } from '../environment.ts';
import { readable } from '../faults.ts';
import { voicesPrefix } from '../names.ts';
import { Voices as VoicesRow } from '../records.ts';
import { unseal } from '../table.ts';
import { leavePerson, type MediaVoices, personIn, putVoices, voicesIn, voicesOf } from './voice-records.ts';

export class Voices {
  readonly #reading: () => Environment | null;

  /** `reading`: null when nothing is stored yet. */
  constructor(reading: () => Environment | null) {
    this.#reading = reading;
  }

  /** Null where it is not known how the speakers sound. */
  of(hash: string): MediaVoices | null {
    const environment = this.#reading();
    return environment && voicesIn(environment, hash, environment.file);
  }

  /** People who are somebody else. */
  apartFrom(person: string): readonly string[] {
    const environment = this.#reading();
    return environment === null || person === '' ? [] : personIn(environment, person, environment.file).apart;
  }

  /** Media in which a person has voices. */
  mediaOf(person: string): readonly string[] {
    const environment = this.#reading();
    return environment === null || person === ''
      ? []
      : personIn(environment, person, environment.file).hashes;
  }

  /**
   * Of some media, ascending by hash, behind `after`; damaged ones are left out. `last`: null when there are
   * no more.
   */
  some(after: string | null, limit: number): { readonly media: MediaVoices[]; readonly last: string | null } {
    const environment = this.#reading();
    if (environment === null) return { media: [], last: null };
    const entries = environment.someEntries(voicesPrefix, after, limit);
    const media = entries.flatMap(({ key, value }) => {
      const row = readable(() => unseal(VoicesRow, key, value, environment.file));
      return row === null ? [] : [voicesOf(row)];
    });
    return { media, last: entries.length < limit ? null : entries.at(-1)!.key };
  }
}

/** Vectors as they come from the diarizer. */
function freshVoices({ speakers, vectors }: SpeakerVoices): StoredVoice[] {
  const d = vectors.length / Math.max(1, speakers.length);
  return speakers.map((one, at) => ({ ...one, person: '', vector: vectors.slice(at * d, (at + 1) * d) }));
}

/**
 * Stores the voices of a new transcript in the place of those before; `pairs`: who of before is who now, by
 * id. What people said stays with the voices.
 */
export function replaceVoices(
  writes: Writes,
  hash: string,
  voices: SpeakerVoices | null,
  pairs: ReadonlyMap<string, string>,
  file: string,
): void {
  const before = voicesIn(writes, hash, file);
  if (before === null && voices === null) return;
  const model = voices?.model ?? before!.model;
  const isComparable = before === null || model === before.model;
  const fresh = voices === null ? [] : freshVoices(voices);
  const now = followed(before?.voices ?? [], fresh, pairs, isComparable);
  const there = new Set(now.map(({ person }) => person));
  const gone = new Set(before?.voices.map(({ person }) => person).filter((one) => !there.has(one)));
  for (const person of gone) if (person !== '') leavePerson(writes, person, hash, file);
  putVoices(writes, { hash, model, voices: now });
}
