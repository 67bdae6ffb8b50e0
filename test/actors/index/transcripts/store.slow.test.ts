import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { storeErrors } from '../../../../actors/index/store/contract.ts';
import { TranscriptRow } from '../../../../actors/index/store/records.ts';
import { seal, unseal } from '../../../../actors/index/store/table.ts';
import { columnsOf, packTranscript } from '../../../../actors/index/store/transcripts.ts';
import { type TranscriptSegment, transcriptErrors } from '../../../../actors/index/transcripts/contract.ts';
import { EngineError, engineErrors } from '../../../../runtime/errors.ts';
import { draws } from '../../../shared.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { mediaRecord } from '../footage.ts';
import { indexActor, someFootage, store } from '../handlers.ts';
import { find, loadAll, mark, segments, transcribe } from './speech.ts';

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }).map((text) => text.toWellFormed()),
);
const anySegments = fc
  .array(fc.record({ pause: fc.nat(5000), length: fc.nat(9000), text: anyText, speaker: fc.option(anyText) }))
  .map((list) => {
    let ms = 0;
    return list.map(({ pause, length, text, speaker }): TranscriptSegment => {
      ms += pause;
      return { start_seconds: ms / 1000, end_seconds: (ms + length) / 1000, text, speaker };
    });
  });

test('a transcript comes back as it was stored, to the millisecond, whatever is said by whoever', async (t) => {
  const index = await indexActor(t);
  const cache_dir = temporaryFolder(t);
  await fc.assert(
    fc.asyncProperty(anySegments, async (said) => {
      await transcribe(index, cache_dir, 'aa', said);
      const { transcripts, unreadable } = await index.call('transcripts', { cache_dir, hashes: ['aa'] });
      assert.deepEqual(unreadable, []);
      assert.deepEqual(transcripts, [{ mark, segments: said, names: {} }]);
    }),
    { numRuns: draws(40) },
  );
});

test('columns lie in the bytes of the record', () => {
  const sealed = seal(TranscriptRow, 'key', packTranscript('aa', mark, segments(['a', 'b'])));
  const { starts_ms, ends_ms, text_ends, text, speakers } = unseal(
    TranscriptRow,
    'key',
    sealed,
    'file',
    true,
  );
  for (const column of [starts_ms, ends_ms, text_ends, text, speakers])
    assert.equal(column.buffer, sealed.buffer);
});

test('times between milliseconds are rounded, and an end before its start is its start', () => {
  const row = packTranscript('aa', mark, [
    { start_seconds: 1.0004, end_seconds: 1.0006, text: ' a', speaker: null },
    { start_seconds: 2, end_seconds: 1, text: ' b', speaker: null },
  ]);
  const { starts_ms, ends_ms } = columnsOf(row);
  assert.deepEqual(
    [[...starts_ms], [...ends_ms]],
    [
      [1000, 2000],
      [1001, 2000],
    ],
  );
  const late = [{ start_seconds: 5e6, end_seconds: 5e6, text: '', speaker: null }];
  assert.throws(() => packTranscript('aa', mark, late), /segments\[0\]/);
  const back = segments(['a', 'b']).reverse();
  assert.throws(() => packTranscript('aa', mark, back), engineErrors.INVALID_MESSAGE.is);
});

test('a media of which only the transcript is stored is known, also after a restart', async (t) => {
  const cache_dir = temporaryFolder(t);
  const first = await indexActor(t);
  await transcribe(first, cache_dir, 'aa', segments([' hello']));
  await first.close();
  const index = await indexActor(t);
  assert.deepEqual(await index.call('media', { cache_dir }), { media: [mediaRecord('aa')] });
  const { transcribed } = await index.call('transcribed', { cache_dir, hashes: ['aa', 'bb'] });
  assert.deepEqual(transcribed, [true, false]);
  const { marks } = await index.call('transcript_marks', { cache_dir, hashes: ['bb', 'aa'] });
  assert.deepEqual(marks, [null, mark]);
  assert.deepEqual(await index.call('held', { cache_dir, hash_str: 'aa' }), {
    visual: null,
    audio: cache_dir,
  });
});

