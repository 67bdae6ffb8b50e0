import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { openInstallation } from '../../actors/installation.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const folder = temporaryFolder();
const installation = openInstallation(join(folder, 'models'), 'cpu');

test('the models of the program are listed where no models folder exists', async () => {
  const { models, problems } = await installation.models.list();
  assert.deepEqual(problems, []);
  assert.ok(models.some(({ row, builtIn }) => row.key === 'starter-visual-3' && builtIn));
});

test('every native package loads and says what it offers', async () => {
  const { media, modelDevices, objectDetector, store, clipEncoders } = installation.native;
  assert.match(await media(), /^FFmpeg \S+, libavcodec \d/);
  assert.ok((await modelDevices()).some(({ device }) => device === 'cpu'));
  assert.equal(await objectDetector(), null);
  await store();
  assert.equal(await clipEncoders('off'), 'libx264 (hardware_encoding is off)');
  assert.match(
    await clipEncoders('auto'),
    /^(libx264 \(no device with an encoder was found\)|[\w, ]+, checked with each clip; libx264 where)/,
  );
});

test('samples are copied once', async () => {
  const to = join(folder, 'samples');
  const copied = await installation.copySamples(to);
  assert.deepEqual(await installation.copySamples(to), []);
  assert.deepEqual(copied, readdirSync(to).toSorted());
});
