import assert from 'node:assert/strict';
import { copyFileSync, cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { testText } from '../../../actors/models/contract.ts';
import { createModelLibrary } from '../../../actors/models/library.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { sharedPath, skipWithout } from '../../shared.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

const local = ['whisper-base-local', 'campplus-local', 'pyannote-segmentation-local'];
const skip = skipWithout(...local.map((name) => `weights/${name}`), 'weights/silero_vad.onnx');

test('published models pass their self-test', { skip }, async () => {
  const folder = temporaryFolder();
  for (const name of local) cpSync(sharedPath(`weights/${name}`), join(folder, name), { recursive: true });
  mkdirSync(join(folder, 'silero-vad'));
  copyFileSync(sharedPath('weights/silero_vad.onnx'), join(folder, 'silero-vad', 'silero_vad.onnx'));
  const library = createModelLibrary(folder, { memoryBytes: 8e9, graphics: false }, undefined, 'cpu');
  const options = { signal: new AbortController().signal, clock: systemClock };
  for (const key of [...local, 'silero-vad']) {
    const result = await library.test(key, options);
    assert.ok(result.passed && result.right! >= 0.95 * result.of!, `${key}: ${testText(result)}`);
  }
});
