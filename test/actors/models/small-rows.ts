// Loaded before the program (`--import`): the rows of the program get the files that TEST_MODEL_ROWS has for
// their keys, which answer no question of a self-test unless TEST_SELF_TEST is set.
import { readFileSync } from 'node:fs';
import { builtInRows } from '../../../actors/models/rows/list.ts';

const small: Record<string, { size: number }[]> = JSON.parse(
  readFileSync(process.env['TEST_MODEL_ROWS']!, 'utf8'),
);
for (const row of builtInRows) {
  const files = small[row.key];
  if (!files) continue;
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  Object.assign(row, { files, size_gb: Math.min(row.size_gb, bytes / 1e9) });
}

const isSelfTest = process.argv[1]?.includes('self-test') && !process.env['TEST_SELF_TEST'];
if (isSelfTest) process.once('message', () => process.send?.({ untested: 'small contents' }));
