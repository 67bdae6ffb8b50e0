import assert from 'node:assert/strict';
import test from 'node:test';
import type { SpeechRegion } from '../../../actors/transcriber/contract.ts';
import { rate, type Voice } from '../../../bench/diarization/compose.ts';
import { scoreDraws } from '../../../bench/diarization/draws.ts';
import { Participant } from '../../../bench/diarization/participant.ts';
import type { EmbeddedSpeech } from '../../../bench/diarization/pipeline.ts';
import { seeded } from '../../../bench/diarization/random.ts';
import { scoreDiarization } from '../../../bench/diarization/score.ts';
import { summarizeScores } from '../../../bench/diarization/talk-scores.ts';
import { fewVoices, type Group, manyVoices, talksOf } from '../../../bench/diarization/talks.ts';
import { drawSession } from '../../../bench/voices/session.ts';

/** A buzz with a breath every second. */
const voice = (name: string, hertz: number): Voice => ({
  name,
  pieces: [
    Float32Array.from({ length: 14 * rate }, (_, at) => {
      const phase = ((at * hertz) / rate) % 1;
      return at % rate > 0.8 * rate ? 0 : 0.2 * (Math.exp(-8 * phase) - 0.125);
    }),
  ],
});
const voices = [95, 105, 115, 125, 190, 205, 220, 240].map((hertz) => voice(`at ${hertz}`, hertz));
const one = (group: Partial<Group>): Group => ({
  name: 'some',
  talks: 1,
  voices: [3, 3],
  seconds: [30, 40],
  ...group,
});

test('the same seed gives the same talk; every voice speaks 4 s or more, nobody twice in a row', () => {
  const [talk] = talksOf(voices, [one({})], 5);
  assert.deepEqual([...talksOf(voices, [one({})], 5)], [talk]);
  assert.notDeepEqual([...talksOf(voices, [one({})], 6)][0]!.turns, talk!.turns);
  const seconds = new Map<string, number>();
  for (const { start, end, speaker } of talk!.turns) {
    assert.ok(start >= 0 && end > start && end <= talk!.samples.length / rate);
    seconds.set(speaker, (seconds.get(speaker) ?? 0) + end - start);
  }
  assert.equal(seconds.size, talk!.count);
  for (const [name, said] of seconds) assert.ok(said > 3.5, `${name} speaks ${said} s`);
  assert.ok(talk!.samples.every((x) => Math.abs(x) <= 1));
});

test('talks are drawn as often as asked, each time others', async () => {
  const nothing = { length: 0, subsegments: [], vectors: new Float32Array(), overlap: new Uint8Array() };
  const pipeline = {
    detectSpeech: async () => [],
    embed: async (_: Float32Array, speech: readonly SpeechRegion[]) => ({ ...nothing, speech }),
    diarizing: async ({ speech }: EmbeddedSpeech) => {
      return () => speech.map(([from, to]) => ({ start: from / rate, end: to / rate, speaker: 'one' }));
    },
  };
  const set = { name: 'draws', voices, groups: [one({})], seed: 5 };
  const model = import.meta.filename;
  const scores = await scoreDraws(pipeline, model, set, () => {}, { draws: 3, fresh: true });
  const known = scores.filter(({ detection, counted }) => detection === 'ideal' && counted === 'known');
  assert.equal(known.length, 3);
  assert.equal(new Set(known.map(({ score }) => score.speech)).size, 3);
});

test('eight turns of 8 s: three voices in turn, 0.6 s apart', () => {
  const group = manyVoices.find(({ name }) => name.startsWith('eight'))!;
  const [talk] = talksOf(voices, [{ ...group, talks: 1 }], 2);
  const speakers = talk!.turns.map(({ speaker }) => speaker).filter((name, at, all) => name !== all[at - 1]);
  assert.equal(speakers.length, 8);
  for (const name of new Set(speakers)) assert.ok(speakers.filter((other) => other === name).length >= 2);
});

test('voices that are alike lie on one side of the middle pitch', () => {
  for (const seed of [1, 2, 3]) {
    const [talk] = talksOf(voices, [one({ alike: true })], seed);
    const low = talk!.turns.map(({ speaker }) => voices.findIndex(({ name }) => name === speaker) < 4);
    assert.equal(new Set(low).size, 1);
  }
});

test('a voice says its recording no oftener than it may, and cuts it elsewhere', () => {
  const random = seeded(4);
  const participant = new Participant(voices[0]!, drawSession(random), 2, random);
  let said = 0;
  const lengths: number[] = [];
  while (participant.left > 1.5) {
    const { clean, heard } = participant.say(5);
    assert.ok(heard.length > clean.length);
    lengths.push(clean.length);
    said += clean.length / rate;
  }
  assert.ok(said > 20 && said < 2 * 15 * 1.1, `${said} s`);
  assert.ok(new Set(lengths).size > 1);
});

test('there are at least 60 talks of many voices, 2 to 6 of them', () => {
  const talks = manyVoices.reduce((sum, { talks }) => sum + talks, 0);
  assert.ok(talks >= 60);
  assert.equal(Math.max(...manyVoices.map(({ voices: [, most] }) => most)), 6);
  assert.equal(Math.max(...fewVoices.map(({ voices: [, most] }) => most)), 5);
});

test('talks count alike: means of error, confusion and counts', () => {
  const said = [
    { start: 0, end: 10, speaker: 'a' },
    { start: 10, end: 20, speaker: 'b' },
  ];
  const right = scoreDiarization(said, said, { collar: 0 });
  const merged = scoreDiarization(said, [{ start: 0, end: 20, speaker: 'x' }], { collar: 0 });
  const summary = summarizeScores([right, merged, right, right]);
  assert.equal(summary.der.mean, 0.125);
  assert.equal(summary.confusion.mean, 0.125);
  assert.equal(summary.right.mean, 0.75);
  assert.deepEqual([summary.few, summary.many, summary.missed], [0.25, 0, 0]);
});
