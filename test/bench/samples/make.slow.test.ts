import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { drawSamples, sampleFolder } from '../../../bench/samples/make.ts';
import { fullDecode, meanDifference } from '../../actors/decoder/footage/full-decode.ts';

const folder = mkdtempSync(join(tmpdir(), 'framehound-drawn-'));
after(() => rmSync(folder, { recursive: true, force: true }));

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
