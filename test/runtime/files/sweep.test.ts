import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { saveNew } from '../../../runtime/files/save-new.ts';
import { sweepParts } from '../../../runtime/files/sweep.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

const id = '0b8f6f0e-6a1b-4e0e-9d9b-2b1f7c8d9e10';

/** Files with the time of their last change, in Unix seconds. */
function filled(folder: string, files: Readonly<Record<string, number>>) {
  for (const [name, seconds] of Object.entries(files)) {
    writeFileSync(join(folder, name), 'x');
    utimesSync(join(folder, name), seconds, seconds);
  }
}

test('parts of killed writers are removed, and nothing else', async (t) => {
  const folder = temporaryFolder(t);
  const [tasks, analysis] = [join(folder, 'tasks'), join(folder, 'analysis')];
  for (const one of [tasks, analysis]) mkdirSync(one);
  filled(folder, { [`a.json.${id}.part`]: 100, [`new.json.${id}.part`]: 300, 'model.onnx.part': 100 });
  filled(tasks, { [`b.json.${id}.part`]: 100, 'b.json': 100 });
  filled(analysis, { [`c.${id}.part`]: 100 });
  const removed = await sweepParts(folder, 200_000, { deep: true, without: [analysis] });
  assert.deepEqual(removed.toSorted(), [join(folder, `a.json.${id}.part`), join(tasks, `b.json.${id}.part`)]);
  assert.deepEqual(readdirSync(folder).toSorted(), [
    'analysis',
    'model.onnx.part',
    `new.json.${id}.part`,
    'tasks',
  ]);
  assert.deepEqual(readdirSync(tasks), ['b.json']);
  assert.deepEqual(readdirSync(analysis), [`c.${id}.part`]);
  assert.deepEqual(await sweepParts(join(folder, 'missing'), 200_000), []);
});

test('an export removes what a killed one left beside it', async (t) => {
  const folder = temporaryFolder(t);
  filled(folder, { [`.${id}.part`]: 100, 'notes.part': 100 });
  await saveNew(folder, 'a.txt', Buffer.from('text'));
  assert.deepEqual(readdirSync(folder).toSorted(), ['a.txt', 'notes.part']);
});
