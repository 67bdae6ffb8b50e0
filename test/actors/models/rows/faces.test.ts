import assert from 'node:assert/strict';
import test from 'node:test';
import { faceFamilies, isFaceKind } from '../../../../actors/models/face-kinds.ts';
import { faceRows } from '../../../../actors/models/rows/faces.ts';

const published = [
  ['yunet-2026may', 'face-detector', 'yunet', 229_738, /^MIT;.*non-commercial/, 'ebafce4e'],
  ['yunet-2023mar', 'face-detector', 'yunet', 232_589, /^MIT;.*non-commercial/, '8f2383e4'],
  ['sface', 'face-embedder', 'sface', 38_696_353, /^Apache-2.0$/, '0ba9fbfa'],
  ['sface-int8', 'face-embedder', 'sface', 9_896_933, /^Apache-2.0$/, '2b0e941e'],
  ['auraface-v1', 'face-embedder', 'arcface', 260_694_151, /^Apache-2.0$/, 'a7933ea5'],
] as const;

test('each face model is one graph of the published size and sha256 with its licence', () => {
  assert.deepEqual(
    faceRows.map(({ key }) => key),
    published.map(([key]) => key),
  );
  for (const [i, [key, kind, family, size, license, sha256]] of published.entries()) {
    const row = faceRows[i]!;
    assert.deepEqual([row.kind, row.family], [kind, family], key);
    assert.match(row.license, license);
    assert.deepEqual(
      row.files.map((file) => [file.role, file.size, file.sha256?.slice(0, 8)]),
      [['graph', size, sha256]],
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

test('detectors take B, G, R from 0 to 255 and call nothing a face that gravel is taken for', () => {
  const detectors = faceRows.flatMap(({ detector }) => detector ?? []);
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
    ],
  );
  for (const { batch, eps, thresholds } of embedders) {
    assert.equal(batch, 1);
    assert.ok(eps >= 0.45 && eps < 1 - thresholds.same, `${eps}`);
    assert.ok(thresholds.margin > 0);
  }
});
