// Which voices are suggested, and what people say of them, through naming, transcribing again and forgetting.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { nameErrors } from '../../../../actors/index/people/person-name.ts';
import { storeErrors } from '../../../../actors/index/store/contract.ts';
import { Store } from '../../../../actors/index/store/store.ts';
import { transcriptErrors } from '../../../../actors/index/transcripts/contract.ts';
import { voiceErrors } from '../../../../actors/index/voices/contract.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { indexActor } from '../handlers.ts';
import { alike, link, namesOf, spoken, suggested, turn } from './spoken.ts';

const both = [turn(0, 0, 10), turn(1, 10, 30), turn(0, 30, 34)];

/** Ann (1) is in three files, Ben (2) in two of them, Cleo (3) in the third. */
async function talks(t: TestContext) {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  await spoken(index, cache_dir, 'aa', both, { SPEAKER_00: 1, SPEAKER_01: 2 });
  await spoken(index, cache_dir, 'bb', both, { SPEAKER_00: 2, SPEAKER_01: 1 });
  await spoken(index, cache_dir, 'cc', both, { SPEAKER_00: 1, SPEAKER_01: 3 });
  return { cache_dir, index };
}

test('the same voice in other files is suggested first, with a part to listen to', async (t) => {
  const { cache_dir, index } = await talks(t);
  const { model, suggestions } = await suggested(index, cache_dir, 'aa', 0);
  assert.equal(model, 'm@1');
  assert.deepEqual(new Set(suggestions.slice(0, 2).map(({ hash_str }) => hash_str)), new Set(['bb', 'cc']));
  assert.ok(suggestions.every(({ hash_str }) => hash_str !== 'aa'));
  const { cosine: _, ...best } = suggestions.find(({ hash_str }) => hash_str === 'bb')!;
  assert.deepEqual(best, {
    ...{ hash_str: 'bb', path: '/media/bb.wav', speaker: 'SPEAKER_01', speaker_name: null },
    ...{ seconds: 20, voices: 1, sample: [10, 25] },
  });
  assert.deepEqual(await alike(index, cache_dir, 'cc', 1), []);
});

test('linked voices have one name, count as one and are compared by all of them', async (t) => {
  const { cache_dir, index } = await talks(t);
  await index.call('name_speakers', {
    ...{ cache_dir, hash_str: 'bb', assignments: [{ speaker: 'SPEAKER_01', name: 'Ann' }] },
  });
  const { voices } = await link(index, cache_dir, ['aa 0', 'bb 1']);
  assert.deepEqual(
    voices.map(({ speaker_name }) => speaker_name),
    ['Ann', 'Ann'],
  );
  assert.deepEqual(await namesOf(index, cache_dir, 'aa', 'bb'), [
    { SPEAKER_00: 'Ann' },
    { SPEAKER_01: 'Ann' },
  ]);
  assert.deepEqual(await alike(index, cache_dir, 'aa', 0), ['cc 0']);
  const { suggestions } = await suggested(index, cache_dir, 'cc', 0);
  const [first] = suggestions;
  assert.deepEqual([first!.hash_str, first!.voices, first!.speaker_name], ['bb', 2, 'Ann']);
  await index.call('name_speakers', {
    ...{ cache_dir, hash_str: 'aa', assignments: [{ speaker: 'SPEAKER_00', name: 'Anna' }] },
  });
  assert.deepEqual(await namesOf(index, cache_dir, 'bb'), [{ SPEAKER_01: 'Anna' }]);
  await link(index, cache_dir, ['aa 0', 'cc 0'], { name: ' Ann B ' });
  assert.deepEqual(await namesOf(index, cache_dir, 'aa', 'bb', 'cc'), [
    { SPEAKER_00: 'Ann B' },
    { SPEAKER_01: 'Ann B' },
    { SPEAKER_00: 'Ann B' },
  ]);
  await index.call('name_speakers', {
    ...{ cache_dir, hash_str: 'cc', assignments: [{ speaker: 'SPEAKER_00', name: '' }] },
  });
  assert.deepEqual(await namesOf(index, cache_dir, 'aa', 'bb', 'cc'), [{}, {}, {}]);
});

