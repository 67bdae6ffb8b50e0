// Which conflicts pass by themselves: only those are answered with Retry-After.
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import { errorResponse } from '../../http/request/response.ts';
import type { ErrorMaker } from '../../runtime/errors.ts';

const root = join(import.meta.dirname, '..', '..');

/** A task ends, a load or a download is over, a file has been written: the same request may succeed then. */
const passing = [
  'ANOTHER_TASK',
  'CLUSTERING_CHANGED',
  'CONTEXT_CHANGED',
  'FILE_CHANGED',
  'IN_WORK',
  'LIBRARY_CHANGES',
  'MEDIA_IN_WORK',
  'MODEL_IN_DOWNLOAD',
  'MODEL_NOT_LOADED',
  'TASK_RUNNING',
];
/** Somebody has to do something first. */
const lasting = [
  'ALREADY_WATCHED',
  'CONTEXT_MISMATCH',
  'FOLDER_TAKEN',
  'LEGACY_STORAGE',
  'LISTS_FULL',
  'LIST_CHANGED',
  'NODE_COPIED',
  'NODE_RUNS',
  'NOTHING_SAID',
  'NOTHING_TO_UNDO',
  'NOT_WATCHING',
  'OTHER_LIBRARY',
  'OTHER_MODEL',
  'ROOT_EXISTS',
  'WATCHED_ELSEWHERE',
];

test('a conflict that asking again cannot change has no Retry-After, every other one has', async () => {
  const paths = globSync('actors/**/contract.ts', { cwd: root });
  const modules = (await Promise.all(
    paths.map((path) => import(pathToFileURL(join(root, path)).href)),
  )) as object[];
  const rows = modules
    .flatMap((one) => Object.values(one))
    .filter((one) => typeof one === 'object' && one !== null)
    .flatMap((table) => Object.values(table as object))
    .filter((row): row is ErrorMaker => typeof row === 'function' && 'meaning' in row && row.status === 409);
  const retries = new Map(
    rows.map((row) => {
      const { headers } = errorResponse(row(), 'id');
      return [row.code, headers.some(([name]) => name === 'Retry-After')];
    }),
  );
  const codes = (isPassing: boolean) => [...retries.keys()].filter((code) => retries.get(code) === isPassing);
  assert.deepEqual(codes(true).sort(), passing);
  assert.deepEqual(codes(false).sort(), lasting);
});
