import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Canvas } from '../../../actors/samples/drawings/canvas.ts';
import { makeSamples, sampleList } from '../../../actors/samples/library.ts';
import { samples } from '../../../actors/samples/list.ts';
import { engineErrors } from '../../../runtime/errors.ts';

const folder = mkdtempSync(join(tmpdir(), 'framehound-samples-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('each sample has a name of its own and a line that says what it shows', () => {
  assert.equal(new Set(sampleList.map(({ file }) => file)).size, sampleList.length);
  assert.ok(sampleList.filter(({ file }) => /\.(mp4|mkv|webm)$/.test(file)).length >= 6);
  assert.ok(sampleList.filter(({ file }) => /\.(jpg|png|webp)$/.test(file)).length >= 10);
  for (const { description } of sampleList) assert.match(description, /^[A-Z0-9][^\n]{10,}[^.\n]$/);
});

test('each scene paints every pixel, and the same moment twice alike', () => {
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

test('samples are made once, again when they were cut, and the same bytes each time', async () => {
  const files = ['stripes.png', 'shapes.webm', 'fire.webp'];
  const seen: string[] = [];
  const made = await makeSamples(folder, { files, progress: ({ file }) => seen.push(file) });
  assert.deepEqual(made.toSorted(), files.toSorted());
  assert.deepEqual(seen, made);
  assert.deepEqual(readdirSync(folder).toSorted(), ['.samples.json', ...files].toSorted());
  assert.deepEqual(await makeSamples(folder, { files }), []);
  const whole = readFileSync(join(folder, 'fire.webp'));
  truncateSync(join(folder, 'fire.webp'), 1000);
  assert.deepEqual(await makeSamples(folder, { files }), ['fire.webp']);
  assert.deepEqual(readFileSync(join(folder, 'fire.webp')), whole);
});

test('damaged notes cost no more than making the samples again', async () => {
  writeFileSync(join(folder, '.samples.json'), '{"stripes');
  assert.deepEqual(await makeSamples(folder, { files: ['stripes.png'] }), ['stripes.png']);
});

test('making samples stops at an abort', async () => {
  const stop = new AbortController();
  const progress = () => stop.abort();
  const making = makeSamples(join(folder, 'stopped'), { signal: stop.signal, progress });
  await assert.rejects(making, engineErrors.CANCELLED.is);
  assert.deepEqual(readdirSync(join(folder, 'stopped')), []);
});
