import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { drawSamples, sampleFolder } from '../../../bench/samples/make.ts';

const folder = mkdtempSync(join(tmpdir(), 'framehound-drawn-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('samples are drawn with the bytes that the product has', async () => {
  const files = ['stripes.png', 'shapes.webm', 'fire.webp'];
  await drawSamples(folder, files);
  for (const file of files)
    assert.deepEqual(readFileSync(join(folder, file)), readFileSync(join(sampleFolder, file)), file);
});
