import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SoundKind } from '../../../bench/voice/recordings.ts';
import { beginningScenes, trainingScenes } from '../../../bench/voice/scenes.ts';
import { randomOf, rate, solo, white } from '../../../bench/voice/sounds.ts';
import { talkScene } from '../../../bench/voice/talk-scenes.ts';

const samples = solo(8 * rate, randomOf(1));
const voices = [{ samples, speech: [[rate, 6 * rate]] as const }];
const noise = (seed: number) => white(6 * rate, randomOf(seed));
const kinds: readonly SoundKind[] = ['music', 'birds', 'dogs'];
const sounds = kinds.map((kind, at) => ({ kind, name: `${kind}, nobody`, samples: noise(at) }));
const behind = { music: white, recorded: white, babble: white };

test('a file that begins within a word is speech from its first sample, close and in rooms', () => {
  const wheres = new Set<string>();
  for (let seed = 0; seed < 12; seed++) {
    const form = { samples: 3 * rate, within: true };
    const { kind, sound, speech } = talkScene(voices, behind, form, randomOf(seed));
    wheres.add(kind.replace(/,.*/, ''));
    assert.equal(sound.length, form.samples);
    assert.ok(sound.every(Number.isFinite), kind);
    assert.equal(speech[0]![0], 0);
    assert.ok(speech[0]![1] >= 0.4 * rate, `${speech[0]}`);
  }
  assert.deepEqual([...wheres].sort(), ['begun rooms', 'begun talk']);
});

test('half of the beginnings have no talk, and the same seed gives the same scenes', () => {
  const made = () => [...beginningScenes({ voices, sounds }, 4, randomOf(7))];
  const scenes = made();
  assert.deepEqual(
    scenes.map(({ speech }) => speech.includes(1)),
    [true, false, true, false],
  );
  assert.deepEqual(made(), scenes);
});

test('birds over each other and whistled ones are scenes without talk, and the same seed gives the same', () => {
  const counts = { talk: 0, music: 0, recorded: 0, birds: 0, chorus: 2, whistles: 2, synthetic: 0 };
  const made = () => [...trainingScenes({ voices, sounds }, counts, randomOf(8))];
  const scenes = made();
  assert.deepEqual(
    scenes.map(({ kind }) => kind),
    ['chorus', 'chorus', 'whistles', 'whistles'],
  );
  for (const { frames, speech } of scenes) {
    assert.ok(frames.every(Number.isFinite) && frames.some((value) => value > 0.5));
    assert.ok(!speech.includes(1));
  }
  assert.deepEqual(made(), scenes);
});
