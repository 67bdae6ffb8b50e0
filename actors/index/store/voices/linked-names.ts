// Names of voices that are linked: one person has one name, wherever it speaks.
import { givenName } from '../../people/person-name.ts';
import { type VoiceRef, voiceErrors } from '../../voices/contract.ts';
import type { Transaction } from '../environment.ts';
import { readable } from '../faults.ts';
import { personKey, speakersKey } from '../names.ts';
import { SpeakerNamesRow } from '../records.ts';
import { seal, unseal } from '../table.ts';
import {
  leavePerson,
  type MediaVoices,
  newPerson,
  personIn,
  putPerson,
  putVoices,
  replaceApart,
  voicesIn,
} from './voice-records.ts';

// The names that people gave to the speakers of a transcript, in a record of their own.

/** Names by id of the speaker. */
export type Names = Readonly<Record<string, string>>;

/** Ids may be anything, `__proto__` too. */
export function nameIn(names: Names, id: string): string | undefined {
  return Object.hasOwn(names, id) ? names[id] : undefined;
}

/** Names of a damaged record are lost, and can be given again. */
export function namesIn(reader: Pick<Transaction, 'get'>, hash: string, file: string): Names {
  const key = speakersKey(hash);
  const bytes = reader.get(key);
  if (bytes === undefined) return {};
  const row = readable(() => unseal(SpeakerNamesRow, key, bytes, file));
  return row === null ? {} : (JSON.parse(row.names_json) as Names);
}

export function putNames(writes: Transaction, hash: string, names: Names): void {
  const key = speakersKey(hash);
  if (Object.keys(names).length === 0) writes.remove(key);
  else writes.put(key, seal(SpeakerNamesRow, key, { hash_str: hash, names_json: JSON.stringify(names) }));
}

/** An empty name takes the name away. */
export function putName(
  writes: Transaction,
  hash: string,
  speaker: string,
  name: string,
  file: string,
): void {
  const names = new Map(Object.entries(namesIn(writes, hash, file)));
  if (name === '') names.delete(speaker);
  else names.set(speaker, name);
  putNames(writes, hash, Object.fromEntries(names));
}

export interface SaidOfVoices {
  readonly voices: readonly VoiceRef[];
  /** Null: the one that one of them has. */
  readonly name: string | null;
  readonly same: boolean;
}

const isOne = (a: VoiceRef, b: VoiceRef) => a.hash_str === b.hash_str && a.speaker === b.speaker;

/**
 * Every voice of the person, or those that were parted. BAD_NAME, TWO_VOICES, NO_VOICE, VOICES_NAMED_APART,
 * NAME_OF_STRANGERS.
 */
export function linkVoices(writes: Transaction, said: SaidOfVoices, file: string): VoiceRef[] {
  const voices = said.voices.filter(
    (voice, at) => said.voices.findIndex((otherVoice) => isOne(voice, otherVoice)) === at,
  );
  const name = givenName(said.name ?? '', 'name') || null;
  if (voices.length < 2)
    throw voiceErrors.TWO_VOICES('voices: at least two voices are required', { field: 'voices' });
  const linking = new Linking(writes, file);
  if (said.same) return joined(writes, linking, voices, name, file);
  if (name !== null) {
    throw voiceErrors.NAME_OF_STRANGERS('name: can be given only when the voices are the same person', {
      field: 'name',
    });
  }
  // A voice that turns out to be somebody else loses the name of the person it was taken for.
  for (const partedVoice of linking.part(voices)) {
    const ownName = knownName(writes, partedVoice, file);
    const others = voices.filter((voice) => !isOne(voice, partedVoice));
    if (others.some((voice) => knownName(writes, voice, file) === ownName)) {
      putName(writes, partedVoice.hash_str, partedVoice.speaker, '', file);
    }
  }
  return [...voices];
}

function joined(
  writes: Transaction,
  linking: Linking,
  voices: readonly VoiceRef[],
  name: string | null,
  file: string,
): VoiceRef[] {
  const all = linking.voicesOf(linking.join(voices));
  const given = [...new Set(all.flatMap((voice) => knownName(writes, voice, file) ?? []))];
  if (name === null && given.length > 1) {
    const what = `name: the voices are named ${given.join(' and ')}; give the name to keep`;
    throw voiceErrors.VOICES_NAMED_APART(what, { field: 'name' });
  }
  const chosenName = name ?? given[0];
  if (chosenName !== undefined) {
    for (const { hash_str, speaker } of all) putName(writes, hash_str, speaker, chosenName, file);
  }
  return all;
}

const knownName = (writes: Transaction, { hash_str, speaker }: VoiceRef, file: string): string | undefined =>
  nameIn(namesIn(writes, hash_str, file), speaker);

/** Names a voice and all that are linked with it: answers the contents. */
export function nameLinked(writes: Transaction, voice: VoiceRef, name: string, file: string): Set<string> {
  const storedVoice = voicesIn(writes, voice.hash_str, file)?.voices.find(
    ({ speaker }) => speaker === voice.speaker,
  );
  const linked = storedVoice?.person ? new Linking(writes, file).voicesOf(storedVoice.person) : [];
  const all = [voice, ...linked];
  for (const { hash_str, speaker } of all) putName(writes, hash_str, speaker, name, file);
  return new Set(all.map(({ hash_str }) => hash_str));
}

