// The license and the Host rule where they stand: before every route.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { Type } from 'typebox';
import { openLicenses } from '../../../http/license/open.ts';
import { issueKey, KEY_BYTES, type Tier } from '../../../http/license/store.ts';
import { reply, route } from '../../../http/route.ts';
import { healthRoutes } from '../../../http/routes/health.ts';
import { hostRule } from '../../../runtime/origin.ts';
import { inject } from '../inject.ts';
import { newWorld } from './fixture.ts';

const echo = route({
  method: 'POST',
  path: '/api/v1/echo',
  id: 'echo',
  tag: 'Test',
  summary: 'Answers',
  body: Type.Object({}),
  answers: { 200: Type.Object({ done: Type.Boolean() }) },
  handle: () => reply(200, { done: true }),
});

function setUp(t: TestContext) {
  const { folder, ...world } = newWorld(t);
  const issue = (tier: Tier) =>
    issueKey(join(folder, 'licenses'), { tier, name: '', days: null }, randomBytes(KEY_BYTES), world.now())
      .key;
  const keys = { pro: issue('pro'), basic: issue('basic'), wrong: `fh_${'x'.repeat(43)}` };
  const values = { home: folder, cache_dir: '', license_url: '', license_public_key: '' };
  const licenses = openLicenses(values, world);
  t.after(() => licenses.close());
  const options = {
    license: (key: string | undefined) => licenses.check(key),
    isAllowedHost: hostRule(['studio.example'], { host: '0.0.0.0' }),
  };
  return { keys, call: inject([...healthRoutes, echo], {}, options) };
}

test('a key opens a route from the header or the body, and the body comes first', async (t) => {
  const { keys, call } = setUp(t);
  const { pro, basic, wrong } = keys;
  const table = [
    [undefined, undefined, 401, /^Provide license_key in the request body or the X-License-Key header$/],
    ['', '', 401, /Provide/],
    [pro, undefined, 200, null],
    [undefined, pro, 200, null],
    [wrong, pro, 200, null],
    [pro, '', 200, null],
    [pro, wrong, 403, /not issued on this machine/],
    [pro, basic, 403, /^OK$/],
    [basic, undefined, 403, /^OK$/],
    [`Bearer ${pro}`, undefined, 403, /without "Bearer"/],
    [`"${pro}"`, undefined, 403, /without quotes/],
  ] as const;
  for (const [header, inBody, status, message] of table) {
    const headers = { 'x-license-key': header ?? '' };
    const answer = await call('/api/v1/echo', inBody === undefined ? {} : { license_key: inBody }, {
      headers,
    });
    const body = answer.body as { error?: string; message?: string };
    assert.equal(answer.status, status, `${header} ${inBody}`);
    const error = { 200: undefined, 401: 'Authentication required', 403: 'Pro license required' }[status];
    assert.equal(body.error, error);
    if (message) assert.match(String(body.message), message);
  }
});

test('health needs no key, and a key does not open a host that is not allowed', async (t) => {
  const { keys, call } = setUp(t);
  assert.equal((await call('/api/v1/health')).status, 200);
  for (const [host, status] of [
    ['studio.example:6699', 200],
    ['rebound.example', 403],
    ['', 403],
  ] as const) {
    const headers = { host, 'x-license-key': keys.pro };
    assert.equal((await call('/api/v1/echo', {}, { headers })).status, status, host);
    assert.equal((await call('/api/v1/health', undefined, { headers: { host } })).status, status, host);
  }
});
