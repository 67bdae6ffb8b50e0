import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type TestContext } from 'node:test';
import { createClient, patientFetch } from '../../../http/client/client.ts';
import { clientErrors } from '../../../http/client/error.ts';

async function serve(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('it sends what fetch sends, and answers what fetch answers', async (t) => {
  const url = await serve(t, async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const { method, headers } = request;
    const query = {
      method,
      path: request.url,
      key: headers['x-license-key'],
      body: `${Buffer.concat(parts)}`,
    };
    response.writeHead(request.url === '/none' ? 204 : 503, {
      'Content-Type': 'application/json',
      'Retry-After': '7',
      'Set-Cookie': ['a=1', 'b=2'],
    });
    response.end(request.url === '/none' ? undefined : JSON.stringify(query));
  });
  const init = { method: 'POST', headers: { 'X-License-Key': 'k' }, body: '{"name":"ü 漢"}' };
  const [own, usual] = await Promise.all([patientFetch, fetch].map((get) => get(`${url}/a?b=1`, init)));
  assert.deepEqual(await own!.json(), await usual!.json());
  for (const name of ['Content-Type', 'Retry-After', 'Set-Cookie']) {
    assert.equal(own!.headers.get(name), usual!.headers.get(name), name);
  }
  assert.deepEqual([own!.status, own!.ok], [503, false]);
  const none = await patientFetch(`${url}/none`, { method: 'GET', headers: {} });
  assert.deepEqual([none.status, await none.text()], [204, '']);
});

test('an abort, a connection that is lost and nobody there reject as with fetch', async (t) => {
  const url = await serve(t, (request, response) => {
    if (request.url === '/lost') request.socket.destroy();
    else if (request.url === '/half') {
      response.writeHead(200, { 'Content-Length': '10' }).write('{"a"');
      setImmediate(() => request.socket.destroy());
    } else request.emit('waits');
  });
  const get = (path: string, signal?: AbortSignal) =>
    patientFetch(url + path, { method: 'GET', headers: {}, ...(signal && { signal }) });
  for (const path of ['/lost', '/half']) {
    await assert.rejects(get(path), (error: TypeError) => error.message === 'fetch failed');
  }
  const stop = new AbortController();
  const reason = new Error('enough');
  const waiting = get('/wait', stop.signal);
  stop.abort(reason);
  await assert.rejects(waiting, (error) => error === reason);
  await assert.rejects(get('/wait', AbortSignal.abort(reason)), (error) => error === reason);
  const client = createClient({ url: 'http://127.0.0.1:1' });
  const request = { output_dir: '/tmp', clips: [], mode: 'copy' as const };
  await assert.rejects(client.exportClips(request), (error) => clientErrors.NO_SERVICE.is(error));
});

test('clips are not asked for by fetch, which gives up after five minutes', async (t) => {
  const url = await serve(t, (_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"results":[]}');
  });
  let fetched = 0;
  const requests = channel('undici:request:create');
  const count = () => void fetched++;
  requests.subscribe(count);
  t.after(() => requests.unsubscribe(count));
  const client = createClient({ url });
  assert.deepEqual(await client.exportClips({ output_dir: '/tmp', clips: [], mode: 'copy' as const }), {
    results: [],
  });
  assert.equal(fetched, 0);
  await client.health();
  assert.equal(fetched, 1);
});
