// Many questions for voices at the same time.
import assert from 'node:assert/strict';
import test from 'node:test';
import { OpenLoads } from '../../../../actors/index/numbered-work.ts';
import { voiceRows } from '../../../../actors/models/rows/voice.ts';
import { createVoices } from '../../../../actors/search/voices/voices.ts';
import { engineErrors } from '../../../../runtime/errors.ts';

const request = { cache_dir: '/analysis', hash_str: 'aa', speaker: 'SPEAKER_00', limit: 5 };

/** An index that keeps as many searches open as the real one, each of three steps. */
function world() {
  const open = new OpenLoads<{ left: number }>();
  const seen = { begun: 0, answered: 0 };
  const begin = () => {
    seen.begun++;
    return { left: 3 };
  };
  const ask = async (_: string, asked: { load: number | null }, { signal }: { signal?: AbortSignal }) => {
    if (signal?.aborted) throw engineErrors.CANCELLED();
    // One that never gets done is a failure, and not a test without an end.
    assert.ok(seen.answered++ < 2000, 'nobody gets an answer');
    const step = (search: { left: number }) => --search.left === 0;
    const { number: load, done } = open.step(asked.load, () => true, begin, step);
    await new Promise((resolve) => setImmediate(resolve));
    return { done, load, model: 'voice@1', suggestions: [] };
  };
  const modelLibrary = { list: async () => ({ models: [], problems: [] }) };
  return { voices: createVoices({ index: { ask }, modelLibrary } as never), seen };
}

test('only voices that are surely alike, and of 3 seconds and more, are worth a question', async () => {
  const part = { path: '/a.wav', voices: 1, sample: [0, 1], hash_str: 'bb', name: null };
  const all = [
    { ...part, speaker: 'SPEAKER_00', cosine: 0.8, seconds: 9 },
    { ...part, speaker: 'SPEAKER_01', cosine: 0.7, seconds: 9 },
    { ...part, speaker: 'SPEAKER_02', cosine: 0.8, seconds: 2 },
  ];
  const ask = async () => ({ done: true, load: 0, model: 'campplus-zh-en@1', suggestions: all });
  const row = voiceRows.find(({ key }) => key === 'campplus-zh-en');
  const found = async (rows: readonly unknown[]) => {
    const modelLibrary = { list: async () => ({ models: rows, problems: [] }) };
    const { suggestions } = await createVoices({ index: { ask }, modelLibrary } as never).suggest(request);
    return suggestions.map(({ speaker }) => speaker);
  };
  assert.deepEqual(await found([{ row }]), ['SPEAKER_00']);
  // A model of the user's that says nothing about it.
  const { voices: _, ...thresholds } = row!.speaker!.thresholds;
  const silent = { ...row, speaker: { ...row!.speaker, thresholds } };
  assert.deepEqual(await found([{ row: silent }]), ['SPEAKER_00']);
  assert.deepEqual(await found([]), ['SPEAKER_00']);
});

test('however many ask for voices at once, each search is made once', async () => {
  const { voices, seen } = world();
  const answers = await Promise.all(Array.from({ length: 40 }, () => voices.suggest(request)));
  assert.ok(answers.every(({ suggestions }) => suggestions.length === 0));
  assert.equal(seen.begun, answers.length);
});

test('whoever leaves a search of voices, or the line before it, is told that it is cancelled', async () => {
  const { voices, seen } = world();
  const leaving = new AbortController();
  const all = Array.from({ length: 8 }, () => voices.suggest(request, leaving.signal));
  const rejected = all.map((one) => assert.rejects(one, engineErrors.CANCELLED.is));
  leaving.abort();
  await Promise.all(rejected);
  const before = seen.begun;
  assert.ok(before < all.length);
  await voices.suggest(request);
  assert.equal(seen.begun, before + 1);
});
