// The records of voices: those of each media with its transcript, and what is known of people who have
// several. No record holds all of them, so a change costs what it changes.
import { randomBytes } from 'node:crypto';
import type { StoredVoice } from '../../voices/follow.ts';
import type { Writes } from '../environment.ts';
import { readable } from '../faults.ts';
import { personKey, voicesKey, voiceUndoKey } from '../names.ts';
import { VoicePerson, Voices } from '../records.ts';
import { seal, unseal } from '../table.ts';

export interface MediaVoices {
  readonly hash: string;
  /** The model of the vectors and its version. */
  readonly model: string;
  readonly voices: readonly StoredVoice[];
}

/** Somebody of whom people said something. */
export interface Person {
  /** Media in which a voice of this person is, or was. */
  readonly hashes: readonly string[];
  /** Ids of people who are somebody else. */
  readonly apart: readonly string[];
}

type Reader = Pick<Writes, 'get'>;

export const newPerson = (): string => randomBytes(8).toString('hex');

export function voicesOf(row: Voices): MediaVoices {
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
  const row = bytes && readable(() => unseal(Voices, key, bytes, file));
  return row ? voicesOf(row) : null;
}

/** Without any voice the record goes. */
export function putVoices(writes: Writes, { hash, model, voices }: MediaVoices): void {
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
  writes.put(key, seal(Voices, key, row));
}

export function personIn(reader: Reader, id: string, file: string): Person {
  const key = personKey(id);
  const bytes = reader.get(key);
  const row = bytes && readable(() => unseal(VoicePerson, key, bytes, file));
  return row
    ? { hashes: JSON.parse(row.hashes_json) as string[], apart: JSON.parse(row.apart_json) as string[] }
    : { hashes: [], apart: [] };
}

export function putPerson(writes: Writes, id: string, { hashes, apart }: Person): void {
  const key = personKey(id);
  const row = {
    hashes_json: JSON.stringify([...new Set(hashes)]),
    apart_json: JSON.stringify([...new Set(apart)]),
  };
  writes.put(key, seal(VoicePerson, key, row));
}

/** Those who were held apart from somebody are so from somebody else now, or, for null, from nobody. */
export function replaceApart(
  writes: Writes,
  of: readonly string[],
  id: string,
  by: string | null,
  file: string,
): void {
  for (const other of of) {
    const person = personIn(writes, other, file);
    const apart = person.apart.flatMap((one) => (one !== id ? [one] : by === null ? [] : [by]));
    putPerson(writes, other, { ...person, apart });
  }
}

/** Takes media away from a person; whoever has none left is nobody, also to those who were held apart. */
export function leavePerson(writes: Writes, id: string, hash: string, file: string): void {
  const person = personIn(writes, id, file);
  const hashes = person.hashes.filter((one) => one !== hash);
  if (hashes.length > 0) putPerson(writes, id, { ...person, hashes });
  else {
    writes.remove(personKey(id));
    replaceApart(writes, person.apart, id, null, file);
  }
}

/** Of contents that are forgotten; what could be taken back may speak of them. */
export function removeVoices(writes: Writes, hash: string, file: string): void {
  const people = new Set(voicesIn(writes, hash, file)?.voices.map(({ person }) => person));
  people.delete('');
  for (const id of people) leavePerson(writes, id, hash, file);
  writes.remove(voicesKey(hash));
  writes.remove(voiceUndoKey);
}
