// What people say of voices: that some are one person, or that they are not. Each change is one transaction.
import { type VoiceRef, voiceErrors } from '../../voices/contract.ts';
import type { Writes } from '../environment.ts';
import { personKey } from '../names.ts';
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

/** The voices of a transaction as they are changed. */
export class Linking {
  readonly #writes: Writes;
  readonly #file: string;

  constructor(writes: Writes, file: string) {
    this.#writes = writes;
    this.#file = file;
  }

  /** The person of a voice; empty for none. NO_VOICE naming the field. */
  personOf({ hash_str, speaker }: VoiceRef, field: string): string {
    const voice = this.#media(hash_str)?.voices.find((one) => one.speaker === speaker);
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
    const known = this.personOf(voice, field);
    return known === '' ? this.#become(voice, newPerson()) : known;
  }

  #become({ hash_str, speaker }: VoiceRef, person: string): string {
    const media = this.#media(hash_str)!;
    const voices = media.voices.map((one) => (one.speaker === speaker ? { ...one, person } : one));
    putVoices(this.#writes, { ...media, voices });
    const before = personIn(this.#writes, person, this.#file);
    putPerson(this.#writes, person, { ...before, hashes: [...before.hashes, hash_str] });
    return person;
  }

  /** The person that all of them are now. What held them apart is forgotten: the later word counts. */
  join(voices: readonly VoiceRef[]): string {
    const people = new Set(voices.map((voice, i) => this.#ownPerson(voice, `voices[${i}]`)));
    const [person, ...others] = people as unknown as [string, ...string[]];
    for (const other of others) this.#absorb(person, other);
    const { hashes, apart } = personIn(this.#writes, person, this.#file);
    const free = apart.filter((one) => !people.has(one));
    putPerson(this.#writes, person, { hashes, apart: free });
    return person;
  }

  #absorb(person: string, other: string): void {
    const gone = personIn(this.#writes, other, this.#file);
    for (const hash of gone.hashes) {
      const media = this.#media(hash);
      if (media === null) continue;
      const voices = media.voices.map((one) => (one.person === other ? { ...one, person } : one));
      putVoices(this.#writes, { ...media, voices });
    }
    const own = personIn(this.#writes, person, this.#file);
    const apart = [...own.apart, ...gone.apart].filter((one) => one !== person && one !== other);
    putPerson(this.#writes, person, { hashes: [...own.hashes, ...gone.hashes], apart });
    replaceApart(this.#writes, gone.apart, other, person, this.#file);
    this.#writes.remove(personKey(other));
  }

  /** All of them are different people. One that was linked with an earlier one of them leaves that person: answers these. */
  part(voices: readonly VoiceRef[]): VoiceRef[] {
    const people: string[] = [];
    const left: VoiceRef[] = [];
    for (const [i, voice] of voices.entries()) {
      let person = this.#ownPerson(voice, `voices[${i}]`);
      if (people.includes(person)) {
        person = this.#leave(voice, person);
        left.push(voice);
      }
      people.push(person);
    }
    for (const person of people) {
      const { hashes, apart } = personIn(this.#writes, person, this.#file);
      putPerson(this.#writes, person, {
        hashes,
        apart: [...apart, ...people.filter((one) => one !== person)],
      });
    }
    return left;
  }

  #leave(voice: VoiceRef, person: string): string {
    const own = this.#become(voice, newPerson());
    const stays = this.#media(voice.hash_str)!.voices.some((one) => one.person === person);
    if (!stays) leavePerson(this.#writes, person, voice.hash_str, this.#file);
    return own;
  }
}
