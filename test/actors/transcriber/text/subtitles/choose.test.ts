// Which file beside the media, and which track inside it, is taken as the transcript.
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  chooseSidecars,
  chooseTrack,
  type SubtitleSidecar,
  sidecarOf,
  unreadSubtitles,
} from '../../../../../actors/transcriber/text/subtitles/choose.ts';

const names: [name: string, language: string | null, kind: SubtitleSidecar['kind']][] = [
  ['film.srt', null, 'full'],
  ['FILM.SRT', null, 'full'],
  ['film.mp4.srt', null, 'full'],
  ['film.en.srt', 'en', 'full'],
  ['film.eng.srt', 'en', 'full'],
  ['film.English.srt', 'en', 'full'],
  ['film.Deutsch.srt', 'de', 'full'],
  ['film.ger.vtt', 'de', 'full'],
  ['film.pt-BR.vtt', 'pt-BR', 'full'],
  ['film.pt_br.vtt', 'pt-BR', 'full'],
  ['film_pt-BR.vtt', 'pt-BR', 'full'],
  ['film_en.srt', 'en', 'full'],
  ['film-fr.ass', 'fr', 'full'],
  ['film [English].srt', 'en', 'full'],
  ['film (fr).srt', 'fr', 'full'],
  ['film.zh-Hant.srt', 'zh-Hant', 'full'],
  ['film.es-419.srt', 'es-419', 'full'],
  ['film.Brazilian Portuguese.srt', 'pt-BR', 'full'],
  ['film.eng.forced.srt', 'en', 'forced'],
  ['film.forced.srt', null, 'forced'],
  ['film.en.sdh.srt', 'en', 'sdh'],
  ['film.en.hi.srt', 'en', 'sdh'],
  ['film.hi.srt', 'hi', 'full'],
  ['film.en.default.srt', 'en', 'full'],
  ['film.en.Director.srt', 'en', 'full'],
  ['film.en.commentary.srt', 'en', 'comment'],
  ['film.ttml', null, 'full'],
];
for (const [name, language, kind] of names) {
  test(`${name} lies beside film.mp4: ${language ?? 'no language'}, ${kind}`, () => {
    assert.deepEqual(sidecarOf('film.mp4', name), { name, language, kind });
  });
}

const others = [
  'film.mp4',
  'film.txt',
  'film',
  'film2.srt',
  'films.srt',
  'film.part2.srt',
  'film.2.srt',
  'film.new.srt',
  'film-2.srt',
  'other.srt',
  'other.film.srt',
  '.srt',
  'srt',
  'film.srt.bak',
];
for (const name of others) {
  test(`${name} is no subtitle of film.mp4`, () => assert.equal(sidecarOf('film.mp4', name), null));
}

test('subtitles of kinds that are not read are named, with those that are', () => {
  const names = ['film.sbv', 'film.de.scc', 'other.lrc', 'film.mkv', 'film.SUB', 'film.txt'];
  assert.equal(
    unreadSubtitles('film.mkv', names),
    'film.SUB, film.de.scc, film.sbv cannot be read; subtitles are read from .vtt, .srt, .ass, .ssa, .ttml, .dfxp',
  );
  assert.equal(unreadSubtitles('film.mkv', ['film.srt', 'other.lrc']), null);
});

test('letters with accents are the same however the system writes them', () => {
  assert.ok(sidecarOf('é\u0301tude.mp4'.normalize('NFC'), 'É\u0301tude.fr.srt'.normalize('NFD')));
});