test('speakers keep their names when the media is transcribed again, as far as they are still there', async (t) => {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  const who = ['SPEAKER_00', 'SPEAKER_01', '__proto__'];
  await transcribe(index, cache_dir, 'aa', segments([' a', ' b', ' c'], who));
  const name = (assignments: { speaker: string; name: string }[]) =>
    index.call('name_speakers', { cache_dir, hash_str: 'aa', assignments });
  const names = async () => {
    const { transcripts } = await index.call('transcripts', { cache_dir, hashes: ['aa'] });
    return Object.entries(transcripts[0]!.names);
  };
  await name(who.map((speaker, i) => ({ speaker, name: ` ${'ABC'[i]} ` })));
  assert.deepEqual(await names(), [
    ['SPEAKER_00', 'A'],
    ['SPEAKER_01', 'B'],
    ['__proto__', 'C'],
  ]);
  const wrong = [
    { speaker: 'SPEAKER_00', name: 'X' },
    { speaker: 'SPEAKER_07', name: 'Y' },
  ];
  await assert.rejects(
    name(wrong),
    (error) => transcriptErrors.UNKNOWN_SPEAKER.is(error) && error.message.includes('SPEAKER_07'),
  );
  await name([{ speaker: '__proto__', name: '' }]);
  assert.deepEqual(await names(), [
    ['SPEAKER_00', 'A'],
    ['SPEAKER_01', 'B'],
  ]);
  await transcribe(index, cache_dir, 'aa', segments([' d'], ['SPEAKER_01']));
  assert.deepEqual(await names(), [['SPEAKER_01', 'B']]);
  await transcribe(index, cache_dir, 'aa', segments([' d'], ['SPEAKER_00']));
  assert.deepEqual(await names(), []);
  await assert.rejects(
    index.call('name_speakers', { cache_dir, hash_str: 'bb', assignments: [] }),
    storeErrors.NOT_ANALYZED.is,
  );
});

test('ten hours of speech take little more than their text, and come back whole', async (t) => {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  const texts = Array.from(
    { length: 20_000 },
    (_, i) => ` this is what was said as number ${i}, and then somewhat more`,
  );
  const said = segments(
    texts,
    texts.map((_, i) => `SPEAKER_0${i % 3}`),
  );
  await transcribe(index, cache_dir, 'aa', said);
  const { transcripts } = await index.call('transcripts', { cache_dir, hashes: ['aa'] });
  assert.deepEqual(transcripts[0]!.segments, said);
  const bytes = texts.reduce((sum, text) => sum + text.length, 0);
  assert.ok(statSync(join(cache_dir, 'records.mdb')).size < bytes + 20_000 * 17 + 200_000);
});

test('a transcript damaged anywhere is named and nothing else is lost; stored again, it is whole', async (t) => {
  const cache_dir = temporaryFolder(t);
  const first = await indexActor(t);
  const said = segments([' the quick brown fox said nothing at all']);
  for (const hash of ['aa', 'bb']) await transcribe(first, cache_dir, hash, said);
  await store(first, cache_dir, 'aa', someFootage(4, 1));
  await first.close();
  const file = join(cache_dir, 'records.mdb');
  const bytes = readFileSync(file);
  // The same bytes may lie in a page that is not used any more.
  for (let at = bytes.indexOf('quick'); at >= 0; at = bytes.indexOf('quick', at + 1)) {
    const before = bytes.subarray(Math.max(0, at - 4096), at);
    if (before.lastIndexOf('transcript/aa') > before.lastIndexOf('transcript/bb')) bytes[at]! ^= 1;
  }
  writeFileSync(file, bytes);
  const index = await indexActor(t);
  const answer = await index.call('transcripts', { cache_dir, hashes: ['aa', 'bb', 'cc'] });
  assert.deepEqual(answer.unreadable, ['aa']);
  assert.deepEqual(
    answer.transcripts.map((one) => one?.segments ?? null),
    [null, said, null],
  );
  const { marks } = await index.call('transcript_marks', { cache_dir, hashes: ['aa', 'bb'] });
  assert.deepEqual(marks, [null, mark]);
  assert.ok(index.lines.some(({ level, fields }) => level === 'warn' && fields['hash'] === 'aa'));
  await transcribe(index, cache_dir, 'aa', said);
  assert.deepEqual((await index.call('transcripts', { cache_dir, hashes: ['aa'] })).unreadable, []);
});

