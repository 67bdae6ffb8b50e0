import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { stillErrors, writeStill } from '../../../../bench/samples/writer/still.ts';
import { askProbe } from '../../../actors/decoder/ask-decoder.ts';

const folder = mkdtempSync(join(tmpdir(), 'framehound-still-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const picture = { width: 40, height: 30, rgb: new Uint8Array(40 * 30 * 3).fill(90) };

test('a still keeps its size, orientation and camera tags', async () => {
  const path = join(folder, 'turned.jpg');
  const camera = { make: 'Framehound', model: 'Pinhole' };
  await writeStill({ ...picture, path, orientation: 6, camera });
  const probe = await askProbe(path);
  assert.deepEqual([probe.kind, probe.width, probe.height], ['image', 30, 40]);
  assert.deepEqual([probe.camera_make, probe.camera_model], ['Framehound', 'Pinhole']);
});

test('a still that cannot be written is named and leaves nothing behind', async () => {
  const before = readdirSync(folder);
  const writing = (name: string) => writeStill({ ...picture, path: join(folder, name) });
  await assert.rejects(writing('picture.text'), { message: /picture\.text.*ending/ });
  await assert.rejects(writing(join('nowhere', 'a.png')), stillErrors.STILL_NOT_WRITTEN.is);
  const short = writeStill({ ...picture, width: 41, path: join(folder, 'short.png') });
  await assert.rejects(short, { message: /short\.png/ });
  assert.deepEqual(readdirSync(folder), before);
});
