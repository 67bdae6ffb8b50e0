// Every status a route can answer with is declared: `inject` holds each answer against the declaration.

import assert from 'node:assert/strict';
import test from 'node:test';
import { analysisErrors } from '../../actors/analysis/contract.ts';
import { storeErrors } from '../../actors/index/store/contract.ts';
import { modelErrors, noModelErrors } from '../../actors/models/contract.ts';
import { contextErrors } from '../../actors/search/contract.ts';
import { visualModelErrors } from '../../actors/search/models/contract.ts';
import { openApi, operations, statusesOf } from '../../http/openapi/document.ts';
import { routes } from '../../http/routes.ts';
import { MOST_BYTES } from '../../http/server.ts';
import { engineErrors } from '../../runtime/errors.ts';
import { goodBody } from './bad-values.ts';
import { inject, plainHead } from './inject.ts';

/** A service of which every part throws, however deep a route reaches. */
function broken(error: Error): never {
  const fail = () => {
    throw error;
  };
  const part: unknown = new Proxy(fail, {
    get: (_, name) => (name === 'then' ? undefined : part),
    apply: fail,
  });
  return part as never;
}
const healthy = broken(new TypeError('a fault'));
const known = (name: string) => (/(_path|_dir|_paths\[0\])$/.test(name) ? '/a' : undefined);

for (const route of routes) {
  const path = route.path.replace(/\{\w+\}/, 'x');
  const body = route.body ? goodBody(route.body, known) : undefined;
  const status = async (call: ReturnType<typeof inject>, headers: Record<string, string> = {}) =>
    (await call(path, body, { method: route.method, headers })).status;

  test(`${route.id}: what can go wrong before its handler is declared`, async () => {
    const call = inject(routes, healthy);
    assert.equal(await status(call, { host: 'evil.example' }), 403);
    assert.equal(await status(call, { origin: 'https://evil.example' }), 403);
    const tooLong = { ...plainHead, contentLength: MOST_BYTES + 1 };
    const begun = call.app.begin({ ...tooLong, method: route.method, path });
    assert.equal('status' in begun && begun.status, 413);
    for (const one of [400, 403, 413, 500, 503]) assert.ok(statusesOf(route).includes(one), `${one}`);
    if (route.access === 'open') return;
    assert.equal(await status(call, { 'x-license-key': '' }), 401);
    assert.equal(await status(call, { 'x-license-key': 'another' }), 403);
    call.app.stopAdmitting();
    assert.equal(await status(call), 503);
  });

  test(`${route.id}: a part of the service that fails or is busy gives a declared answer`, async () => {
    for (const error of [new TypeError('a fault'), engineErrors.BUSY(), engineErrors.ACTOR_DOWN()])
      await status(inject(routes, broken(error)));
  });
}

test('what is loaded can change meanwhile: 409 with Retry-After, as declared', async () => {
  const call = inject(routes, broken(contextErrors.CONTEXT_CHANGED()));
  const loading = routes.filter(({ path }) => path.startsWith('/api/v1/analysis-data/'));
  assert.equal(loading.length, 3);
  for (const { path, body } of loading) {
    const answer = await call(path, goodBody(body!, known));
    assert.deepEqual([answer.status, answer.headers['retry-after']], [409, '1']);
  }
});

test('Retry-After is sent where asking again can help, and nowhere else', async () => {
  const retryable = [engineErrors.BUSY(), contextErrors.CONTEXT_CHANGED(), analysisErrors.ANOTHER_TASK()];
  const lasting = [
    visualModelErrors.NO_VISUAL_MODEL(),
    contextErrors.CONTEXT_MISMATCH(),
    analysisErrors.OTHER_MODEL(),
    storeErrors.NOT_LOADED(),
    noModelErrors.NO_FACE_MODEL(),
  ];
  for (const error of [...retryable, ...lasting]) {
    const call = inject(routes, broken(error));
    for (const { path, body, method } of routes.filter(({ id }) => id === 'analyze' || id === 'searchText')) {
      const { headers, status } = await call(path, goodBody(body!, known), { method });
      assert.equal(status, error.status);
      assert.equal('retry-after' in headers, retryable.includes(error), `${path} ${error.code}`);
    }
  }
});

test('a folder that is full or may not be written is a 507, which does not pass by itself', async () => {
  const { STORE_FULL, STORE_READ_ONLY } = storeErrors;
  const { MODELS_FOLDER_FULL, MODELS_FOLDER_READ_ONLY } = modelErrors;
  const rows = [
    STORE_FULL,
    STORE_READ_ONLY,
    MODELS_FOLDER_FULL,
    MODELS_FOLDER_READ_ONLY,
    analysisErrors.HOME_UNWRITABLE,
  ];
  for (const row of rows) {
    assert.deepEqual([row.code, row.status, row.retryable], [row.code, 507, false]);
    const call = inject(routes, broken(row('/footage/.analysis')));
    const { body } = routes.find(({ id }) => id === 'analyze')!;
    const answer = await call('/api/v1/analyze', goodBody(body!, known));
    assert.deepEqual([answer.status, 'retry-after' in answer.headers], [507, false]);
    assert.deepEqual(answer.body, { error: row.meaning, message: '/footage/.analysis' });
  }
});

test('the document names exactly these statuses, and Retry-After where it is sent', () => {
  const document = openApi(routes);
  for (const { operation } of operations(document)) {
    const route = routes.find(({ id }) => id === operation.operationId)!;
    assert.deepEqual(Object.keys(operation.responses).map(Number), statusesOf(route));
    for (const [status, given] of Object.entries(operation.responses)) {
      const response =
        '$ref' in given ? document.components.responses[given.$ref.split('/').at(-1)!]! : given;
      const retries = Object.hasOwn(response.headers ?? {}, 'Retry-After');
      assert.equal(retries, status === '409' || status === '503', `${route.id} ${status}`);
    }
  }
});