test('a folder that is not there yet has no transcripts and is not made; one out of reach is told', async (t) => {
  const index = await indexActor(t);
  const cache_dir = join(temporaryFolder(t), 'none');
  const read = (folder: string) => index.call('transcripts', { cache_dir: folder, hashes: ['aa'] });
  assert.deepEqual(await read(cache_dir), { transcripts: [null], unreadable: [] });
  assert.ok(!existsSync(cache_dir));
  await assert.rejects(
    read(join(cache_dir, 'deep')),
    (error) => error instanceof EngineError && error.code === 'STORE_UNAVAILABLE',
  );
});

test('names of subtitles are display names: people change them, and they follow whom they were given to', async (t) => {
  const [cache_dir, hash_str] = [temporaryFolder(t), 'aa'];
  const index = await indexActor(t);
  const put = (who: readonly string[], speaker_names?: Record<string, string>) => {
    const said = segments(
      who.map((_, i) => ` so ${i}`),
      who,
    );
    const named = speaker_names ? { ...mark, speaker_names } : mark;
    return index.call('transcribe', { cache_dir, media: mediaRecord('aa'), mark: named, segments: said });
  };
  const names = async () =>
    (await index.call('transcripts', { cache_dir, hashes: ['aa'] })).transcripts[0]?.names;
  const name = async (speaker: string, name: string) =>
    (await index.call('name_speakers', { cache_dir, hash_str, assignments: [{ speaker, name }] })).names;
  // As earlier versions stored it.
  await put(['ANN', 'BOB']);
  await name('ANN', 'Ann Lee');
  await put(['SPEAKER_00', 'SPEAKER_01'], { SPEAKER_00: 'ANN', SPEAKER_01: 'BOB' });
  assert.deepEqual(await names(), { SPEAKER_00: 'Ann Lee', SPEAKER_01: 'BOB' });
  await loadAll(index, cache_dir);
  const by = (speaker_name: string) => find(index, cache_dir, 'so', { speaker_name });
  for (const wanted of ['SPEAKER_00', 'speaker_00', 'ann lee', 'ANN', 'lee', ' Le ']) {
    assert.deepEqual(await by(wanted), ['aa:0'], wanted);
  }
  assert.deepEqual([await by('bob'), await by('SPEAKER_'), await by('x')], [['aa:1'], [], []]);
  assert.deepEqual(await name('SPEAKER_01', 'Bobby'), { SPEAKER_00: 'Ann Lee', SPEAKER_01: 'Bobby' });
  assert.deepEqual([await by('Bobby'), await by('BOB'), await by('bobb')], [['aa:1'], ['aa:1'], ['aa:1']]);
  // The subtitles were edited: another one speaks first.
  await put(['SPEAKER_00', 'SPEAKER_01'], { SPEAKER_00: 'BOB', SPEAKER_01: 'CY' });
  assert.deepEqual(await names(), { SPEAKER_00: 'Bobby', SPEAKER_01: 'CY' });
  assert.deepEqual(await name('SPEAKER_00', ''), { SPEAKER_00: 'BOB', SPEAKER_01: 'CY' });
});
