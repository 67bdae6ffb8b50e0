// The names that people gave to the speakers of a transcript, in a record of their own.
import type { Writes } from './environment.ts';
import { readable } from './faults.ts';
import { speakersKey } from './names.ts';
import { SpeakerNames } from './records.ts';
import { seal, unseal } from './table.ts';

/** By id of the speaker. */
export type Names = Readonly<Record<string, string>>;

/** Ids may be anything, `__proto__` too. */
export function nameIn(names: Names, id: string): string | undefined {
  return Object.hasOwn(names, id) ? names[id] : undefined;
}

/** Those of a damaged record are lost, and can be given again. */
export function namesIn(reader: Pick<Writes, 'get'>, hash: string, file: string): Names {
  const key = speakersKey(hash);
  const bytes = reader.get(key);
  if (bytes === undefined) return {};
  const row = readable(() => unseal(SpeakerNames, key, bytes, file));
  return row === null ? {} : (JSON.parse(row.names_json) as Names);
}

export function putNames(writes: Writes, hash: string, names: Names): void {
  const key = speakersKey(hash);
  if (Object.keys(names).length === 0) writes.remove(key);
  else writes.put(key, seal(SpeakerNames, key, { hash_str: hash, names_json: JSON.stringify(names) }));
}

/** An empty name takes the name away. */
export function putName(writes: Writes, hash: string, speaker: string, name: string, file: string): void {
  const names = new Map(Object.entries(namesIn(writes, hash, file)));
  if (name === '') names.delete(speaker);
  else names.set(speaker, name);
  putNames(writes, hash, Object.fromEntries(names));
}
