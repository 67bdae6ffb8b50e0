import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  foldName,
  isPartialFolderName,
  isPartialName,
  isWatchedFile,
  isWatchedFolder,
} from '../../../actors/watcher/exclusions.ts';

test('media are looked at, in any case of letters', () => {
  for (const name of ['film.mp4', 'FILM.MOV', 'a b.JPG', 'x.tmp.wav', 'Ä.mkv', 'part.mp4', '~film.mp4'])
    assert.ok(isWatchedFile(name), name);
  for (const name of ['notes.txt', 'film', 'film.mp4.txt', 'film.prproj', '', '.', 'mp4'])
    assert.ok(!isWatchedFile(name), name);
});

test('what is still written is left, and the folder of a download', () => {
  for (const name of ['film.temp.mp4', '~$film.mp4']) assert.ok(!isWatchedFile(name), name);
  assert.ok(!isWatchedFolder('film.mp4.download'));
  for (const name of ['shoot.tmp', 'day 1~']) assert.ok(isWatchedFolder(name), name);
});

test('hidden names, and folders of the system and of storage devices, are left', () => {
  for (const name of ['.film.mp4', '._film.mp4', '.mp4']) assert.ok(!isWatchedFile(name), name);
  for (const name of [
    '.git',
    '.Trashes',
    '@eaDir',
    '$RECYCLE.BIN',
    'System Volume Information',
    'lost+found',
  ])
    assert.ok(!isWatchedFolder(name), name);
  for (const name of ['2024', 'film.mp4', 'a b', 'recycle', '$x']) assert.ok(isWatchedFolder(name), name);
});

const partial: Record<string, readonly string[]> = {
  Firefox: ['clip.mov.part', 'Xk3d9aQ1.mov.part'],
  'Chrome and Edge': ['clip.mov.crdownload', 'Unconfirmed 482913.crdownload'],
  Safari: ['clip.mov.download'],
  Opera: ['clip.mov.opdownload'],
  'Internet Explorer and Aspera': ['clip.mov.partial'],
  WinSCP: ['clip.mov.filepart'],
  aria2: ['clip.mov.aria2'],
  'Free Download Manager': ['clip.mov.fdmdownload'],
  Thunder: ['clip.mov.xltd'],
  uTorrent: ['clip.mov.!ut', 'clip.mov.!uT'],
  BitTorrent: ['clip.mov.!bt'],
  qBittorrent: ['clip.mov.!qB'],
  'Resilio Sync': ['clip.mov.!sync', 'clip.mov.!Sync'],
  BitComet: ['clip.mov.bc!'],
  Vuze: ['clip.mov.az!'],
  Syncthing: ['.syncthing.clip.mov.tmp', '~syncthing~clip.mov.tmp'],
  'many programs': ['clip.mov.tmp', 'clip.TMP', 'clip.mov.temp'],
  'yt-dlp': ['clip.temp.mp4', 'clip.mp4.part', 'My clip [abc].temp.webm'],
  'Office and LibreOffice': ['~$report.docx', '.~lock.report.odt#'],
  'editors and Sonarr': ['clip.mov~', 'clip.partial~'],
  "a Mac's safe save": ['clip.mov.sb-1a2b3c4d-XyZ0aB'],
};

for (const [program, names] of Object.entries(partial)) {
  test(`a partial name of ${program} is told`, () => {
    for (const name of names) assert.equal(isPartialName(name), true, name);
  });
}

test('a name of its own is not partial', () => {
  const whole = [
    'clip.mov',
    'part',
    'tmp',
    'download',
    'part.mov',
    'film.part1.mp4',
    'film.part.mp4',
    'temp.mp4',
    'room temp.mp4',
    'template.mp4',
    'my.temp.recording.mp4',
    'download.mov',
    'clip.downloads',
    'clip.mov.parts',
    '~clip.mov',
    'a~b.mov',
    '$clip.mov',
    'clip!.mov',
    'clip.sync-conflict-20240101-120000-ABCDEFG.mov',
    'clip.sb-1a2b3c4d.mov',
    'Copy (1).mov',
    '',
  ];
  for (const name of whole) assert.equal(isPartialName(name), false, name);
});

test('a folder is partial where a program downloads or saves into it, and not for a word in its name', () => {
  for (const name of ['clip.mov.download', 'Clip.Download', 'clip.fcpbundle.sb-1a2b3c4d-XyZ0aB'])
    assert.equal(isPartialFolderName(name), true, name);
  for (const name of ['download', 'shoot.tmp', 'interview.part', 'day 1~', 'downloads', 'clip.mov'])
    assert.equal(isPartialFolderName(name), false, name);
});

test('names that differ in case or normal form are one', () => {
  const same = [
    ['Müller', 'MU\u0308LLER'],
    ['ΟΔΟΣ', 'οδος'],
    ['straße', 'STRAẞE'],
    ['\u212b', 'å'],
    ['\u212a', 'k'],
    ['ſ', 's'],
    ['Ǆ', 'ǅ'],
    ['Ж', 'ж'],
    ['각', '\u1100\u1161\u11a8'],
  ];
  for (const [one, other] of same) assert.equal(foldName(one!), foldName(other!), `${one} ${other}`);
});

test('letters of their own stay so', () => {
  const different = [
    ['ß', 'ss'],
    ['ı', 'i'],
    ['İ', 'i'],
    ['é', 'e'],
    ['ﬁ', 'fi'],
  ];
  for (const [one, other] of different) assert.notEqual(foldName(one!), foldName(other!), `${one} ${other}`);
});

test("each character is folded as Unicode's simple folding has it", () => {
  for (let code = 0; code <= 0x1ffff; code++) {
    const character = String.fromCodePoint(code);
    if (!character.isWellFormed() || character.normalize('NFC') !== character) continue;
    const others = [character.toUpperCase(), character.toLowerCase(), foldName(character)];
    for (const other of others.filter((text) => text !== character && [...text].length === 1)) {
      const same = new RegExp(`^${character}$`, 'iu').test(other);
      assert.equal(foldName(other) === foldName(character), same, `${code.toString(16)} ${other}`);
    }
  }
});

test('a folded name stays as it is, and both ways to write ASCII agree', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (name) => {
      assert.equal(foldName(foldName(name)), foldName(name));
      assert.equal(foldName(name.normalize('NFD')), foldName(name));
      assert.equal(foldName(`${name}é`), `${foldName(name)}é`);
    }),
  );
});
