// Names of voices that are linked: one person has one name, wherever it speaks.
import { givenName } from '../../people/person-name.ts';
import { type VoiceRef, voiceErrors } from '../../voices/contract.ts';
import type { Writes } from '../environment.ts';
import { type Names, nameIn, namesIn, putName } from '../speaker-names.ts';
import { Linking } from './linking.ts';
import { voicesIn } from './voice-records.ts';

export interface SaidOfVoices {
  readonly voices: readonly VoiceRef[];
  /** Null: the one that one of them has. */
  readonly name: string | null;
  readonly same: boolean;
}

const isOne = (a: VoiceRef, b: VoiceRef) => a.hash_str === b.hash_str && a.speaker === b.speaker;

/** Every voice of the person, or those that were parted. BAD_NAME, TWO_VOICES, NO_VOICE, VOICES_NAMED_APART, NAME_OF_STRANGERS. */
export function linkVoices(writes: Writes, said: SaidOfVoices, file: string): VoiceRef[] {
  const voices = said.voices.filter((one, at) => said.voices.findIndex((other) => isOne(one, other)) === at);
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
  // Who is somebody else does not keep the name of whom it was taken for.
  for (const left of linking.part(voices)) {
    const own = knownName(writes, left, file);
    const others = voices.filter((one) => !isOne(one, left));
    if (others.some((one) => knownName(writes, one, file) === own)) {
      putName(writes, left.hash_str, left.speaker, '', file);
    }
  }
  return [...voices];
}

function joined(
  writes: Writes,
  linking: Linking,
  voices: readonly VoiceRef[],
  name: string | null,
  file: string,
): VoiceRef[] {
  const all = linking.voicesOf(linking.join(voices));
  const given = [...new Set(all.flatMap((one) => knownName(writes, one, file) ?? []))];
  if (name === null && given.length > 1) {
    const what = `name: the voices are named ${given.join(' and ')}; give the name to keep`;
    throw voiceErrors.VOICES_NAMED_APART(what, { field: 'name' });
  }
  const wanted = name ?? given[0];
  if (wanted !== undefined) {
    for (const { hash_str, speaker } of all) putName(writes, hash_str, speaker, wanted, file);
  }
  return all;
}

const knownName = (writes: Writes, { hash_str, speaker }: VoiceRef, file: string): string | undefined =>
  nameIn(namesIn(writes, hash_str, file), speaker);

/** Names a voice and all that are linked with it: answers the contents. */
export function nameLinked(writes: Writes, voice: VoiceRef, name: string, file: string): Set<string> {
  const own = voicesIn(writes, voice.hash_str, file)?.voices.find(({ speaker }) => speaker === voice.speaker);
  const linked = own?.person ? new Linking(writes, file).voicesOf(own.person) : [];
  const all = [voice, ...linked];
  for (const { hash_str, speaker } of all) putName(writes, hash_str, speaker, name, file);
  return new Set(all.map(({ hash_str }) => hash_str));
}

/** The names of a transcript, with those that its voices have elsewhere. */
export function rememberedNames(writes: Writes, hash: string, names: Names, file: string): Names {
  const linking = new Linking(writes, file);
  const all = new Map(Object.entries(names));
  for (const { speaker, person } of voicesIn(writes, hash, file)?.voices ?? []) {
    if (person === '' || speaker === '' || all.has(speaker)) continue;
    const elsewhere = linking.voicesOf(person).filter((one) => one.hash_str !== hash);
    const name = elsewhere.map((one) => knownName(writes, one, file)).find((one) => one !== undefined);
    if (name !== undefined) all.set(speaker, name);
  }
  return Object.fromEntries(all);
}
