import assert from 'node:assert/strict';
import test from 'node:test';
import type { TranscriptSearchMatch } from '../../actors/search/transcripts/contract.ts';
import { moreLine } from '../../cli/transcript-lines.ts';

test('how much more was found is told as exactly as it is known', () => {
  const table: [shown: number, total: number, exact: boolean, line: string][] = [
    [3, 3, true, ''],
    [0, 0, true, ''],
    [3, 5, true, '  2 more: --max 5\n'],
    [3, 50, true, '  47 more: --max 20\n'],
    // The search stopped counting.
    [3, 10, false, '  at least 7 more: --max 20\n'],
    [20, 20, false, '  there may be more\n'],
  ];
  for (const [shown, total, total_is_exact, line] of table) {
    const matches = new Array<TranscriptSearchMatch>(shown);
    assert.equal(moreLine({ matches, total, total_is_exact }, 20), line);
  }
});
