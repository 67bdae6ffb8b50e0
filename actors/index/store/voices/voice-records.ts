// The records of voices: those of each media with its transcript, and what is known of people who have
// several. No record holds all of them, so a change costs what it changes.
import { randomBytes } from 'node:crypto';
import type { SpeakerVoices } from '../../../diarizer/contract.ts';
import { type VoiceRef, voiceErrors } from '../../voices/contract.ts';
import { followed, type StoredVoice } from '../../voices/follow.ts';
import type { Environment, Transaction } from '../environment.ts';
import { readable } from '../faults.ts';
import { personKey, voicesKey, voicesPrefix, voiceUndoKey } from '../names.ts';
import { VoicePersonRow, VoicesRow, VoiceUndoRow } from '../records.ts';
import { seal, sealOf, unseal } from '../table.ts';

export interface MediaVoices {
  readonly hash: string;
  /** The model of the vectors and its version. */
  readonly model: string;
  readonly voices: readonly StoredVoice[];
}

/** Somebody of whom people said something. */
export interface VoiceOwner {
  /** Media in which a voice of this person is, or was. */
  readonly hashes: readonly string[];
  /** Ids of people who are somebody else. */
  readonly apart: readonly string[];
}

type Reader = Pick<Transaction, 'get'>;

export const newPerson = (): string => randomBytes(8).toString('hex');

export function voicesOf(row: VoicesRow): MediaVoices {
  // Written by this program under a checksum.
  const heads = JSON.parse(row.voices_json) as Omit<StoredVoice, 'vector'>[];
  const values = new Float32Array(row.vectors.slice().buffer);
  const d = row.dimensions;
  const voices = heads.map((head, at) => ({ ...head, vector: values.slice(at * d, (at + 1) * d) }));
  return { hash: row.hash_str, model: row.model, voices };
}

/** Null for what is not there, and for what is damaged: the next transcription makes it anew. */
export function voicesIn(reader: Reader, hash: string, file: string): MediaVoices | null {
  const key = voicesKey(hash);
  const bytes = reader.get(key);
  const row = bytes && readable(() => unseal(VoicesRow, key, bytes, file));
  return row ? voicesOf(row) : null;
}

/** Without any voice the record goes. */
export function putVoices(writes: Transaction, { hash, model, voices }: MediaVoices): void {
  const key = voicesKey(hash);
  if (voices.length === 0) {
    writes.remove(key);
    return;
  }
  const dimensions = voices[0]!.vector.length;
  const vectors = new Float32Array(voices.length * dimensions);
  for (const [at, { vector }] of voices.entries()) vectors.set(vector, at * dimensions);
  const heads = voices.map(({ vector: _, ...head }) => head);
  const row = {
    hash_str: hash,
    model,
    dimensions,
    voices_json: JSON.stringify(heads),
    vectors: new Uint8Array(vectors.buffer),
  };
  writes.put(key, seal(VoicesRow, key, row));
}

export function personIn(reader: Reader, id: string, file: string): VoiceOwner {
  const key = personKey(id);
  const bytes = reader.get(key);
  const row = bytes && readable(() => unseal(VoicePersonRow, key, bytes, file));
  return row
    ? { hashes: JSON.parse(row.hashes_json) as string[], apart: JSON.parse(row.apart_json) as string[] }
    : { hashes: [], apart: [] };
}

export function putPerson(writes: Transaction, id: string, { hashes, apart }: VoiceOwner): void {
  const key = personKey(id);
  const row = {
    hashes_json: JSON.stringify([...new Set(hashes)]),
    apart_json: JSON.stringify([...new Set(apart)]),
  };
  writes.put(key, seal(VoicePersonRow, key, row));
}

/** Voices held apart from one person are held apart from another one now, or, for null, from nobody. */
export function replaceApart(
  writes: Transaction,
  of: readonly string[],
  id: string,
  by: string | null,
  file: string,
): void {
  for (const otherId of of) {
    const person = personIn(writes, otherId, file);
    const apart = person.apart.flatMap((candidate) =>
      candidate !== id ? [candidate] : by === null ? [] : [by],
    );
    putPerson(writes, otherId, { ...person, apart });
  }
}

/** Takes media away from a person; whoever has none left is nobody, also to those who were held apart. */
export function leavePerson(writes: Transaction, id: string, hash: string, file: string): void {
  const person = personIn(writes, id, file);
  const hashes = person.hashes.filter((candidate) => candidate !== hash);
  if (hashes.length > 0) putPerson(writes, id, { ...person, hashes });
  else {
    writes.remove(personKey(id));
    replaceApart(writes, person.apart, id, null, file);
  }
}

/** Removes voices of forgotten contents, and the undo state if it mentions them. */
export function removeVoices(writes: Transaction, hash: string, file: string): void {
  const people = new Set(voicesIn(writes, hash, file)?.voices.map(({ person }) => person));
  people.delete('');
  for (const id of people) leavePerson(writes, id, hash, file);
  writes.remove(voicesKey(hash));
  writes.remove(voiceUndoKey);
}

