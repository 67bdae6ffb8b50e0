// Bodies that are parsed beside the main thread: the others are served meanwhile, and nothing else is
// different.
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { Type } from 'typebox';
import { createBodyParser, LARGE_BODY } from '../../http/request/intake.ts';
import { reply, route } from '../../http/route.ts';
import { AbsolutePath } from '../../runtime/paths.ts';
import { defaulted } from '../../runtime/schema.ts';
import { until } from '../until.ts';
import { inject, KEY } from './inject.ts';
import { RawClient, request } from './raw-client.ts';
import { smallService, start } from './small-service.ts';

const { assertWell } = smallService();

const measure = route({
  method: 'POST',
  path: '/measure',
  id: 'measure',
  tag: 'Test',
  summary: 'Answers what it understood',
  body: Type.Object({
    q: Type.Optional(Type.String()),
    images: Type.Optional(Type.Array(Type.String())),
    paths: Type.Optional(Type.Array(AbsolutePath)),
    ranges: Type.Optional(Type.Record(Type.String(), Type.Array(Type.Integer()))),
    any: Type.Optional(Type.Unknown()),
    times: defaulted(Type.Integer(), 3),
  }),
  answers: { 200: Type.Unknown() },
  handle: ({ body }) => {
    const { q, images, paths, ranges, times } = body;
    if (paths === undefined && ranges === undefined) return reply(200, [q, images?.length]);
    const last = paths?.at(-1) ?? Object.entries(ranges ?? {}).at(-1);
    return reply(200, { fields: Object.keys(body), last, times });
  },
});
const bodies = createBodyParser(new URL('./ending-parser.ts', import.meta.url));
after(bodies.close);
const call = inject([measure], {}, { bodies });

const images = (count: number) => Array.from({ length: count }, () => 'A'.repeat(LARGE_BODY / 4));
const large = (q: string, count = 8) => ({ q, images: images(count) });
const noKey = { headers: { 'x-license-key': '' } };

/** Turns of the event loop until the answer is there. */
async function turnsUntil<T>(answer: Promise<T>): Promise<{ turns: number; answer: T }> {
  let turns = 0;
  let pending = true;
  const settled = answer.finally(() => {
    pending = false;
  });
  const next = () => {
    turns++;
    return new Promise(setImmediate);
  };
  await until(() => !pending, { next });
  return { turns, answer: await settled };
}

test('the event loop turns while a large body is parsed and put together', async () => {
  const body = large('a', 32);
  const { turns, answer } = await turnsUntil(call('/measure', body));
  assert.deepEqual(answer.body, ['a', 32]);
  assert.ok(turns >= body.images.length, `${turns} turns`);
});

test('a small body is answered at once', async () => {
  const { turns } = await turnsUntil(call('/measure', { q: 'a' }));
  assert.ok(turns <= 1, `${turns} turns`);
});

test('the key inside a large body is found, and a wrong one there counts before the header', async () => {
  assert.equal((await call('/measure', { ...large('a'), license_key: KEY }, noKey)).status, 200);
  assert.equal((await call('/measure', large('a'), noKey)).status, 401);
  assert.equal((await call('/measure', { ...large('a'), license_key: 'another' })).status, 403);
});

test('a large body is refused for the same reasons as a small one, with the place of the error', async () => {
  const message = async (body: unknown) =>
    ((await call('/measure', body)).body as { message: string }).message;
  const long = '0'.repeat(LARGE_BODY);
  assert.equal(
    await message(`{"q":\n"${long}", x}`),
    `The body is not valid JSON at line 2, column ${LARGE_BODY + 5}`,
  );
  assert.equal(await message(`{"q":"${long}"`), 'The body is not valid JSON: it ends too early');
  assert.equal(await message(`["${long}"]`), 'The body must be a JSON object');
  assert.equal(
    await message(Buffer.concat([Buffer.from(`{"q":"${long}`), Buffer.from([0xff, 0x22, 0x7d])])),
    'The body is not UTF-8',
  );
  assert.equal(
    await message(`{"q":[${'1,'.repeat(LARGE_BODY)}1]}`),
    'The body contains more than 1000000 values',
  );
  const deep = `{"any":${'['.repeat(600_000)}${']'.repeat(600_000)}}`;
  assert.equal(await message(deep), 'Arrays and objects in the body are nested deeper than 1000 levels');
  assert.equal(
    await message({ ...large('a'), images: [1, 'A'.repeat(LARGE_BODY)] }),
    'images[0] must be a string',
  );
});

/** More than are validated at once. */
const MANY = 25_000;

