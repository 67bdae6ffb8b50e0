import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { makeSamples } from '../../../actors/samples/library.ts';
import { engineErrors } from '../../../runtime/errors.ts';

const folder = mkdtempSync(join(tmpdir(), 'framehound-samples-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('samples are created once, again when they are truncated, with the same bytes each time', async () => {
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

test('with a damaged manifest the samples are created again', async () => {
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
