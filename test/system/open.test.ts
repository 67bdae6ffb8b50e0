// `framehound open`: a service is started when none runs and lives on, its address signs one browser in,
// `stop` ends it.
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { Check } from 'typebox/value';
import { RunningService } from '../../cli/service-file.ts';
import { hasEnded } from '../../runtime/process/identity.ts';
import { until } from '../until.ts';
import { newHome, SLOW_MS } from './command-line.ts';

function world(t: TestContext) {
  const home = newHome();
  const folder = join(home.folder, 'home');
  t.after(async () => {
    await home.run('stop');
    home.remove();
  });
  const running = (): RunningService => {
    const service: unknown = JSON.parse(readFileSync(join(folder, 'service.json'), 'utf8'));
    assert.ok(Check(RunningService, service));
    return service;
  };
  const open = async (...args: string[]) => {
    const { code, out, err } = await home.run('open', '--print', '--port', '0', ...args);
    assert.equal(code, 0, err);
    const { origin, pathname, hash } = new URL(out.trim());
    assert.deepEqual([new URL(origin).hostname, pathname], ['localhost', '/']);
    return { origin, ticket: hash.slice(1), err };
  };
  return { home, folder, running, open };
}

async function ask(origin: string, method: string, path: string, key = '', body?: object) {
  const answer = await fetch(`${origin.replace('localhost', '127.0.0.1')}/api/v1${path}`, {
    method,
    headers: { 'X-License-Key': key, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

const swap = (origin: string, ticket: string) => ask(origin, 'POST', '/sessions', '', { ticket });

test('open starts a service that lives on, and its ticket opens one session, which outlives a crash', async (t) => {
  const { home, folder, running, open } = world(t);
  const first = await open('--cache-dir', '/some/films');
  assert.match(first.err, /in the background\. To stop it: .*framehound stop\nIts log: .*service\.log/);
  const { status, body } = await swap(first.origin, first.ticket);
  assert.equal(status, 200);
  assert.equal((await swap(first.origin, first.ticket)).status, 401, 'once');
  const token = String(body['token']);
  const settings = await ask(first.origin, 'GET', '/settings', token);
  assert.deepEqual([settings.status, settings.body['cache_dir']], [200, '/some/films']);
  if (process.platform !== 'win32') assert.equal(statSync(join(folder, 'service.json')).mode & 0o777, 0o600);

  const second = await open();
  assert.equal(second.origin, first.origin, 'the one that runs is used');
  assert.doesNotMatch(second.err, /background/);

  const { engine, guardian } = running();
  process.kill(engine.pid, 'SIGKILL');
  await until(() => running().engine.pid !== engine.pid, { within: SLOW_MS });
  const again = await open();
  assert.equal((await swap(again.origin, again.ticket)).status, 200);
  assert.equal(running().guardian?.pid, guardian?.pid);
  // A free port is another one at each start.
  assert.equal((await ask(again.origin, 'GET', '/settings', token)).status, 200, 'the session lives on');

  const log = readFileSync(join(folder, 'service.log'), 'utf8');
  for (const secret of [first.ticket, token, String(running().owner)]) assert.ok(!log.includes(secret));
  const last = running();
  const stopped = await home.run('stop');
  assert.deepEqual([stopped.code, /Stopped the service/.test(stopped.err)], [0, true], stopped.err);
  assert.deepEqual([last.engine, last.guardian!].map(hasEnded), [true, true]);
  assert.throws(running, { code: 'ENOENT' });
  assert.match((await home.run('stop')).err, /No service is running/);
});

test('two that open at once share one service', async (t) => {
  const { open } = world(t);
  const [one, two] = await Promise.all([open(), open()]);
  assert.equal(one.origin, two.origin);
  assert.notEqual(one.ticket, two.ticket);
});

test('a port that another program has is told, and nothing is left running', async (t) => {
  const { home, folder } = world(t);
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  t.after(() => other.close());
  const { port } = other.address() as { port: number };
  const { code, out, err } = await home.run('open', '--print', '--port', String(port));
  assert.deepEqual([code, out], [1, '']);
  assert.match(err, new RegExp(`127\\.0\\.0\\.1:${port} cannot be listened on`));
  assert.throws(() => statSync(join(folder, 'service.starting')), { code: 'ENOENT' });
});
