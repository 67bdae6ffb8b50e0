// Subtitles beside a media file and inside it, through the two questions of the contract.
import assert from 'node:assert/strict';
import { mkdir, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { Check } from 'typebox/value';
import { speechErrors, transcriberContract } from '../../../../../actors/transcriber/contract.ts';
import {
  captions,
  sidecar,
  sidecarVersion,
} from '../../../../../actors/transcriber/text/subtitles/sidecar.ts';
import type { EngineError } from '../../../../../runtime/errors.ts';
import { temporaryFolder } from '../../../../temporary-folder.ts';
import { encode } from './encoder.ts';

const folder = temporaryFolder();

/** A media file of its own with files beside it. */
let count = 0;
async function media(files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const place = join(folder, String(++count));
  await mkdir(place);
  for (const [name, text] of Object.entries(files)) await writeFile(join(place, name), text);
  return join(place, 'film.mp4');
}
async function found(files: Readonly<Record<string, string | Uint8Array>>, language: string | null = 'en') {
  const answer = await sidecar({ media_path: await media(files), language });
  assert.ok(Check(transcriberContract.messages.sidecar.reply, answer));
  return answer;
}
const cue = (text: string) => `1\n00:00:01,000 --> 00:00:02,000\n${text}\n`;

test('nothing beside the media, or no such folder, is null', async () => {
  assert.equal(await found({}), null);
  assert.equal(await found({ 'other.srt': cue('no') }), null);
  assert.equal(await sidecar({ media_path: join(folder, 'nowhere', 'film.mp4'), language: null }), null);
});

test('the version is that of the text which is read, whoever copied it', async () => {
  const files = { 'film.en.srt': cue('Hi'), 'film.de.srt': cue('Hallo') };
  const version = async (media_path: string) => sidecarVersion({ media_path, language: 'en' });
  const path = await media(files);
  const first = await version(path);
  assert.equal(first, (await sidecar({ media_path: path, language: 'en' }))?.version);
  assert.equal(await version(await media(files)), first);
  assert.notEqual(await version(await media({ ...files, 'film.en.srt': cue('Ho') })), first);
  assert.equal(await version(await media({})), null);
});

test('files of other languages are read beside the best match, and one that is broken is named', async () => {
  const files = {
    'film.srt': cue('Hi'),
    'film.de.srt': cue('Hallo'),
    'film.de.forced.srt': cue('Bonjour'),
    'film.fr.vtt': 'nothing',
  };
  const media_path = await media(files);
  const answer = await sidecar({ media_path, language: null });
  assert.ok(answer);
  assert.match(answer.path, /film\.srt$/);
  assert.deepEqual(
    answer.others.map(({ language, segments }) => [language, segments.map(({ text }) => text.trim())]),
    [['de', ['Hallo']]],
  );
  assert.match(answer.unreadable.join(), /film\.fr\.vtt: there is no cue in it/);
  const before = await sidecarVersion({ media_path, language: null });
  assert.equal(before, answer.version);
  await writeFile(join(media_path, '..', 'film.de.srt'), cue('Servus'));
  assert.notEqual(await sidecarVersion({ media_path, language: null }), before);
});

test('a folder with very many files is listed once, and again when it changes', async () => {
  const media_path = await media({ 'film.srt': cue('Hi') });
  const place = join(media_path, '..');
  const others = Array.from({ length: 3000 }, (_, i) => join(place, `take ${i}.mp4`));
  await Promise.all(others.map((path) => writeFile(path, '')));
  await utimes(place, 1000, 1000);
  const began = process.cpuUsage();
  for (const path of others) assert.equal(await sidecarVersion({ media_path: path, language: null }), null);
  const { user, system } = process.cpuUsage(began);
  assert.ok(user + system < 3_000_000, 'listed for each');
  await writeFile(join(place, 'take 7.srt'), cue('Ho'));
  const answer = await sidecar({ media_path: others[7]!, language: null });
  assert.match(answer?.path ?? '', /take 7\.srt$/);
});

test('the best match is read, with its language and what was corrected', async () => {
  const broken = `${cue('MARY: Hi')}\n2\nx --> 00:00:03,000\nlost\n\n3\n00:00:05,000 -->\nopen`;
  const answer = await found({ 'film.en.srt': broken, 'film.de.srt': cue('Hallo') });
  assert.ok(answer);
  assert.match(answer.path, /film\.en\.srt$/);
  assert.deepEqual(
    { ...answer, path: '', version: '', others: [] },
    {
      path: '',
      version: '',
      others: [],
      unreadable: [],
      language: 'en',
      segments: [
        { start_seconds: 1, end_seconds: 2, text: ' Hi', speaker: 'MARY' },
        { start_seconds: 5, end_seconds: 6, text: ' open', speaker: null },
      ],
      skipped: 1,
      repaired: 1,
    },
  );
});

test('the language is that of the name, else what the file itself says, else nobody knows it', async () => {
  const vtt = 'WEBVTT\nLanguage: fr-FR\n\n00:01.000 --> 00:02.000\nOui\n';
  assert.equal((await found({ 'film.vtt': vtt }))?.language, 'fr-FR');
  assert.equal((await found({ 'film.ger.vtt': vtt }))?.language, 'de');
  assert.equal((await found({ 'film.srt': cue('Oui') }))?.language, null);
});

test('files of any age are read in the encoding their name and bytes tell', async () => {
  const said = 'こんにちは、お元気ですか。';
  const rows: [string, Uint8Array, string][] = [
    ['film.ja.srt', encode(cue(said), 'shift_jis'), said],
    ['film.srt', encode(cue(said), 'shift_jis'), said],
    ['film.fr.srt', encode(cue('Où est-il allé ?'), 'windows-1252'), 'Où est-il allé ?'],
    ['film.srt', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(cue('Größe'), 'utf16le')]), 'Größe'],
  ];
  for (const [name, bytes, text] of rows) {
    assert.equal((await found({ [name]: bytes }))?.segments[0]?.text, ` ${text}`, name);
  }
});

