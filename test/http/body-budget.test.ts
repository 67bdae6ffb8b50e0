import assert from 'node:assert/strict';
import test from 'node:test';
import { createBodyBudget } from '../../http/request/intake.ts';
import { RawClient, request } from './raw-client.ts';
import { MOST, smallService, start } from './small-service.ts';

const { assertWell } = smallService();

test('bodies are bounded together, and tighter while they show no key', () => {
  const budget = createBodyBudget(100, 30);
  const [first, second, keyed] = [budget.open(), budget.open(), budget.open()];
  keyed.trust();
  assert.equal(first.take(20), true);
  assert.equal(second.take(20), false);
  assert.equal(second.take(10), true);
  assert.equal(keyed.take(71), false);
  assert.equal(keyed.take(70), true);
  assert.equal(budget.bytes, 100);
  first.release();
  first.release();
  assert.equal(second.take(20), true);
  second.trust();
  assert.equal(budget.open().take(1), false);
  for (const hold of [second, keyed]) hold.release();
  assert.equal(budget.bytes, 0);
  assert.equal(budget.open().take(30), true);
});

const KEYED = ['X-License-Key: good'];
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

/** A body that is on its way: all but its end has been sent. */
async function halfSent(port: number, bytes: number, headers: readonly string[] = []): Promise<RawClient> {
  const client = new RawClient(port);
  await client.send(request('POST', '/locked', undefined, ['Transfer-Encoding: chunked', ...headers]));
  await client.send(chunk(`{"license_key":"good","q":"${'x'.repeat(bytes)}`));
  // What was sent before has been read when a later client is answered.
  const other = new RawClient(port);
  assert.equal((await other.ask(request('GET', '/hi'))).status, 200);
  await other.leave();
  return client;
}
const end = `${chunk('"}')}0\r\n\r\n`;

test('large bodies without a key in the header get 503 when there are too many, those with one go on', async (t) => {
  const { app, server } = start();
  t.after(() => server.close());
  const large = MOST * 0.9;
  const first = await halfSent(server.port, large);
  const second = await halfSent(server.port, large);
  const refused = await second.read();
  assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '1']);
  assert.match(refused.body.toString(), /Too many large bodies/);
  assert.equal((await second.ask(`${end}${request('GET', '/hi')}`)).status, 200);
  // A wrong key in the header is as none: the one in the body counts, as ever.
  const wrong = await halfSent(server.port, large, ['X-License-Key: another']);
  assert.equal((await wrong.read()).status, 503);
  // A small one comes in one part and passes.
  const small = new RawClient(server.port);
  assert.equal((await small.ask(request('POST', '/locked', '{"license_key":"good"}'))).status, 200);
  const keyed = [await halfSent(server.port, large, KEYED), await halfSent(server.port, large, KEYED)];
  for (const client of [first, ...keyed]) assert.equal((await client.ask(end)).status, 200);
  // Their memory is given back.
  const again = await halfSent(server.port, large);
  assert.equal((await again.ask(end)).status, 200);
  await Promise.all([first, second, wrong, small, again, ...keyed].map((client) => client.leave()));
  await app.idle();
  await assertWell();
});

test('the memory of bodies whose clients leave is given back, and all bodies together are bounded', async (t) => {
  const { app, server } = start();
  t.after(() => server.close());
  const large = MOST * 0.9;
  for (let i = 0; i < 3; i++) await (await halfSent(server.port, large)).leave();
  const keyed = [];
  for (let i = 0; i < 4; i++) keyed.push(await halfSent(server.port, large, KEYED));
  const last = await halfSent(server.port, large, KEYED);
  assert.equal((await last.read()).status, 503);
  for (const client of keyed) assert.equal((await client.ask(end)).status, 200);
  await Promise.all([last, ...keyed].map((client) => client.leave()));
  await app.idle();
});

test('a key that a license server is still asked about opens the wider bound when it is granted', async (t) => {
  const { promise, resolve } = Promise.withResolvers<{ ok: true }>();
  const { server } = start({ license: (key) => (key === 'good' ? promise : { ok: true }) });
  t.after(() => server.close());
  const large = MOST * 0.9;
  const first = await halfSent(server.port, large, KEYED);
  resolve({ ok: true });
  const second = await halfSent(server.port, large, KEYED);
  for (const client of [first, second]) assert.equal((await client.ask(end)).status, 200);
  await Promise.all([first.leave(), second.leave()]);
});
