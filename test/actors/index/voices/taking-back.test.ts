import assert from 'node:assert/strict';
import test from 'node:test';
import { voicesKey } from '../../../../actors/index/store/names.ts';
import { linkVoices } from '../../../../actors/index/store/voices/linked-names.ts';
import {
  putVoices,
  remembering,
  takeBack,
  voicesIn,
} from '../../../../actors/index/store/voices/voice-records.ts';

const file = 'records.mdb';

test('what was said is taken back of the others when the voices of a file are damaged by then', () => {
  const records = new Map<string, Uint8Array>();
  const writes = {
    get: (key: string) => records.get(key),
    put: (key: string, value: Uint8Array) => void records.set(key, value),
    remove: (key: string) => void records.delete(key),
  };
  const voice = { speaker: 'SPEAKER_00', person: '', seconds: 9, vector: Float32Array.of(1, 0) };
  for (const hash of ['aa', 'bb']) putVoices(writes, { hash, model: 'm@1', voices: [voice] });
  const voices = ['aa', 'bb'].map((hash_str) => ({ hash_str, speaker: voice.speaker }));
  remembering(writes, file, (own) => linkVoices(own, { voices, name: null, same: true }, file));
  const damaged = Uint8Array.from(records.get(voicesKey('bb'))!);
  damaged[12]! ^= 1;
  records.set(voicesKey('bb'), damaged);
  assert.equal(voicesIn(writes, 'bb', file), null);
  assert.deepEqual(takeBack(writes, file), voices);
  assert.equal(voicesIn(writes, 'aa', file)!.voices[0]!.person, '');
  assert.deepEqual(records.get(voicesKey('bb')), damaged);
});
