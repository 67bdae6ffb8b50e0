import assert from 'node:assert/strict';
import test from 'node:test';
import { createLog, type LogLine } from '../../runtime/log.ts';

test('lines carry the fields and the name of the log they were written to', () => {
  const lines: LogLine[] = [];
  const log = createLog('http', (line) => lines.push(line), { level: 'info', now: () => 5 });
  const request = log.with({ request_id: 'r1' }).with({ route: '/x' }).named('search');
  request.info('began');
  request.error('failed', { route: '/y' });
  request.debug('not written');
  log.info('other');
  assert.deepEqual(lines, [
    { time: 5, level: 'info', name: 'search', message: 'began', fields: { request_id: 'r1', route: '/x' } },
    { time: 5, level: 'error', name: 'search', message: 'failed', fields: { request_id: 'r1', route: '/y' } },
    { time: 5, level: 'info', name: 'http', message: 'other', fields: {} },
  ]);
  assert.equal(request.level, 'info');
});