// State before people's last statement about voices, which can be undone until another change.

/** Seals are those of the records as the change left them; null where there is none. */
interface Undo {
  /** Whom it was said of. */
  readonly said: readonly VoiceRef[];
  /** The vectors stay: of each voice of the media, in order, the person before. */
  readonly voices: readonly { hash: string; people: readonly string[]; seal: number | null }[];
  /** People and names: the whole record before, as base64. */
  readonly records: readonly { key: string; before: string | null; seal: number | null }[];
}

/** Makes a change and keeps what was there before, in the place of what was kept of an earlier one. */
export function remembering(
  writes: Transaction,
  file: string,
  change: (writes: Transaction) => readonly VoiceRef[],
): readonly VoiceRef[] {
  const before = new Map<string, Uint8Array | null>();
  const people = new Map<string, readonly string[]>();
  const note = (key: string) => {
    if (before.has(key)) return;
    const bytes = writes.get(key);
    // Bytes of the store may be borrowed until the next read.
    before.set(key, bytes ? Uint8Array.from(bytes) : null);
    const hash = key.startsWith(voicesPrefix) ? key.slice(voicesPrefix.length) : null;
    if (hash !== null) people.set(hash, peopleOf(writes, hash, file));
  };
  const said = change({
    get: (key) => writes.get(key),
    put: (key, value) => {
      note(key);
      writes.put(key, value);
    },
    remove: (key) => {
      note(key);
      writes.remove(key);
    },
  });
  const undo: Undo = {
    said,
    voices: [...people].map(([hash, voicePeople]) => ({
      hash,
      people: voicePeople,
      seal: sealAt(writes, voicesKey(hash)),
    })),
    records: [...before]
      .filter(([key]) => !key.startsWith(voicesPrefix))
      .map(([key, bytes]) => ({
        key,
        before: bytes && Buffer.from(bytes).toString('base64'),
        seal: sealAt(writes, key),
      })),
  };
  writes.put(voiceUndoKey, seal(VoiceUndoRow, voiceUndoKey, { undo_json: JSON.stringify(undo) }));
  return said;
}

/** Whom it was said of. NOTHING_SAID. */
export function takeBack(writes: Transaction, file: string): readonly VoiceRef[] {
  const bytes = writes.get(voiceUndoKey);
  const row = bytes && readable(() => unseal(VoiceUndoRow, voiceUndoKey, bytes, file));
  if (!row) throw voiceErrors.NOTHING_SAID('There is no answer about voices to undo');
  // Written by this program under a checksum.
  const { said, voices, records } = JSON.parse(row.undo_json) as Undo;
  const isSame = ({ key, seal: storedSeal }: { key: string; seal: number | null }) =>
    sealAt(writes, key) === storedSeal;
  const all = [...voices.map((entry) => ({ ...entry, key: voicesKey(entry.hash) })), ...records];
  if (!all.every(isSame)) {
    throw voiceErrors.NOTHING_SAID(
      'The answer cannot be undone: the voices have since been named or transcribed again',
    );
  }
  for (const { hash, people } of voices) {
    const media = voicesIn(writes, hash, file);
    // The next transcription makes what is damaged anew.
    if (media === null) continue;
    const newVoices = media.voices.map((voice, at) => ({ ...voice, person: people[at]! }));
    putVoices(writes, { ...media, voices: newVoices });
  }
  for (const { key, before } of records) {
    if (before === null) writes.remove(key);
    else writes.put(key, Uint8Array.from(Buffer.from(before, 'base64')));
  }
  writes.remove(voiceUndoKey);
  return said;
}

const peopleOf = (writes: Transaction, hash: string, file: string) =>
  (voicesIn(writes, hash, file)?.voices ?? []).map(({ person }) => person);

function sealAt(writes: Transaction, key: string): number | null {
  const bytes = writes.get(key);
  return bytes === undefined ? null : sealOf(bytes);
}

// The voices of an analysis folder: kept with each transcript, and linked by people.

export class StoredVoices {
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

  mediaOf(person: string): readonly string[] {
    const environment = this.#reading();
    return environment === null || person === ''
      ? []
      : personIn(environment, person, environment.file).hashes;
  }

  /**
   * Voices of the next media, ascending by hash, behind `after`; damaged ones are left out. `last`: null at
   * the end.
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
  return speakers.map((speaker, at) => ({
    ...speaker,
    person: '',
    vector: vectors.slice(at * d, (at + 1) * d),
  }));
}

/**
 * Stores the voices of a new transcript in the place of those before; `pairs`: who of before is who now, by
 * id. What people said stays with the voices.
 */
export function replaceVoices(
  writes: Transaction,
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
  const formerPeople = new Set(
    before?.voices.map(({ person }) => person).filter((person) => !there.has(person)),
  );
  for (const person of formerPeople) if (person !== '') leavePerson(writes, person, hash, file);
  putVoices(writes, { hash, model, voices: now });
}
