import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Canvas } from '../../../bench/samples/drawings/canvas.ts';
import { samples } from '../../../bench/samples/list.ts';
import { drawSamples, sampleFolder } from '../../../bench/samples/make.ts';
import { fullDecode, meanDifference } from '../../actors/decoder/footage/full-decode.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

const folder = temporaryFolder();

test('stills are drawn with the bytes that the product has', async () => {
  const files = ['stripes.png', 'fire.webp'];
  await drawSamples(folder, files);
  for (const file of files)
    assert.ok(readFileSync(join(folder, file)).equals(readFileSync(join(sampleFolder, file))), file);
});

// The bytes of a film depend on the instructions that the processor has for the encoder.
test('a film is drawn with the pictures that the product has', async () => {
  const file = 'shapes.webm';
  await drawSamples(folder, [file]);
  const shape = { width: 160, height: 90, fit: 'stretch', resample: 'area' } as const;
  const [drawn, kept] = [
    await fullDecode(join(folder, file), shape),
    await fullDecode(join(sampleFolder, file), shape),
  ];
  assert.ok(kept.length > 100);
  assert.deepEqual(
    drawn.map(({ seconds }) => seconds),
    kept.map(({ seconds }) => seconds),
  );
  const differences = drawn.map(({ rgb }, i) => meanDifference(rgb, kept[i]!.rgb));
  assert.ok(Math.max(...differences) < 2, `${Math.max(...differences)} levels`);
});

test('each sample has a name of its own and a line that says what it shows', () => {
  assert.equal(new Set(samples.map(({ file }) => file)).size, samples.length);
  assert.ok(samples.filter(({ file }) => /\.(mp4|mkv|webm)$/.test(file)).length >= 6);
  assert.ok(samples.filter(({ file }) => /\.(jpg|png|webp)$/.test(file)).length >= 10);
  for (const { description } of samples) assert.match(description, /^[A-Z0-9][^\n]{10,}[^.\n]$/);
});

test('each scene paints every pixel, deterministically', () => {
  const [width, height] = [64, 36];
  for (const sample of samples) {
    const shots =
      sample.kind === 'film' ? sample.shots : [{ scene: sample.scene, seconds: 2 * sample.moment }];
    for (const { scene, seconds } of shots) {
      const first = new Canvas(width, height);
      const second = new Canvas(width, height);
      second.rgb.fill(123);
      const paint = scene(width, height);
      paint(first, seconds / 2);
      paint(second, 0);
      paint(second, seconds / 2);
      assert.deepEqual(second.rgb, first.rgb, sample.file);
      assert.ok(new Set(first.rgb).size > 2, `${sample.file} is empty`);
    }
  }
});
