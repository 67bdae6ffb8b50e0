import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { mostPictureBytes } from '../../../actors/models/contract.ts';
import { currentKey, olderKeys } from '../../../actors/models/other-keys.ts';
import { checkUserRow, findRow } from '../../../actors/models/registry.ts';
import { builtInRows } from '../../../actors/models/rows/list.ts';

const rowOf = (key: string) => builtInRows.find((row) => row.key === key)!;
const clip = rowOf('clip-b32');
const own = { ...clip, key: 'mine', files: clip.files.map((file) => ({ ...file, url: null })) };
const detector = { ...rowOf('yunet-2023mar'), key: 'mine' };
const embedder = { ...rowOf('auraface-v1'), key: 'mine' };
const writer = { ...rowOf('x3-vl-2b-instruct'), key: 'mine' };

const voice = { ...rowOf('campplus-zh-en'), key: 'mine' };
const reader = { ...rowOf('pp-ocr-v4'), key: 'mine' };
const ofPackage = (change: object, source: object = {}) => {
  const [first, ...rest] = reader.files;
  return JSON.stringify({
    ...reader,
    files: [{ ...first, npm: { ...first!.npm, ...source }, ...change }, ...rest],
  });
};
const { evidence } = rowOf('starter-speaker').speaker!;
const plda = { role: 'plda', name: 'plda.bin', url: null, size: null, sha256: null };

const wrong: [string, string, string, RegExp][] = [
  ['not JSON', '{', '', /is not JSON/],
  ['no object', '[]', '', /object/],
  ['a missing field', JSON.stringify({ ...own, license: undefined }), '', /license/],
  ['a wrong number', JSON.stringify({ ...own, speed: 9 }), '/speed', /5/],
  [
    'a hash cut short',
    JSON.stringify({ ...own, files: [{ ...own.files[0], sha256: 'abc' }] }),
    '/files/0/sha256',
    /./,
  ],
  [
    'a file name that leaves the folder',
    JSON.stringify({ ...own, files: [{ ...own.files[0], name: '../../x' }] }),
    '/files/0/name',
    /pattern/,
  ],
  ['a file of a package and of a server', ofPackage({ url: 'https://a/b' }), '/files', /no url/],
  ['a file of a package without its sha256', ofPackage({ sha256: null }), '/files', /needs size, sha256/],
  ['a file out of two', ofPackage({}, { paths: ['a', 'b'] }), '/files', /several paths a conversion/],
  ['a range of versions', ofPackage({}, { version: '^1.4.2' }), '/files/0/npm/version', /pattern/],
  ['a path out of the package', ofPackage({}, { paths: ['../a'] }), '/files/0/npm/paths/0', /pattern/],
  ['an option for npm', ofPackage({}, { package: '--global' }), '/files/0/npm/package', /pattern/],
  ['a conversion nobody knows', ofPackage({}, { convert: 'caffe' }), '/files/0/npm/convert', /./],
  [
    'a visual model without its visual side',
    JSON.stringify({ ...own, visual: undefined }),
    '/visual',
    /missing/,
  ],
  [
    'a picture that fits no slot',
    JSON.stringify({
      ...own,
      visual: { ...own.visual, shape: { ...own.visual!.shape, width: 513, height: 512 } },
    }),
    '/visual/shape',
    /513×512 is larger than the limit of 512×512 pixels/,
  ],
  ['a role named twice', JSON.stringify({ ...own, files: [own.files[0], own.files[0]] }), '/files', /twice/],
  ['the key of another folder', JSON.stringify({ ...own, key: 'yours' }), '/key', /mine/],
  ['a key of the program', JSON.stringify({ ...own, key: 'clip-b32' }), '/key', /built-in model/],
  ['a word of pull as its key', JSON.stringify({ ...own, key: 'faces' }), '/key', /group of models/],
  [
    'no side of a face detector',
    JSON.stringify({ ...detector, detector: undefined }),
    '/detector',
    /missing/,
  ],
  [
    'no side of a face embedder',
    JSON.stringify({ ...embedder, embedder: undefined }),
    '/embedder',
    /missing/,
  ],
  [
    'the side of another kind only',
    JSON.stringify({ ...embedder, embedder: undefined, detector: detector.detector }),
    '/embedder',
    /missing for a face-embedder model/,
  ],
  [
    'a family of the other kind',
    JSON.stringify({ ...detector, family: 'arcface' }),
    '/family',
    /"arcface" .* use one of yunet, scrfd, blazeface/,
  ],
  [
    'no such order of colours',
    JSON.stringify({ ...detector, detector: { ...detector.detector, color: 'rbg' } }),
    '/detector/color',
    /./,
  ],
  [
    'a scale of 0',
    JSON.stringify({ ...embedder, embedder: { ...embedder.embedder, scale: 0 } }),
    '/embedder/scale',
    /0/,
  ],
  [
    'sides that are no whole cells',
    JSON.stringify({ ...detector, detector: { ...detector.detector, multiple: 16 } }),
    '/detector/multiple',
    /16 is not a multiple of 32/,
  ],
  [
    'a side that is no multiple',
    JSON.stringify({ ...detector, detector: { ...detector.detector, fixed_side: 650 } }),
    '/detector/fixed_side',
    /650 is not a multiple of 32/,
  ],
  [
    'a centre of another length',
    JSON.stringify({ ...embedder, embedder: { ...embedder.embedder, centre: [0.1, 0.2] } }),
    '/embedder/centre',
    /has 2 values, not 512/,
  ],
  [
    'largest faces below the smallest',
    JSON.stringify({ ...detector, detector: { ...detector.detector, most_face: 5 } }),
    '/detector/most_face',
    /5 is less than least_face, 10/,
  ],
  [
    'a language model of an unknown family',
    JSON.stringify({ ...writer, family: 'gemma' }),
    '/family',
    /"gemma" is not a family of summary models; use one of qwen3vl, smolvlm/,
  ],
  [
    'pictures of a language model that are no whole tokens',
    JSON.stringify({ ...writer, frame_resolution: 450 }),
    '/frame_resolution',
    /450 is not a multiple of 32/,
  ],
  [
    'answers of a language model as long as its context',
    JSON.stringify({ ...writer, summary: { ...writer.summary, answer: 4096 } }),
    '/summary/answer',
    /leaves no room for a prompt in a context of 4096/,
  ],
  [
    'no side of a language model',
    JSON.stringify({ ...writer, summary: undefined }),
    '/summary',
    /is missing/,
  ],
  [
    'settings for a PLDA that is not there',
    JSON.stringify({ ...voice, speaker: { ...voice.speaker, evidence } }),
    '/files',
    /role "plda".*evidence/,
  ],
  [
    'a PLDA without its settings',
    JSON.stringify({ ...voice, files: [...voice.files, plda] }),
    '/speaker/evidence',
    /is required/,
  ],
  [
    'no graph of a face model',
    JSON.stringify({ ...embedder, files: [{ ...embedder.files[0], role: 'vision' }] }),
    '/files',
    /role "graph"/,
  ],
];
for (const [what, text, field, message] of wrong) {
  test(`a model.json with ${what} is told by file and field`, () => {
    const found = checkUserRow('/m/mine/model.json', 'mine', text);
    assert('problem' in found);
    assert.equal(found.problem.file, '/m/mine/model.json');
    assert.equal(found.problem.field, field);
    assert.match(found.problem.message, message);
  });
}

