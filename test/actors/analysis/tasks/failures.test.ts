import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { readFailures } from '../../../../actors/analysis/tasks/results.ts';
import { engineErrors } from '../../../../runtime/errors.ts';

test('failures are those that stand, whatever became of others, and no more than are asked for', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'framehound-failures-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'a.results.ndjson');
  const line = (path: string, type: string, outcome: string) =>
    `${JSON.stringify({ path, type, outcome })}\n`;
  const lines = [
    line('/a', 'video', 'failed'),
    line('/b', 'video', 'failed'),
    line('/b', 'speech', 'failed'),
    '{"path":"/damaged"\u0000\n',
    line('/a', 'video', 'analyzed'),
    line('/c', 'video', 'stored'),
    line('/d', 'video', 'failed'),
    '{"path":"/cut","type":"video","outco',
  ];
  writeFileSync(file, lines.join(''));
  const never = new AbortController().signal;
  const found = async (most: number) =>
    (await readFailures(file, most, never)).map(({ path, type }) => `${path} ${type}`);
  assert.deepEqual(await found(10), ['/b video', '/b speech', '/d video']);
  assert.equal((await found(2)).length, 2);
  assert.deepEqual(await readFailures(join(folder, 'none'), 10, never), []);
  await assert.rejects(readFailures(file, 10, AbortSignal.abort()), engineErrors.CANCELLED.is);
});
