import assert from 'node:assert/strict';
import test from 'node:test';
import { program, run } from './log-program.ts';

const key = `fh_${'Ab0-_'.repeat(8)}`;

test('an error nobody caught is the last line of the log, and the process is gone', async () => {
  for (const fault of [`Promise.reject(new Error('${key}'))`, `throw new Error('${key}')`]) {
    const end = `endOnFault(log, flush); setInterval(() => {}, 1e9); setImmediate(() => { ${fault}; });`;
    const { lines, signal } = await run(program(end, 100));
    const last = lines.at(-1)!;
    assert.deepEqual([last['message'], lines.length, signal], ['engine met a fault', 101, 'SIGKILL']);
    assert.equal((last['error'] as { message: string }).message, '[redacted]');
  }
});