test('what was said last is taken back: who is linked, who is held apart, and the names', async (t) => {
  const { cache_dir, index } = await talks(t);
  const name = (hash_str: string, speaker: string, given: string) =>
    index.call('name_speakers', { cache_dir, hash_str, assignments: [{ speaker, name: given }] });
  const seen = async () => [
    await namesOf(index, cache_dir, 'aa', 'bb', 'cc'),
    await alike(index, cache_dir, 'aa', 0),
    await alike(index, cache_dir, 'cc', 0),
    (await suggested(index, cache_dir, 'cc', 0)).suggestions,
  ];
  await name('bb', 'SPEAKER_01', 'Ann');
  await name('cc', 'SPEAKER_00', 'Anna');
  await link(index, cache_dir, ['aa 0', 'bb 1'], { same: false });
  const apart = await seen();
  await link(index, cache_dir, ['aa 0', 'bb 1', 'cc 0'], { name: 'Anne' });
  assert.deepEqual(await alike(index, cache_dir, 'aa', 0), []);
  await index.close();
  const { voices } = await index.call('take_back_speakers', { cache_dir });
  assert.deepEqual(voices.map(({ hash_str, speaker_name }) => [hash_str, speaker_name]).toSorted(), [
    ['aa', null],
    ['bb', 'Ann'],
    ['cc', 'Anna'],
  ]);
  assert.deepEqual(await seen(), apart);
  const nothing = () =>
    assert.rejects(index.call('take_back_speakers', { cache_dir }), voiceErrors.NOTHING_SAID.is);
  await nothing();
  // One of three leaves, without the name; then comes back, with it.
  await link(index, cache_dir, ['aa 0', 'bb 1', 'cc 0'], { name: 'Anne' });
  const together = await seen();
  await link(index, cache_dir, ['aa 0', 'bb 1'], { same: false });
  await index.call('take_back_speakers', { cache_dir });
  assert.deepEqual(await seen(), together);
});

test('what was said is not taken back from under a later name, transcription or forgetting', async (t) => {
  const { cache_dir, index } = await talks(t);
  const refused = async (why: string) => {
    const before = await namesOf(index, cache_dir, 'aa', 'bb');
    await assert.rejects(index.call('take_back_speakers', { cache_dir }), voiceErrors.NOTHING_SAID.is, why);
    assert.deepEqual(await namesOf(index, cache_dir, 'aa', 'bb'), before);
  };
  await refused('nothing was said');
  await link(index, cache_dir, ['aa 0', 'bb 1'], { name: 'Ann' });
  await index.call('name_speakers', {
    ...{ cache_dir, hash_str: 'aa', assignments: [{ speaker: 'SPEAKER_00', name: 'Anna' }] },
  });
  await refused('named since');
  await link(index, cache_dir, ['aa 0', 'bb 1'], { same: false });
  await spoken(index, cache_dir, 'bb', both, { SPEAKER_00: 1, SPEAKER_01: 2 });
  await refused('transcribed since');
  await link(index, cache_dir, ['aa 0', 'bb 1']);
  await index.call('remove_media', { cache_dir, hashes: ['cc'] });
  await refused('something was forgotten');
});

test('who is not the same is not suggested again, whoever is linked later, until somebody says otherwise', async (t) => {
  const { cache_dir, index } = await talks(t);
  await link(index, cache_dir, ['aa 0', 'bb 1'], { same: false });
  assert.deepEqual(await alike(index, cache_dir, 'aa', 0), ['cc 0']);
  assert.deepEqual(await alike(index, cache_dir, 'bb', 1), ['cc 0']);
  await index.close();
  await link(index, cache_dir, ['bb 1', 'cc 0']);
  assert.deepEqual(await alike(index, cache_dir, 'aa', 0), []);
  assert.deepEqual(await alike(index, cache_dir, 'cc', 0), []);
  await link(index, cache_dir, ['aa 0', 'cc 0'], { name: 'Ann' });
  assert.deepEqual(await namesOf(index, cache_dir, 'bb'), [{ SPEAKER_01: 'Ann' }]);
  // The later word counts: one of three leaves, without the name.
  await link(index, cache_dir, ['aa 0', 'bb 1'], { same: false });
  assert.deepEqual(await namesOf(index, cache_dir, 'aa', 'bb', 'cc'), [
    { SPEAKER_00: 'Ann' },
    {},
    { SPEAKER_00: 'Ann' },
  ]);
  assert.deepEqual(await alike(index, cache_dir, 'bb', 1), []);
});

