import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldWritten, writtenForms } from '../../../../actors/index/written/written-texts.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { indexActor } from '../handlers.ts';
import { line, search, storeLines, texts } from './lines.ts';

test('case, accents, width and spaces do not count', () => {
  assert.equal(foldWritten('  Région-based Segmentation '), 'region-basedsegmentation');
  assert.equal(foldWritten('ＡÖ Łódź Ørsted'), 'aolodzorsted');
  assert.deepEqual(writtenForms('größte Straße'), ['grosste strasse', 'grobte strabe']);
  assert.deepEqual(writtenForms('STOP'), ['stop']);
  assert.deepEqual(writtenForms(' \n '), []);
});

test('what is stored of a media comes back, and which model read it', async (t) => {
  const index = await indexActor(t);
  const cache_dir = temporaryFolder(t);
  const lines = [line('Quarterly budget', 3, 9), line('2026', 4)];
  const type = 'text';
  assert.deepEqual(await index.call('results_stored', { cache_dir, type, hashes: ['aa'] }), {
    stored: [null],
  });
  assert.equal(await index.call('stored_result', { cache_dir, type, hash_str: 'aa' }), null);
  await storeLines(index, cache_dir, 'aa', lines);
  assert.deepEqual(await index.call('stored_result', { cache_dir, type, hash_str: 'aa' }), {
    model_key: 'm',
    from_previews: false,
    found: { type, items: lines },
  });
  assert.deepEqual(await index.call('results_stored', { cache_dir, type, hashes: ['aa', 'bb'] }), {
    stored: [{ model_key: 'm', count: 2, from_previews: false }, null],
  });
});

test('a line is found by any part of it, also where the model dropped spaces and accents', async (t) => {
  const index = await indexActor(t);
  const cache_dir = temporaryFolder(t);
  await storeLines(index, cache_dir, 'aa', [
    line('Region-basedsegmentation', 0),
    line('Muller pruft die groBten StraBen', 5),
    line('STOP', 7),
  ]);
  assert.deepEqual(await texts(index, cache_dir, 'region-based segmentation'), ['Region-basedsegmentation']);
  assert.deepEqual(await texts(index, cache_dir, 'SEGMENT'), ['Region-basedsegmentation']);
  assert.deepEqual(await texts(index, cache_dir, 'Müller'), ['Muller pruft die groBten StraBen']);
  assert.deepEqual(await texts(index, cache_dir, 'größten Straßen'), ['Muller pruft die groBten StraBen']);
  assert.deepEqual(await texts(index, cache_dir, 'stop'), ['STOP']);
  assert.deepEqual(await texts(index, cache_dir, 'stopped'), []);
  assert.deepEqual(await texts(index, cache_dir, '   '), []);
});

test('whole words come first, then what is read well, then path and time', async (t) => {
  const index = await indexActor(t);
  const cache_dir = temporaryFolder(t);
  await storeLines(index, cache_dir, 'bb', [
    line('nonstop flight', 0),
    line('STOP', 1, 2, 0.6),
    line('stop', 2),
  ]);
  await storeLines(index, cache_dir, 'aa', [line('bus stop', 9), line('stops here', 3, 4, 0.7)]);
  assert.deepEqual(await texts(index, cache_dir, 'stop'), [
    'bus stop',
    'stop',
    'STOP',
    'nonstop flight',
    'stops here',
  ]);
  assert.deepEqual(await texts(index, cache_dir, 'stop', { max_results: 2 }), ['bus stop', 'stop']);
});

