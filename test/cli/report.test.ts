import assert from 'node:assert/strict';
import test from 'node:test';
import type { WorkResult } from '../../actors/analysis/contract.ts';
import { createTally, summary } from '../../cli/progress-view.ts';

function ended(path: string, type: string, outcome: WorkResult['outcome']): WorkResult {
  const error = outcome === 'failed' ? { code: 'DECODE_FAILED', message: `${path}: no picture` } : null;
  const reason = outcome === 'not_applicable' ? 'no_picture' : null;
  return { path, type, hash_str: null, outcome, reason, facts: {}, duration_seconds: 1, error };
}

test('the report counts each file once, whatever work was done on it, and repeats no failure', () => {
  const tally = createTally();
  const became: [string, WorkResult['outcome'], WorkResult['outcome']][] = [
    ['/both', 'analyzed', 'analyzed'],
    ['/known', 'stored', 'stored'],
    ['/more', 'stored', 'analyzed'],
    ['/sound', 'not_applicable', 'analyzed'],
    ['/bad', 'failed', 'failed'],
    ['/half', 'analyzed', 'failed'],
  ];
  for (const [path, pictures, summaries] of became) {
    tally.add(ended(path, 'video', pictures));
    tally.add(ended(path, 'summary', summaries));
  }
  const { counts, ofFiles, failures } = tally;
  assert.deepEqual([counts.done, ofFiles.files, ofFiles.done, failures.length], [12, 6, 6, 3]);
  const report = { cancelled: false, error: null, counts, ofFiles, failures, progress: undefined };
  const text = summary({ ...report, model_key: null }, 1);
  assert.equal(text, 'Done: 3 analysed, 1 already analysed, 3 failed in 0 s\n');
});
