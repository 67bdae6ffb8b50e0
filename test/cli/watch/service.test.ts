import assert from 'node:assert/strict';
import test from 'node:test';
import { serviceUrl } from '../../../cli/commands/watch.ts';
import type { Context } from '../../../cli/context.ts';

test('the service is the one that is named, or the one of this machine by a name that reaches it', () => {
  for (const [server, host, url] of [
    ['http://studio:7000', '127.0.0.1', 'http://studio:7000'],
    ['', '127.0.0.1', 'http://127.0.0.1:6699'],
    ['', 'localhost', 'http://localhost:6699'],
    ['', '0.0.0.0', 'http://127.0.0.1:6699'],
    ['', '::', 'http://[::1]:6699'],
    ['', '::1', 'http://[::1]:6699'],
  ] as const)
    assert.equal(serviceUrl({ server, host, port: 6699 } as Context['values']), url);
});