test('a picture as large as a slot is taken, in any proportion', () => {
  for (const [width, height] of [
    [512, 512],
    [1024, 256],
  ]) {
    const visual = { ...own.visual, shape: { ...own.visual!.shape, width, height } };
    assert('row' in checkUserRow('/m/mine/model.json', 'mine', JSON.stringify({ ...own, visual })));
  }
  for (const { key, visual } of builtInRows)
    assert(!visual || visual.shape.width * visual.shape.height * 3 <= mostPictureBytes, key);
});

test('folders may hold any detector and embedder whose family is known', () => {
  const rows = [
    detector,
    {
      ...detector,
      family: 'scrfd',
      detector: { ...detector.detector, color: 'rgb', mean: 127.5, scale: 128 },
    },
    embedder,
    { ...embedder, family: 'sface' },
  ];
  for (const row of rows) assert('row' in checkUserRow('/m/mine/model.json', 'mine', JSON.stringify(row)));
});

test('a speaker model may bring a PLDA and its settings', () => {
  const row = { ...voice, files: [...voice.files, plda], speaker: { ...voice.speaker, evidence } };
  assert('row' in checkUserRow('/m/mine/model.json', 'mine', JSON.stringify(row)));
});

test('every model.json shown in the documentation is a row', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/models.md'), 'utf8');
  const shown = [...page.matchAll(/```json\n([^`]+)```/g)].map(([, text]) => text!);
  const kinds = shown.map((text) => {
    const { key } = JSON.parse(text) as { key: string };
    const found = checkUserRow(`/m/${key}/model.json`, key, text);
    assert(
      'row' in found,
      'problem' in found ? `${key} ${found.problem.field}: ${found.problem.message}` : key,
    );
    return found.row.kind;
  });
  // One of each kind there is.
  assert.deepEqual(kinds.toSorted(), [...new Set(builtInRows.map(({ kind }) => kind))].toSorted());
});

test('a key from before names the row that has taken its place, and that row knows it', () => {
  const before = ['starter-visual', 'starter-visual-2'];
  for (const key of before) {
    assert.equal(currentKey(key), 'starter-visual-3');
    assert.equal(findRow({ rows: builtInRows, problems: [] }, key).key, 'starter-visual-3');
  }
  assert.deepEqual(olderKeys('starter-visual-3'), before);
});

test('every other key is what it is', () => {
  for (const key of ['siglip2-b16-256', 'starter-speaker', 'toString', '']) {
    assert.equal(currentKey(key), key);
    assert.deepEqual(olderKeys(key), []);
  }
});
