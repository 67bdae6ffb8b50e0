// The published model: values of its graphs, and words that are really read.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import sharp from 'sharp';
import { openSession } from '../../../actors/models/session.ts';
import { PaddleReader } from '../../../actors/text-reader/model.ts';
import { readPicture } from '../../../actors/text-reader/reading.ts';
import { cutLine } from '../../../actors/text-reader/recognition/line.ts';
import { createLog } from '../../../runtime/log.ts';
import { sharedPath, skipWithout } from '../../shared.ts';
import { drawn } from './graphs.ts';

const files = ['ch_PP-OCRv4_det_infer.onnx', 'ch_PP-OCRv4_rec_infer.onnx', 'ppocr_keys_v1.txt'] as const;
const folder = 'weights/pp-ocr-v4';
const skip = skipWithout(...files.map((name) => `${folder}/${name}`));
const session = (source: string | Uint8Array, convolutional = true) =>
  openSession(source, { device: 'cpu', threads: 1, log: createLog('test', () => {}), convolutional });
const [detector, recognizer, dictionary] = files.map((name) => sharedPath(join(folder, name))) as [
  string,
  string,
  string,
];

test('a line of the height of the graph gives the values that were published with it', { skip }, async () => {
  const picture = drawn(320, 48, (x, y) => [0, 29, 58].map((more) => (7 * x + 13 * y + more) % 256) as never);
  const { data, width } = cutLine(picture, { x: 160, y: 24, ux: 1, uy: 0, width: 320, height: 48 });
  const graph = await session(recognizer);
  const { 'softmax_11.tmp_0': steps } = await graph.run({ x: { data, dims: [1, 3, 48, width] } });
  await graph.release();
  assert.deepEqual(steps!.dims, [1, 40, 6625]);
  assert.ok(Math.abs(Number(steps!.data[0]) - 0.999885) < 1e-3, `${steps!.data[0]}`);
});

test('both graphs answer on the processor what they were published with', { skip }, async () => {
  const svg = `<svg width="640" height="96"><rect width="640" height="96" fill="#357"/>
    <text x="20" y="60" font-size="40" fill="#fff" font-family="DejaVu Sans">Harbour authority</text></svg>`;
  const rgb = await sharp(Buffer.from(svg)).removeAlpha().raw().toBuffer();
  for (const [path, height] of [
    [detector, 96],
    [recognizer, 48],
  ] as const) {
    const planes = Float32Array.from({ length: 3 * height * 640 }, (_, i) => {
      const [plane, at] = [Math.floor(i / (height * 640)), i % (height * 640)];
      return rgb[(at + (96 - height) * 320) * 3 + 2 - plane]! / 127.5 - 1;
    });
    const answers: ArrayLike<number>[] = [];
    for (const convolutional of [false, true]) {
      const graph = await session(path, convolutional);
      const feeds = { x: { data: planes, dims: [1, 3, height, 640] } };
      answers.push(Object.values(await graph.run(feeds))[0]!.data as Float32Array);
      await graph.release();
    }
    const [published, own] = answers as [Float32Array, Float32Array];
    assert.ok(
      published.some((value) => value > 0.9),
      'there is text',
    );
    const off = published.reduce((most, value, i) => Math.max(most, Math.abs(value - own[i]!)), 0);
    assert.ok(off < 2e-4, `${path}: ${off}`);
  }
});

test('words are read in a small and a large picture, slanted and turned ones too', { skip }, async (t) => {
  const svg = `<svg width="1280" height="720"><rect width="1280" height="720" fill="#234"/>
    <g fill="#eee" font-family="DejaVu Sans"><text x="80" y="120" font-size="48">Quarterly budget 2026</text>
    <text x="80" y="300" font-size="16">small print of sixteen pixels</text>
    <text x="80" y="500" font-size="30" transform="rotate(10 80 500)">slanted by ten degrees</text>
    <text x="900" y="100" font-size="30" transform="rotate(90 900 100)">turned by a quarter</text>
    <text x="1100" y="600" font-size="30" transform="rotate(-90 1100 600)">turned the other way</text></g></svg>`;
  const { data, info } = await sharp(Buffer.from(svg))
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const open = (source: string | Uint8Array) => session(source);
  const reader = await PaddleReader.open({ detector, recognizer, dictionary }, open, async () => {});
  t.after(() => reader.close());
  const picture = { data, width: info.width, height: info.height };
  for (const side of [640, 960]) {
    const run = <T>(work: (one: PaddleReader) => Promise<T>) => work(reader);
    const { reading } = await readPicture(picture, { side, before: null, checkpoint: async () => {}, run });
    const texts = reading.lines.filter(({ score }) => score >= 0.9).map(({ text }) => text);
    assert.deepEqual(texts.toSorted(), [
      'Quarterly budget 2026',
      'slanted by ten degrees',
      'small print of sixteen pixels',
      'turned by a quarter',
      'turned the other way',
    ]);
  }
});
