import assert from 'node:assert/strict';
import test from 'node:test';
import { faceFamilies, isFaceKind } from '../../../../actors/models/advice.ts';
import { distanceOf, usualEps } from '../../../../actors/models/face-distance.ts';
import { faceRows } from '../../../../actors/models/rows/faces.ts';

const published = [
  ['yunet-2026may', 'face-detector', 'yunet', /^MIT;.*non-commercial/, [['graph', 229_738, 'ebafce4e']]],
  ['yunet-2023mar', 'face-detector', 'yunet', /^MIT;.*non-commercial/, [['graph', 232_589, '8f2383e4']]],
  [
    'blazeface-256',
    'face-detector',
    'blazeface',
    /^Apache-2.0, .*not published$/,
    [
      ['graph', 561_653, '317ee7d2'],
      ['mesh', 2_975_947, '2e10a812'],
    ],
  ],
  ['sface', 'face-embedder', 'sface', /^Apache-2.0$/, [['graph', 38_696_353, '0ba9fbfa']]],
  ['sface-int8', 'face-embedder', 'sface', /^Apache-2.0$/, [['graph', 9_896_933, '2b0e941e']]],
  ['auraface-v1', 'face-embedder', 'arcface', /^Apache-2.0$/, [['graph', 260_694_151, 'a7933ea5']]],
  ['dlib-resnet-v1', 'face-embedder', 'dlib', /^CC0-1.0, .*a lawyer/, [['graph', 22_436_581, '32e3e7f9']]],
] as const;

test('each face model has graphs of the published size and sha256, with its licence', () => {
  assert.deepEqual(
    faceRows.map(({ key }) => key),
    published.map(([key]) => key),
  );
  for (const [i, [key, kind, family, license, files]] of published.entries()) {
    const row = faceRows[i]!;
    assert.deepEqual([row.kind, row.family], [kind, family], key);
    assert.match(row.license, license);
    assert.deepEqual(
      row.files.map((file) => [file.role, file.size, file.sha256?.slice(0, 8)]),
      files,
      key,
    );
  }
});

test('no weights of InsightFace are among them: they are not for commercial use', () => {
  for (const { files } of faceRows)
    for (const { url } of files) assert.doesNotMatch(url ?? '', /buffalo|antelope|scrfd|det_10g|w600k/);
});

test('every row is of a family that there is code for', () => {
  for (const { key, kind, family } of faceRows) {
    assert.ok(isFaceKind(kind), key);
    assert.ok((faceFamilies[kind] as readonly string[]).includes(family), key);
  }
});

test('YuNet takes B, G, R from 0 to 255 and calls nothing a face that gravel is taken for', () => {
  const detectors = faceRows.filter(({ family }) => family === 'yunet').map(({ detector }) => detector!);
  assert.deepEqual(
    detectors.map(({ fixed_side }) => fixed_side),
    [null, 640],
  );
  for (const { color, mean, scale, multiple, score, least_face, most_face } of detectors) {
    assert.deepEqual([color, mean, scale, multiple], ['bgr', 0, 1, 32]);
    assert.deepEqual([least_face, most_face], [10, 300]);
    assert.ok(score > 0.77, `${score}`);
  }
});

test('embedders take one face at a time, and cluster more strictly than they verify', () => {
  const embedders = faceRows.flatMap(({ embedder }) => embedder ?? []);
  assert.deepEqual(
    embedders.map(({ color, mean, scale, dimensions }) => [color, mean, scale, dimensions]),
    [
      ['rgb', 0, 1, 128],
      ['rgb', 0, 1, 128],
      ['rgb', 127.5, 127.5, 512],
      ['rgb', 0, 1, 128],
    ],
  );
  for (const { batch, eps, thresholds } of embedders) {
    assert.equal(batch, 1);
    assert.ok(eps < 1 - thresholds.same, `${eps}`);
    assert.ok(thresholds.margin > 0);
  }
});

test('strangers of dlib are far from at right angles, so that its row has a centre and an eps of its own', () => {
  const { centre = [], eps, dimensions } = faceRows.find(({ family }) => family === 'dlib')!.embedder!;
  assert.equal(centre.length, dimensions);
  assert.ok(Math.abs(Math.hypot(...centre) - 0.917) < 0.001, `${Math.hypot(...centre)}`);
  assert.equal(distanceOf(usualEps, eps), 0.26);
});
