// What was stored before the last thing that people said of voices: it can be taken back while nothing has
// changed it since.
import { type VoiceRef, voiceErrors } from '../../voices/contract.ts';
import type { Writes } from '../environment.ts';
import { readable } from '../faults.ts';
import { voicesKey, voicesPrefix, voiceUndoKey } from '../names.ts';
import { VoiceUndo } from '../records.ts';
import { seal, sealOf, unseal } from '../table.ts';
import { putVoices, voicesIn } from './voice-records.ts';

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
  writes: Writes,
  file: string,
  change: (writes: Writes) => readonly VoiceRef[],
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
    voices: [...people].map(([hash, own]) => ({ hash, people: own, seal: sealAt(writes, voicesKey(hash)) })),
    records: [...before]
      .filter(([key]) => !key.startsWith(voicesPrefix))
      .map(([key, bytes]) => ({
        key,
        before: bytes && Buffer.from(bytes).toString('base64'),
        seal: sealAt(writes, key),
      })),
  };
  writes.put(voiceUndoKey, seal(VoiceUndo, voiceUndoKey, { undo_json: JSON.stringify(undo) }));
  return said;
}

/** Whom it was said of. NOTHING_SAID. */
export function takeBack(writes: Writes, file: string): readonly VoiceRef[] {
  const bytes = writes.get(voiceUndoKey);
  const row = bytes && readable(() => unseal(VoiceUndo, voiceUndoKey, bytes, file));
  if (!row) throw voiceErrors.NOTHING_SAID('There is no answer about voices to undo');
  // Written by this program under a checksum.
  const { said, voices, records } = JSON.parse(row.undo_json) as Undo;
  const isSame = ({ key, seal: left }: { key: string; seal: number | null }) => sealAt(writes, key) === left;
  const all = [...voices.map((one) => ({ ...one, key: voicesKey(one.hash) })), ...records];
  if (!all.every(isSame)) {
    throw voiceErrors.NOTHING_SAID(
      'The answer cannot be undone: the voices have since been named or transcribed again',
    );
  }
  for (const { hash, people } of voices) {
    const media = voicesIn(writes, hash, file);
    // The next transcription makes what is damaged anew.
    if (media === null) continue;
    const own = media.voices.map((voice, at) => ({ ...voice, person: people[at]! }));
    putVoices(writes, { ...media, voices: own });
  }
  for (const { key, before } of records) {
    if (before === null) writes.remove(key);
    else writes.put(key, Uint8Array.from(Buffer.from(before, 'base64')));
  }
  writes.remove(voiceUndoKey);
  return said;
}

const peopleOf = (writes: Writes, hash: string, file: string) =>
  (voicesIn(writes, hash, file)?.voices ?? []).map(({ person }) => person);

function sealAt(writes: Writes, key: string): number | null {
  const bytes = writes.get(key);
  return bytes === undefined ? null : sealOf(bytes);
}