test('a file that holds no cue is an error that names it, and no other file takes its place', async () => {
  const rows: [string, string | Uint8Array, RegExp][] = [
    ['', '', /no cue/],
    ['text', 'just a text\n', /no cue/],
    ['a picture', Uint8Array.from({ length: 4000 }, (_, i) => (i * 7919) & 255), /no cue/],
    ['cues without a time', '1\nxx --> 00:00:01,000\na\n', /none of its 1 cues/],
    ['a header alone', 'WEBVTT\n\n', /no cue/],
  ];
  for (const [what, content, message] of rows) {
    const error = await found({ 'film.en.srt': content, 'film.srt': cue('other') }).catch((e: unknown) => e);
    assert.ok(speechErrors.SUBTITLES_INVALID.is(error), what);
    assert.match(error.message, /film\.en\.srt/);
    assert.match(error.message, message);
  }
});

test('what cannot be opened, and what is far too large, is an error that names it', async () => {
  const path = await media({});
  await mkdir(path.replace('.mp4', '.srt'));
  const isInvalid = (error: EngineError) =>
    speechErrors.SUBTITLES_INVALID.is(error) && /film\.srt/.test(error.message);
  await assert.rejects(sidecar({ media_path: path, language: null }), isInvalid);
  const large = await media({ 'film.srt': cue('a') });
  await truncate(large.replace('.mp4', '.srt'), 40 * 1024 * 1024);
  await assert.rejects(sidecar({ media_path: large, language: null }), isInvalid);
});

const events: [codec: string, text: string, expected: string, speaker: string | null][] = [
  ['subrip', '<i>MARY: Hi</i> {\\an8}you', 'Hi you', 'MARY'],
  ['mov_text', 'One\n<two>', 'One <two>', null],
  ['text', 'One', 'One', null],
  ['ass', '5,0,Default,Bob,0,0,0,,{\\b1}One\\Ntwo, three', 'One two, three', 'Bob'],
  ['ssa', 'Dialogue: Marked=0,0:00:09.00,0:00:10.00,Default,,0,0,0,,One', 'One', null],
  ['webvtt', '<v Ann>One &amp; two', 'One & two', 'Ann'],
  ['ttml', '<tt><body><p begin="1.2s" end="1.8s">One<br/>two</p></body></tt>', 'One two', null],
];
for (const [codec, text, expected, speaker] of events) {
  test(`an event of ${codec} becomes a segment`, () => {
    const cues = [{ start_seconds: 1, end_seconds: 2, text }];
    const answer = captions({ codec, header: null, cues });
    assert.ok(Check(transcriberContract.messages.captions.reply, answer));
    const [segment, ...more] = answer.segments;
    const [start_seconds, end_seconds] = codec === 'ttml' ? [1.2, 1.8] : [1, 2];
    assert.deepEqual(segment, { start_seconds, end_seconds, text: ` ${expected}`, speaker });
    assert.deepEqual(more, []);
  });
}

test('events without an end last until the next; those without text only end the one before', () => {
  const at = (start_seconds: number, text: string) => ({ start_seconds, end_seconds: start_seconds, text });
  const cues = [at(1, 'One'), at(1.5, ''), at(3, 'Two')];
  const { segments, skipped, repaired } = captions({ codec: 'mov_text', header: null, cues });
  assert.deepEqual(
    segments.map(({ start_seconds, end_seconds }) => [start_seconds, end_seconds]),
    [
      [1, 1.5],
      [3, 4],
    ],
  );
  assert.deepEqual({ skipped, repaired }, { skipped: 0, repaired: 2 });
});

test('a track without events is an empty transcript; pictures and broken events are errors', () => {
  assert.deepEqual(captions({ codec: 'subrip', header: null, cues: [] }).segments, []);
  const cues = [{ start_seconds: 1, end_seconds: 2, text: 'not an event' }];
  const isInvalid = (error: EngineError) => speechErrors.SUBTITLES_INVALID.is(error);
  assert.throws(() => captions({ codec: 'ass', header: null, cues }), isInvalid);
  assert.throws(() => captions({ codec: 'dvd_subtitle', header: null, cues }), isInvalid);
});

test('forced subtitles beside a film do not stand in for a full track in it', async (t) => {
  const film = join(temporaryFolder(t), 'film.mkv');
  await writeFile(film.replace('.mkv', '.forced.srt'), '1\n00:00:01,000 --> 00:00:02,000\nDa\n');
  const request = { media_path: film, language: null };
  assert.equal((await sidecar(request))?.segments.length, 1);
  assert.equal(await sidecar({ ...request, has_track: true }), null);
  assert.equal(await sidecarVersion({ ...request, has_track: true }), null);
  await writeFile(film.replace('.mkv', '.srt'), '1\n00:00:01,000 --> 00:00:02,000\nYes\n');
  assert.equal((await sidecar({ ...request, has_track: true }))?.segments[0]?.text.trim(), 'Yes');
});