/** The names of a transcript, with those that its voices have elsewhere. */
export function rememberedNames(writes: Transaction, hash: string, names: Names, file: string): Names {
  const linking = new Linking(writes, file);
  const all = new Map(Object.entries(names));
  for (const { speaker, person } of voicesIn(writes, hash, file)?.voices ?? []) {
    if (person === '' || speaker === '' || all.has(speaker)) continue;
    const elsewhere = linking.voicesOf(person).filter((voice) => voice.hash_str !== hash);
    const name = elsewhere
      .map((voice) => knownName(writes, voice, file))
      .find((candidate) => candidate !== undefined);
    if (name !== undefined) all.set(speaker, name);
  }
  return Object.fromEntries(all);
}

// People's statements about voices: that some are one person, or that they are not. Each change is one
// transaction.

/** The voices of a transaction as they are changed. */
class Linking {
  readonly #writes: Transaction;
  readonly #file: string;

  constructor(writes: Transaction, file: string) {
    this.#writes = writes;
    this.#file = file;
  }

  /** The person of a voice; empty for none. NO_VOICE naming the field. */
  personOf({ hash_str, speaker }: VoiceRef, field: string): string {
    const voice = this.#media(hash_str)?.voices.find((candidate) => candidate.speaker === speaker);
    if (voice !== undefined) return voice.person;
    const what = `${field}: no voice is stored for ${speaker} of ${hash_str}; transcribe it again with speakers`;
    throw voiceErrors.NO_VOICE(what, { field });
  }

  #media(hash: string): MediaVoices | null {
    return voicesIn(this.#writes, hash, this.#file);
  }

  /** Every voice of a person that is in a transcript now. */
  voicesOf(person: string): VoiceRef[] {
    return personIn(this.#writes, person, this.#file).hashes.flatMap((hash_str) =>
      (this.#media(hash_str)?.voices ?? []).flatMap((voice) =>
        voice.person === person && voice.speaker !== '' ? [{ hash_str, speaker: voice.speaker }] : [],
      ),
    );
  }

  /** A voice gets a person of its own, which it may have already. */
  #ownPerson(voice: VoiceRef, field: string): string {
    const person = this.personOf(voice, field);
    return person === '' ? this.#become(voice, newPerson()) : person;
  }

  #become({ hash_str, speaker }: VoiceRef, person: string): string {
    const media = this.#media(hash_str)!;
    const voices = media.voices.map((voice) => (voice.speaker === speaker ? { ...voice, person } : voice));
    putVoices(this.#writes, { ...media, voices });
    const before = personIn(this.#writes, person, this.#file);
    putPerson(this.#writes, person, { ...before, hashes: [...before.hashes, hash_str] });
    return person;
  }

  /** The person that all of them are now. What held them apart is forgotten: the later word counts. */
  join(voices: readonly VoiceRef[]): string {
    const people = new Set(voices.map((voice, i) => this.#ownPerson(voice, `voices[${i}]`)));
    const [person, ...others] = people as unknown as [string, ...string[]];
    for (const otherPerson of others) this.#absorb(person, otherPerson);
    const { hashes, apart } = personIn(this.#writes, person, this.#file);
    const free = apart.filter((candidate) => !people.has(candidate));
    putPerson(this.#writes, person, { hashes, apart: free });
    return person;
  }

  #absorb(person: string, otherPerson: string): void {
    const otherRecord = personIn(this.#writes, otherPerson, this.#file);
    for (const hash of otherRecord.hashes) {
      const media = this.#media(hash);
      if (media === null) continue;
      const voices = media.voices.map((voice) =>
        voice.person === otherPerson ? { ...voice, person } : voice,
      );
      putVoices(this.#writes, { ...media, voices });
    }
    const ownRecord = personIn(this.#writes, person, this.#file);
    const apart = [...ownRecord.apart, ...otherRecord.apart].filter(
      (candidate) => candidate !== person && candidate !== otherPerson,
    );
    putPerson(this.#writes, person, { hashes: [...ownRecord.hashes, ...otherRecord.hashes], apart });
    replaceApart(this.#writes, otherRecord.apart, otherPerson, person, this.#file);
    this.#writes.remove(personKey(otherPerson));
  }

  /**
   * All of them are different people. One that was linked with an earlier one of them leaves that person:
   * answers these.
   */
  part(voices: readonly VoiceRef[]): VoiceRef[] {
    const people: string[] = [];
    const partedVoices: VoiceRef[] = [];
    for (const [i, voice] of voices.entries()) {
      let person = this.#ownPerson(voice, `voices[${i}]`);
      if (people.includes(person)) {
        person = this.#leave(voice, person);
        partedVoices.push(voice);
      }
      people.push(person);
    }
    for (const person of people) {
      const { hashes, apart } = personIn(this.#writes, person, this.#file);
      putPerson(this.#writes, person, {
        hashes,
        apart: [...apart, ...people.filter((candidate) => candidate !== person)],
      });
    }
    return partedVoices;
  }

  #leave(voice: VoiceRef, person: string): string {
    const ownPerson = this.#become(voice, newPerson());
    const stays = this.#media(voice.hash_str)!.voices.some((candidate) => candidate.person === person);
    if (!stays) leavePerson(this.#writes, person, voice.hash_str, this.#file);
    return ownPerson;
  }
}