test('a body of many values is validated in the thread as a small one is here', async () => {
  const paths = Array.from({ length: MANY }, (_, i) => `/films//day 1/../${i}.mov`);
  const ranges = Object.fromEntries(paths.map((path, i) => [path, [i, i + 1]]));
  const sent = { q: null, ranges, unknown: paths, license_key: KEY };
  const { turns, answer } = await turnsUntil(call('/measure', { ...sent, paths }, noKey));
  assert.deepEqual(answer.body, {
    fields: ['ranges', 'paths', 'times'],
    last: `/films/${MANY - 1}.mov`,
    times: 3,
  });
  assert.ok(turns > 10, `${turns} turns`);
  const small = { q: null, ranges: { a: [1, 2] }, unknown: 1, license_key: KEY, paths: ['/films//a/../b'] };
  assert.deepEqual((await call('/measure', small, noKey)).body, {
    fields: ['ranges', 'paths', 'times'],
    last: '/films/b',
    times: 3,
  });
});

test('what is wrong with a body of many values is named, after its key', async () => {
  const list = Array.from({ length: MANY }, (_, i) => `/${i}.mov`);
  const wrong = (body: object, request = {}) => call('/measure', body, request);
  const relative = await wrong({ paths: [...list, 'a.mov'] });
  assert.deepEqual(relative, {
    ...relative,
    status: 400,
    body: {
      error: `Invalid paths[${MANY}]`,
      message: `paths[${MANY}] must be an absolute path: "a.mov"`,
    },
  });
  const first = { error: 'Invalid ranges.a[0]', message: 'ranges.a[0] must be a whole number' };
  assert.deepEqual((await wrong({ paths: list, ranges: { a: ['x'] } })).body, first);
  assert.deepEqual((await wrong({ paths: list, license_key: [1] })).body, {
    error: 'Invalid license_key',
    message: 'license_key must be a string',
  });
  assert.equal((await wrong({ paths: [...list, 5] }, noKey)).status, 401);
  assert.equal((await wrong({ paths: [...list, 5], license_key: 'another' })).status, 403);
});

test('a thread that ends is a 503 to ask again after, and the next body is parsed', async () => {
  const { status, headers } = await call('/measure', large('end the thread'));
  assert.deepEqual([status, headers['retry-after']], [503, '1']);
  assert.equal((await call('/measure', large('a'))).status, 200);
});

test('a client that leaves ends the parsing of its body, and the next one is parsed', async () => {
  const gone = new AbortController();
  const left = call('/measure', large('wait'), { signal: gone.signal });
  const next = call('/measure', large('a'));
  gone.abort();
  assert.equal((await left).status, 499);
  assert.equal((await next).status, 200);
  assert.equal(call.app.inFlight, 0);
});

const post = (body: unknown) => request('POST', '/echo', JSON.stringify(body));

test('answers on one connection come in the order of its requests', async (t) => {
  const { app, server } = start({ mostBytes: 4 * LARGE_BODY });
  t.after(() => server.close());
  const client = new RawClient(server.port);
  const q = 'b'.repeat(2 * LARGE_BODY);
  for (let i = 0; i < 3; i++) {
    assert.equal((await client.ask(post({ q }))).body.length, q.length + 2);
    assert.equal((await client.ask(post({ q: 'small' }))).body.toString(), '"small"');
  }
  await client.leave();
  await app.idle();
});

test('the memory of a body is held until it is parsed and answered, or its client has left', async (t) => {
  const parsing: (() => void)[] = [];
  const waiting = createBodyParser();
  t.after(waiting.close);
  const { app, server } = start({
    mostBytes: 2 * LARGE_BODY,
    bodies: {
      ...waiting,
      parse: (chunks, signal, form) => {
        if (chunks.length === 1) return waiting.parse(chunks, signal, form);
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        parsing.push(resolve);
        signal().addEventListener('abort', () => reject(signal().reason));
        return promise.then(() => waiting.parse(chunks, signal, form));
      },
    },
  });
  t.after(() => server.close());
  const body = post({ q: 'x'.repeat(1.4 * LARGE_BODY) });
  const clients = Array.from({ length: 3 }, () => new RawClient(server.port));
  const [first, second, third] = clients as [RawClient, RawClient, RawClient];
  await first.send(body);
  await until(() => parsing.length === 1);
  await second.send(body);
  await until(() => parsing.length === 2);
  // Two wait to be parsed; a third has no room while they do.
  assert.equal((await third.ask(body)).status, 503);
  parsing[0]!();
  assert.equal((await first.read()).status, 200);
  await second.leave();
  await app.idle();
  await assertWell();
  await Promise.all(clients.map((client) => client.leave()));
});
