import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Canvas } from '../../../bench/samples/drawings/canvas.ts';
import { samples } from '../../../bench/samples/list.ts';

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
