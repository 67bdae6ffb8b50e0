import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasWords, wordsOfName } from '../../../../actors/index/text/name-words.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { mediaRecord } from '../footage.ts';
import { everything, type Harness, indexActor } from '../handlers.ts';
import { loadAll, mark } from '../transcripts/speech.ts';
import { line } from '../written/lines.ts';

const paths = [
  '/home/anna/Videos/Kakadu/2019-06 Drohne/DJI_0042.MP4',
  '/home/anna/Videos/Kakadu/DrohnenFlug.mp4',
  '/home/anna/Videos/Kakadu/birds at dawn.mp4',
  '/home/anna/Videos/Oma/Oma’s garden.mp4',
  '/home/anna/Videos/cartoon.mp4',
];

async function library(index: Harness, cache_dir: string) {
  for (const [i, path] of paths.entries()) {
    const media = mediaRecord(`a${i}`, path);
    const found = { type: 'text' as const, items: [line('text', 0)] };
    await index.call('store_result', { cache_dir, media, model_key: 'm', found, from_previews: false });
  }
}

test('files and folders are named by all words of a text, files first', async (t) => {
  const [index, cache_dir] = [await indexActor(t), temporaryFolder(t)];
  await library(index, cache_dir);
  const named = async (text: string, scope: object = {}) => {
    const request = { cache_dir, text, scope: { ...everything, ...scope }, max_results: 10 };
    const { matches } = await index.call('media_named', request);
    return matches.map(({ hash_str, of, name, frames }) => [hash_str, of, name, frames]);
  };
  const folder = (hash: string, name = 'Kakadu') => [hash, 'folder', name, null];
  assert.deepEqual(await named('kakadu'), [folder('a0'), folder('a1'), folder('a2')]);
  assert.deepEqual(await named('Drohne'), [
    ['a1', 'file', 'DrohnenFlug.mp4', null],
    folder('a0', '2019-06 Drohne'),
  ]);
  assert.deepEqual(await named('show me the Kakadu birds'), [['a2', 'file', 'birds at dawn.mp4', null]]);
  assert.deepEqual(await named('dji_0042.mp4'), [['a0', 'file', 'DJI_0042.MP4', null]]);
  assert.deepEqual(await named("oma's garden"), [['a3', 'file', 'Oma’s garden.mp4', null]]);
  // A short word is no part of a longer one, and what holds all of the footage names nothing.
  for (const nothing of ['car', 'anna', 'Videos', 'kakadu garden', 'the', '2', ''])
    assert.deepEqual(await named(nothing), []);
  assert.deepEqual(await named('kakadu', { hashes: ['a2', 'a3'] }), [folder('a2')]);
  assert.deepEqual(await named('kakadu', { ranges: { a1: [[2, 5]] }, hashes: ['a1'] }), [
    ['a1', 'folder', 'Kakadu', [2, 5]],
  ]);
  const filters = [{ facet_id: 'file.extension', operator: 'is_any_of' as const, values: ['mov'] }];
  assert.deepEqual(await named('kakadu', { filters }), []);
  // What is forgotten or moved is followed.
  await index.call('remove_media', { cache_dir, hashes: ['a2'] });
  await index.call('move_paths', {
    cache_dir,
    moves: [{ from: paths[4]!, to: '/home/anna/Videos/Kakadu/cartoon.mp4', volume: null }],
  });
  assert.deepEqual(await named('kakadu'), [folder('a0'), folder('a1'), folder('a4')]);
});

test('speakers are named by the words of their names, those who speak longest first', async (t) => {
  const [index, cache_dir] = [await indexActor(t), temporaryFolder(t)];
  const said = (hash: string, name: string, spoken: readonly (readonly [number, number, string])[]) =>
    index.call('transcribe', {
      cache_dir,
      media: mediaRecord(hash),
      mark: { ...mark, speaker_names: { SPEAKER_00: name } },
      segments: spoken.map(([start_seconds, end_seconds, speaker]) => ({
        ...{ start_seconds, end_seconds, text: `from ${start_seconds}`, speaker },
      })),
    });
  await said('aa', 'Ann Lee', [
    [1, 2, 'SPEAKER_01'],
    [4, 6, 'SPEAKER_00'],
    [8, 9, 'SPEAKER_00'],
  ]);
  await said('bb', 'Sinéad O’Connor', [[0, 9, 'SPEAKER_00']]);
  await said('cc', 'Ann Brown', [[3, 9, 'SPEAKER_00']]);
  await loadAll(index, cache_dir);
  const named = async (text: string, scope: object = {}) => {
    const request = { cache_dir, text, scope: { ...everything, ...scope }, max_results: 10 };
    const { matches } = await index.call('speakers_named', request);
    return matches.map(({ hash_str, start_seconds, speaker_name }) => [
      hash_str,
      start_seconds,
      speaker_name,
    ]);
  };
  assert.deepEqual(await named('ann'), [
    ['cc', 3, 'Ann Brown'],
    ['aa', 4, 'Ann Lee'],
  ]);
  assert.deepEqual(await named("o'connor"), [['bb', 0, 'Sinéad O’Connor']]);
  assert.deepEqual(await named('ann', { ranges: { aa: [[7, 9]] }, hashes: ['aa'] }), [['aa', 8, 'Ann Lee']]);
  for (const nothing of ['ann connor', 'speaker', 'from']) assert.deepEqual(await named(nothing), []);
  await index.call('name_speakers', {
    cache_dir,
    hash_str: 'bb',
    assignments: [{ speaker: 'SPEAKER_00', name: 'Ann' }],
  });
  assert.equal((await named('ann')).length, 3);
});

test('the words of a name are those of a question, without an ending and without what only makes it one', () => {
  assert.deepEqual(wordsOfName('where is IMG_0042.jpg?'), ['img', '0042']);
  assert.deepEqual(wordsOfName('DrohneFlug 2'), ['drohneflug', '2']);
  assert.deepEqual([hasWords('Best of Kakadu', ['kakadu']), hasWords('Carnival', ['car'])], [true, false]);
});
