import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FileBytes, isMatroska, matroskaHeaderBytes } from '../../../../actors/decoder/source/film-memory.ts';
import {
  attachments,
  cluster,
  ebml,
  element,
  seekHead,
  seekPoint,
  seekPosition,
  segment,
} from '../footage/matroska.ts';

const inMemory = (data: Buffer) =>
  new FileBytes(data.length, (into, position) => data.copy(into, 0, position));
const whole = (id: number, content: Buffer) => element(id, content.length, content);
const bytesOf = (parts: readonly Buffer[], segmentLength = Buffer.concat(parts).length) =>
  inMemory(Buffer.concat([whole(ebml, Buffer.alloc(4)), element(segment, segmentLength), ...parts]));

test('files attached before the pictures count', () => {
  const bytes = bytesOf([whole(attachments, Buffer.alloc(500)), whole(cluster, Buffer.alloc(9000))]);
  assert.ok(isMatroska(bytes));
  assert.equal(matroskaHeaderBytes(bytes), 500);
});

test('files attached behind the pictures count where the index names them, once', () => {
  const clusters = whole(cluster, Buffer.alloc(9000));
  const position = Buffer.alloc(4);
  const index = () =>
    whole(seekHead, Buffer.concat([1, 2].map(() => whole(seekPoint, whole(seekPosition, position)))));
  position.writeUInt32BE(index().length + clusters.length);
  const head = index();
  const bytes = bytesOf([head, clusters, whole(attachments, Buffer.alloc(700))]);
  assert.equal(matroskaHeaderBytes(bytes), 700 + head.length - 12);
});

test('a segment of unknown length goes on to the end of the file', () => {
  const unknown = 2 ** 53;
  const parts = [whole(attachments, Buffer.alloc(500))];
  assert.equal(matroskaHeaderBytes(bytesOf(parts, unknown)), 500);
});

test('what is no Matroska, or is cut off, has no header to read', () => {
  assert.equal(isMatroska(inMemory(Buffer.from('ftypisom'))), false);
  assert.equal(matroskaHeaderBytes(inMemory(element(ebml, 40))), 0);
  const zeros = inMemory(Buffer.concat([element(ebml, 0), Buffer.alloc(100)]));
  assert.equal(matroskaHeaderBytes(zeros), 0);
});