test('a word is meant where it is whole, begins a word or is long, also where its letters are spaced', async (t) => {
  const index = await indexActor(t);
  const cache_dir = temporaryFolder(t);
  await storeLines(index, cache_dir, 'aa', [
    line('Palais du LoUVRE', 0, 1, 0.89),
    line('H A L T', 1, 2, 0.7),
    line('GRANDCAFE', 2, 3, 0.7),
    line('Haltestelle', 3, 4, 0.7),
    line('NutritionFacts', 4, 5, 0.8),
    line('Calories190 nutritions', 5, 6, 0.8),
    line('Grand', 10, 12, 0.7),
    line('Palace of cars', 11, 13, 0.7),
    line('FBIHEADQUARTERS', 20, 21, 0.95),
  ]);
  const found = async (query: string) =>
    (await search(index, cache_dir, query)).matches.map(({ text, meant }) => [text, meant]);
  assert.deepEqual(await found('louvre'), [['Palais du LoUVRE', true]]);
  assert.deepEqual(await found('halt'), [
    ['H A L T', true],
    ['Haltestelle', true],
  ]);
  assert.deepEqual(await found('stell'), [['Haltestelle', false]]);
  assert.deepEqual(await found('lace'), [['Palace of cars', false]]);
  assert.deepEqual(await found('car'), [['Palace of cars', false]]);
  assert.deepEqual(await found('fbi'), [['FBIHEADQUARTERS', true]]);
  assert.deepEqual(await found('nutrition'), [
    ['NutritionFacts', true],
    ['Calories190 nutritions', true],
  ]);
  assert.deepEqual(await found('190'), [['Calories190 nutritions', true]]);
  assert.deepEqual(await found('grand café'), [['GRANDCAFE', true]]);
  assert.deepEqual(await found('palace grand'), [
    ['Grand', true],
    ['Palace of cars', true],
  ]);
  assert.deepEqual(await found('palace gran'), [
    ['Grand', true],
    ['Palace of cars', true],
  ]);
  assert.deepEqual(await found('palace rand'), [
    ['Grand', false],
    ['Palace of cars', false],
  ]);
});

test('two letters are a word of their own', async (t) => {
  const index = await indexActor(t);
  const cache_dir = temporaryFolder(t);
  await storeLines(index, cache_dir, 'aa', [line('let us go', 0), line('algorithms', 1)]);
  assert.deepEqual(await texts(index, cache_dir, 'go'), ['let us go']);
});

test('words are found in lines that are seen together', async (t) => {
  const index = await indexActor(t);
  const cache_dir = temporaryFolder(t);
  await storeLines(index, cache_dir, 'aa', [
    line('Annual budget', 0, 5),
    line('of the harbour authority', 3, 8),
    line('authority', 8, 9),
    line('Budget', 20, 22),
  ]);
  assert.deepEqual(await texts(index, cache_dir, 'the budget of the authority'), [
    'Annual budget',
    'of the harbour authority',
  ]);
  assert.deepEqual(await texts(index, cache_dir, 'budget of a village'), []);
});

test('a search keeps to media and ranges of time', async (t) => {
  const index = await indexActor(t);
  const cache_dir = temporaryFolder(t);
  await storeLines(index, cache_dir, 'aa', [line('exit one', 0, 4), line('exit two', 10, 12)]);
  await storeLines(index, cache_dir, 'bb', [line('exit three', 2)]);
  assert.deepEqual(await texts(index, cache_dir, 'exit', { scope: { hashes: ['bb'] } }), ['exit three']);
  const ranges: Record<string, [number, number][]> = { aa: [[3, 10]] };
  assert.deepEqual(await texts(index, cache_dir, 'exit', { scope: { hashes: ['aa'], ranges } }), [
    'exit one',
  ]);
});

test('what is read again or forgotten is followed', async (t) => {
  const index = await indexActor(t);
  const cache_dir = temporaryFolder(t);
  await storeLines(index, cache_dir, 'aa', [line('before', 0)]);
  await storeLines(index, cache_dir, 'bb', [line('beforehand', 0)]);
  assert.equal((await search(index, cache_dir, 'before')).matches.length, 2);
  await storeLines(index, cache_dir, 'aa', [line('after', 0)]);
  assert.deepEqual(await texts(index, cache_dir, 'before'), ['beforehand']);
  assert.deepEqual(await texts(index, cache_dir, 'after'), ['after']);
  await index.call('remove_media', { cache_dir, hashes: ['aa', 'bb'] });
  const { matches, media } = await search(index, cache_dir, 'after');
  assert.deepEqual([matches, media], [[], 0]);
  assert.equal(await index.call('stored_result', { cache_dir, type: 'text', hash_str: 'aa' }), null);
});
