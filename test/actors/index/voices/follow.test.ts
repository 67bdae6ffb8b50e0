import assert from 'node:assert/strict';
import { test } from 'node:test';
import { voicesKey } from '../../../../actors/index/store/names.ts';
import { linkVoices } from '../../../../actors/index/store/voices/linked-names.ts';
import {
  putVoices,
  remembering,
  takeBack,
  voicesIn,
} from '../../../../actors/index/store/voices/voice-records.ts';
import {
  followed,
  type SpeakingTimes,
  type StoredVoice,
  sameSpeakers,
} from '../../../../actors/index/voices/follow.ts';

/** Segments as speaker (0: nobody), start, end in seconds. */
function spoken(
  ids: readonly string[],
  ...segments: readonly (readonly [number, number, number])[]
): SpeakingTimes {
  return {
    speakerIds: ids,
    speakers: Uint32Array.from(segments, ([speaker]) => speaker),
    starts_ms: Uint32Array.from(segments, ([, start]) => start * 1000),
    ends_ms: Uint32Array.from(segments, ([, , end]) => end * 1000),
  };
}

test('whoever takes most of the time of a speaker is that speaker, and nobody is two', () => {
  const before = spoken(['a', 'b'], [1, 0, 10], [2, 10, 20], [0, 20, 25], [1, 25, 30]);
  const cases: [SpeakingTimes, [string, string][]][] = [
    [
      before,
      [
        ['a', 'a'],
        ['b', 'b'],
      ],
    ],
    [
      spoken(['x', 'y'], [2, 0, 9], [1, 11, 20], [2, 24, 30]),
      [
        ['a', 'y'],
        ['b', 'x'],
      ],
    ],
    // Two are one now: that is the one who spoke longer.
    [spoken(['x'], [1, 0, 30]), [['a', 'x']]],
    // One is three now, and none of them is most of it.
    [spoken(['x', 'y', 'z'], [1, 0, 5], [2, 5, 10], [3, 25, 30]), []],
    [spoken(['x'], [1, 40, 50]), []],
    [spoken([]), []],
  ];
  for (const [now, pairs] of cases) {
    assert.deepEqual([...sameSpeakers(before, now)].sort(), pairs);
  }
});

const voice = (speaker: string, person: string, ...vector: number[]): StoredVoice => ({
  ...{ speaker, person, seconds: 5, vector: Float32Array.from(vector) },
});
const told = (voices: readonly StoredVoice[]) => voices.map(({ speaker, person }) => `${speaker}:${person}`);

test('a person goes with the time, waits where nobody is it, and is found again by its vector', () => {
  const before = [voice('a', 'p', 1, 0), voice('b', '', 0, 1)];
  const fresh = [voice('x', '', 0, 1), voice('y', '', 1, 0)];
  const byTime = new Map([['a', 'x']]);
  assert.deepEqual(told(followed(before, fresh, byTime, true)), ['x:p', 'y:']);
  assert.deepEqual(told(followed(before, fresh, new Map(), true)), ['x:', 'y:p']);
  const waiting = followed(before, [voice('x', '', 0, 1)], new Map(), true);
  assert.deepEqual(told(waiting), ['x:', ':p']);
  assert.deepEqual(told(followed(waiting, fresh, new Map(), true)), ['x:', 'y:p']);
  // Vectors of another model say nothing, and are not kept beside others.
  assert.deepEqual(told(followed(before, fresh, new Map(), false)), ['x:', 'y:']);
  assert.deepEqual(told(followed(before, fresh, byTime, false)), ['x:p', 'y:']);
});

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
