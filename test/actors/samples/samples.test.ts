import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { copySamples } from '../../../actors/samples/samples.ts';
import { samples } from '../../../bench/samples/list.ts';
import { sampleFolder } from '../../../bench/samples/make.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

const folder = temporaryFolder();

test('samples are copied once, and again when one is not there as a whole', async () => {
  const all = samples.map(({ file }) => file).toSorted();
  assert.deepEqual(await copySamples(folder), all);
  assert.deepEqual(readdirSync(folder).toSorted(), all);
  assert.deepEqual(await copySamples(folder), []);
  truncateSync(join(folder, 'fire.webp'), 1000);
  rmSync(join(folder, 'stripes.png'));
  assert.deepEqual(await copySamples(folder), ['fire.webp', 'stripes.png']);
  for (const file of ['fire.webp', 'stripes.png'])
    assert.deepEqual(readFileSync(join(folder, file)), readFileSync(join(sampleFolder, file)));
});