test('links, strangers and names stay with the voices when a file is transcribed again', async (t) => {
  const { cache_dir, index } = await talks(t);
  await link(index, cache_dir, ['aa 0', 'bb 1'], { name: 'Ann' });
  await link(index, cache_dir, ['aa 1', 'bb 0'], { name: 'Ben' });
  await link(index, cache_dir, ['aa 0', 'cc 0'], { same: false });
  // The ids are swapped, by another model even.
  const swapped = [turn(1, 0, 10), turn(0, 10, 29), turn(1, 30, 34)];
  for (const model of ['m@1', 'other@1', 'm@1']) {
    await spoken(index, cache_dir, 'aa', swapped, { SPEAKER_00: 2, SPEAKER_01: 1 }, { model });
    assert.deepEqual(await namesOf(index, cache_dir, 'aa'), [{ SPEAKER_00: 'Ben', SPEAKER_01: 'Ann' }]);
  }
  assert.deepEqual(await alike(index, cache_dir, 'aa', 1), []);
  // Nobody listened for a while, and one voice is not told apart: what was said waits for it.
  await spoken(index, cache_dir, 'aa', [turn(null, 0, 34)], null);
  assert.deepEqual(await namesOf(index, cache_dir, 'aa'), [{}]);
  await spoken(index, cache_dir, 'aa', both, { SPEAKER_00: 1, SPEAKER_01: 2 });
  assert.deepEqual(await namesOf(index, cache_dir, 'aa'), [{ SPEAKER_00: 'Ann', SPEAKER_01: 'Ben' }]);
  const { voices } = await link(index, cache_dir, ['aa 0', 'bb 1']);
  assert.equal(voices.length, 2);
});

test('forgetting a file removes its voices, and what was said of them', async (t) => {
  const { cache_dir, index } = await talks(t);
  await link(index, cache_dir, ['aa 0', 'bb 1'], { name: 'Ann' });
  await link(index, cache_dir, ['aa 1', 'cc 1'], { same: false });
  const keys = async () => {
    await index.close();
    const store = new Store(cache_dir);
    try {
      const { voices } = store.transcripts;
      const people = voices.some(null, 10).media.flatMap((media) => media.voices.map(({ person }) => person));
      const known = people.filter((person) => person !== '');
      return {
        media: voices.some(null, 10).media.map(({ hash }) => hash),
        people: known.map((person) => [voices.mediaOf(person), voices.apartFrom(person).length]),
      };
    } finally {
      await store.close();
    }
  };
  assert.deepEqual((await keys()).people, [
    [['aa', 'bb'], 0],
    [['aa'], 1],
    [['aa', 'bb'], 0],
    [['cc'], 1],
  ]);
  const store = new Store(cache_dir);
  store.remove(['aa'], () => {});
  await store.close();
  assert.deepEqual(await keys(), {
    media: ['bb', 'cc'],
    people: [
      [['bb'], 0],
      [['cc'], 0],
    ],
  });
  assert.deepEqual(await alike(index, cache_dir, 'bb', 1), ['cc 0']);
});

test('either all of what is said of voices is stored or nothing', async (t) => {
  const { cache_dir, index } = await talks(t);
  await spoken(index, cache_dir, 'dd', both, null);
  const said = async (voices: string[], row: { is(error: unknown): boolean }, what: RegExp, more = {}) => {
    const wrong = link(index, cache_dir, voices, more);
    await assert.rejects(wrong, (error) => row.is(error) && what.test((error as Error).message));
  };
  await said(['aa 0', 'ee 0'], storeErrors.NOT_ANALYZED, /ee has no transcript/);
  await said(['aa 0', 'bb 7'], transcriptErrors.UNKNOWN_SPEAKER, /voices\[1\].speaker: bb has no speaker/);
  await said(['aa 0', 'bb 1', 'dd 0'], voiceErrors.NO_VOICE, /voices\[2\]: .* transcribe it again/);
  await said(['aa 0', 'aa 0'], voiceErrors.TWO_VOICES, /voices/);
  await said(['aa 0', 'bb 1'], nameErrors.BAD_NAME, /name contains a control character/, { name: 'A\nnn' });
  const assignments = [{ speaker: 'SPEAKER_00', name: 'A\nnn' }];
  const naming = index.call('name_speakers', { cache_dir, hash_str: 'aa', assignments });
  await assert.rejects(naming, (error) => nameErrors.BAD_NAME.is(error));
  await said(['aa 0', 'bb 1'], voiceErrors.NAME_OF_STRANGERS, /name/, { same: false, name: 'Ann' });
  assert.deepEqual(await alike(index, cache_dir, 'aa', 0), await alike(index, cache_dir, 'aa', 0));
  assert.equal((await alike(index, cache_dir, 'aa', 0)).length, 2);
  for (const [hash_str, number, name] of [
    ['aa', 0, 'Ann'],
    ['bb', 1, 'Anna'],
  ] as const) {
    const assignments = [{ speaker: `SPEAKER_0${number}`, name }];
    await index.call('name_speakers', { cache_dir, hash_str, assignments });
  }
  await said(['aa 0', 'bb 1'], voiceErrors.VOICES_NAMED_APART, /named Ann and Anna; give the name to keep/);
  assert.equal((await alike(index, cache_dir, 'aa', 0)).length, 2);
  assert.deepEqual((await suggested(index, cache_dir, 'dd', 0)).model, null);
  const unknown = suggested(index, cache_dir, 'aa', 5);
  await assert.rejects(unknown, (error) => transcriptErrors.UNKNOWN_SPEAKER.is(error));
});