const choices: [language: string | null, names: string[], chosen: string | null][] = [
  ['en', [], null],
  ['en', ['film.mp4', 'notes.txt'], null],
  ['en', ['film.de.srt', 'film.en.srt', 'film.srt'], 'film.en.srt'],
  ['english', ['film.de.srt', 'film.en.srt'], 'film.en.srt'],
  ['eng', ['film.de.srt', 'film.en.srt'], 'film.en.srt'],
  ['fr', ['film.en.srt', 'film.srt'], 'film.srt'],
  ['fr', ['film.en.srt', 'film.de.srt'], 'film.de.srt'],
  [null, ['film.en.srt', 'film.srt'], 'film.srt'],
  ['en', ['film.en.forced.srt', 'film.en.sdh.srt'], 'film.en.sdh.srt'],
  ['en', ['film.en.forced.srt', 'film.srt'], 'film.srt'],
  ['en', ['film.en.sdh.srt', 'film.en.srt'], 'film.en.srt'],
  ['pt-BR', ['film.pt.srt', 'film.pt-BR.srt'], 'film.pt-BR.srt'],
  ['pt', ['film.pt-BR.srt', 'film.es.srt'], 'film.pt-BR.srt'],
  ['zh-TW', ['film.zh-CN.srt', 'film.zh-Hant.srt'], 'film.zh-Hant.srt'],
  ['en', ['film.en.srt', 'film.en.vtt', 'film.en.ass'], 'film.en.vtt'],
];
for (const [language, among, chosen] of choices) {
  test(`of ${among.join(', ') || 'nothing'} for ${language}: ${chosen}`, () => {
    for (const order of [among, among.toReversed()]) {
      assert.equal(chooseSidecars('film.mp4', order, language)[0]?.name ?? null, chosen);
    }
  });
}

type Track = [codec: string, language: string | null];
const tracks: [language: string | null, tracks: Track[], index: number | null][] = [
  ['en', [], null],
  [
    'en',
    [
      ['hdmv_pgs_subtitle', 'eng'],
      ['dvd_subtitle', 'eng'],
    ],
    null,
  ],
  [
    'en',
    [
      ['hdmv_pgs_subtitle', 'eng'],
      ['subrip', 'fre'],
    ],
    1,
  ],
  [
    'en',
    [
      ['subrip', 'fre'],
      ['subrip', 'eng'],
    ],
    1,
  ],
  [
    'de',
    [
      ['mov_text', 'eng'],
      ['mov_text', 'und'],
    ],
    1,
  ],
  [
    'de',
    [
      ['ass', 'eng'],
      ['ass', 'ger'],
      ['ass', 'deu'],
    ],
    1,
  ],
  [
    'fr-CA',
    [
      ['webvtt', 'eng'],
      ['webvtt', 'fra'],
    ],
    1,
  ],
  [
    null,
    [
      ['subrip', 'eng'],
      ['subrip', null],
    ],
    1,
  ],
  [
    'ja',
    [
      ['subrip', 'eng'],
      ['subrip', 'ger'],
    ],
    0,
  ],
];
for (const [language, list, index] of tracks) {
  const said = list.map(([codec, own]) => `${codec} ${own}`).join(', ');
  test(`of the tracks ${said || '(none)'} for ${language}: ${index}`, () => {
    const among = list.map(([codec, own], i) => ({ index: i, codec, language: own }));
    assert.equal(chooseTrack(among, language)?.index ?? null, index);
  });
}

test('of several tracks the full one counts, the default before others, and forced ones last', () => {
  const track = (index: number, more: object = {}) => ({ index, codec: 'subrip', language: 'eng', ...more });
  const chosen = (...tracks: ReturnType<typeof track>[]) => chooseTrack(tracks, 'en')?.index;
  assert.equal(chosen(track(2, { kind: 'forced' }), track(3)), 3);
  assert.equal(chosen(track(2, { kind: 'sdh' }), track(3, { kind: 'comment' })), 2);
  assert.equal(chosen(track(2), track(3, { is_default: true })), 3);
  // A part of what is said in the language is less than all of it in another.
  assert.equal(chosen(track(2, { kind: 'forced', is_default: true }), track(3, { language: 'deu' })), 3);
  assert.equal(chosen(track(2, { kind: 'forced' })), 2);
});
