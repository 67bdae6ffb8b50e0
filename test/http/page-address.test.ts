import assert from 'node:assert/strict';
import test from 'node:test';
import { localOrigin, pageAddress } from '../../http/request/origin.ts';

test('the page is opened as localhost where that reaches the service, and a program reaches it by an address', () => {
  for (const [host, page, origin] of [
    ['127.0.0.1', 'http://localhost:1/', 'http://127.0.0.1:1'],
    ['localhost', 'http://localhost:1/', 'http://127.0.0.1:1'],
    ['0.0.0.0', 'http://localhost:1/', 'http://127.0.0.1:1'],
    ['::', 'http://localhost:1/', 'http://[::1]:1'],
    ['::1', 'http://localhost:1/', 'http://[::1]:1'],
    ['127.0.0.2', 'http://127.0.0.2:1/', 'http://127.0.0.2:1'],
    ['fe80::1%eth0', 'http://[fe80::1]:1/', 'http://[fe80::1]:1'],
    ['nas', 'http://nas:1/', 'http://nas:1'],
  ] as const) {
    assert.deepEqual([pageAddress(host, 1), localOrigin(host, 1)], [page, origin], host);
  }
});
