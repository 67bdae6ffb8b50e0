// What `framehound open` and `stop` say, with a service that is played here; test/system starts real ones.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { hasDisplay, open, opening, stop } from '../../../cli/commands/open.ts';
import { exit } from '../../../cli/context.ts';
import { writeServiceFile } from '../../../cli/service-file.ts';
import { serviceErrors } from '../../../cli/sign-in.ts';
import { resolveConfig } from '../../../runtime/config.ts';
import { type ProcessIdentity, thisProcess } from '../../../runtime/process/identity.ts';
import { settings } from '../../../settings.ts';
import { manualClock } from '../../runtime/manual-clock.ts';
import { until } from '../../until.ts';
import { fakeHome } from '../fake-context.ts';

/** Answers one request after the other; the last answer again and again. */
async function service(t: TestContext, ...answers: readonly (readonly [status: number, body: object])[]) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (text) => {
      body += text;
    });
    request.on('end', () => {
      const [status, answer] = answers[Math.min(asked.length, answers.length - 1)]!;
      asked.push(`${request.method} ${request.url} ${request.headers['x-license-key'] ?? '-'} ${body}`);
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as { port: number };
  return { asked, port };
}

const made = { ticket: 'fht_x', url: 'not used', expires_at: 1 };
const listening = (port: number, owner: string | null) => ({ host: '0.0.0.0', port, owner, guarded: false });

test('open asks the service that runs with the secret of its owner, and waits while it starts again', async (t) => {
  const { home, run } = fakeHome(t, { FRAMEHOUND_LICENSE_KEY: 'not-sent' });
  const refused = { error: 'e', message: 'of another run, or stopping' };
  const { asked, port } = await service(t, [401, refused], [503, refused], [200, made]);
  writeServiceFile(home, listening(port, 'fho_x'));
  const { code, out, err } = await run(open, '--print');
  assert.deepEqual([code, out], [exit.ok, `http://localhost:${port}/#fht_x\n`]);
  assert.match(err, /once, for one browser, and expires in a minute/);
  assert.deepEqual(new Set(asked.map((one) => one.trim())), new Set(['POST /api/v1/tickets fho_x']));
});

test('with a license server the key of the settings is sent; without one the page asks for it', async (t) => {
  const { port, asked } = await service(t, [200, { status: 'ok', ...made }]);
  const bare = fakeHome(t);
  writeServiceFile(bare.home, listening(port, null));
  const without = await bare.run(open, '--print');
  assert.deepEqual([without.code, without.out], [exit.ok, `http://localhost:${port}/\n`]);
  assert.match(without.err, /sign in on the page with a license key, or set FRAMEHOUND_LICENSE_KEY/);
  const keyed = fakeHome(t, { FRAMEHOUND_LICENSE_KEY: 'my-key' });
  writeServiceFile(keyed.home, listening(port, null));
  assert.equal((await keyed.run(open, '--print')).out, `http://localhost:${port}/#fht_x\n`);
  assert.match(asked.at(-1)!, /^POST \/api\/v1\/tickets my-key/);
});

test('a key that the license server refuses is an error that says why', async (t) => {
  const { home, run } = fakeHome(t, { FRAMEHOUND_LICENSE_KEY: 'my-key' });
  const { port } = await service(t, [403, { error: 'Pro license required', message: 'revoked' }]);
  writeServiceFile(home, listening(port, null));
  await assert.rejects(
    run(open, '--print'),
    (error) => serviceErrors.KEY_REFUSED.is(error) && error.message.endsWith('license key: revoked'),
  );
});

test('the service of the setting server is asked with a key, and none is started', async (t) => {
  const { port, asked } = await service(t, [200, made]);
  const server = `http://127.0.0.1:${port}/api/v1`;
  const { run } = fakeHome(t, { FRAMEHOUND_SERVER: server, FRAMEHOUND_LICENSE_KEY: 'k' });
  assert.equal((await run(open, '--print')).out, `http://127.0.0.1:${port}/#fht_x\n`);
  assert.equal(asked.length, 1);
});

test('the analysis folder of a flag goes with the ticket, not with the address', async (t) => {
  const { home, context } = fakeHome(t);
  const { port, asked } = await service(t, [200, made]);
  writeServiceFile(home, listening(port, 'fho_x'));
  const config = resolveConfig(settings, { flags: { home, 'cache-dir': '/my/films' }, env: {}, file: {} });
  const own = context({ config, values: config.values });
  await open(['--print'], own);
  assert.equal(own.said().out, `http://localhost:${port}/#fht_x\n`);
  assert.match(asked[0]!, /\{"cache_dir":"\/my\/films"\}$/);
});

test('a running service at a port that browsers refuse is told of at once', async (t) => {
  const { home, run } = fakeHome(t);
  writeServiceFile(home, listening(1, 'fho_x'));
  await assert.rejects(
    run(open, '--print'),
    /browsers do not open port 1; stop the running service and choose another one/,
  );
});

test('a command that is interrupted while it waits ends', async (t) => {
  const { home, context } = fakeHome(t);
  const stopped = new AbortController();
  const { port } = await service(t, [503, { error: 'e', message: 'stopping' }]);
  writeServiceFile(home, listening(port, 'fho_x'));
  const running = open(['--print'], context({ signal: stopped.signal }));
  stopped.abort();
  await assert.rejects(running, { code: 'CANCELLED' });
});

test('a service that takes the question and never answers is told of', async (t) => {
  const { home, context } = fakeHome(t);
  const clock = manualClock();
  let asked = false;
  const server = createServer(() => {
    asked = true;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  writeServiceFile(home, listening((server.address() as { port: number }).port, 'fho_x'));
  const interrupt = new AbortController();
  t.after(() => interrupt.abort());
  const refused = assert.rejects(open(['--print'], context({ clock, signal: interrupt.signal })), (error) =>
    serviceErrors.NOT_REACHED.is(error),
  );
  await until(() => asked);
  assert.equal(clock.waiting, 1, 'it is not waited for without an end');
  clock.advance(60_000);
  await until(() => clock.waiting === 1);
  clock.advance(1_000);
  await refused;
});

test('no service is started at a port that browsers do not open', async (t) => {
  const { home, context } = fakeHome(t);
  const config = resolveConfig(settings, { flags: { home, port: '6000' }, env: {}, file: {} });
  await assert.rejects(
    open(['--print'], context({ config, values: config.values })),
    /browsers do not open port 6000/,
  );
});

test('stop without a service says so and is no error', async (t) => {
  const { home, run } = fakeHome(t);
  const { code, err } = await run(stop);
  assert.equal(code, exit.ok);
  assert.ok(err.includes(`No service is running for the home folder ${home}`));
});

/**
 * A process that does nothing, as `service.json` tells of one where the system does not say when it began.
 */
function idle(t: TestContext) {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' });
  t.after(() => child.kill('SIGKILL'));
  return { child, engine: { ...thisProcess(), pid: child.pid!, started: '' } };
}

function tellOf(home: string, engine: ProcessIdentity, port: number): void {
  const service = {
    version: 1,
    engine,
    guardian: null,
    program: '0',
    host: '127.0.0.1',
    port,
    owner: 'fho_x',
  };
  writeFileSync(join(home, 'service.json'), JSON.stringify(service));
}

test('a process that may have got the number of the service after a crash is not ended', async (t) => {
  const { home, run } = fakeHome(t);
  const { child, engine } = idle(t);
  const { port, asked } = await service(t, [401, { error: 'e', message: 'of another run' }]);
  tellOf(home, engine, port);
  await assert.rejects(
    run(stop),
    (error) => serviceErrors.NOT_STOPPED.is(error) && error.message.includes(`process ${child.pid} `),
  );
  assert.deepEqual([child.exitCode, child.signalCode], [null, null]);
  assert.match(asked[0]!, /^GET \/api\/v1\/settings fho_x/);
});

test('one that answers with the secret of its owner is', async (t) => {
  const { home, run } = fakeHome(t);
  const { child, engine } = idle(t);
  const { port } = await service(t, [200, { version: '0', cache_dir: '/c', settings: [] }]);
  tellOf(home, engine, port);
  const ended = new Promise((resolve) => child.once('exit', (_, by) => resolve(by)));
  assert.equal((await run(stop)).code, exit.ok);
  assert.equal(await ended, 'SIGTERM');
});

test('a service of somebody else is told of, and one that has just ended is no error', async (t) => {
  const { home, run } = fakeHome(t);
  const codes = ['EPERM', 'ESRCH'];
  let hasGone = false;
  t.mock.method(process, 'kill', (_: number, signal: string | 0) => {
    if (signal === 0 && !hasGone) return true;
    hasGone = codes[0] === 'ESRCH';
    throw Object.assign(new Error('kill'), { code: codes.shift() ?? 'ESRCH' });
  });
  tellOf(home, thisProcess(), 1);
  await assert.rejects(run(stop), (error) => serviceErrors.NOT_STOPPED.is(error));
  assert.equal((await run(stop)).code, exit.ok);
});

test('a browser needs a display where there may be none', () => {
  assert.equal(hasDisplay({}, 'linux'), false);
  assert.equal(hasDisplay({ DISPLAY: '', WAYLAND_DISPLAY: 'wayland-0' }, 'linux'), true);
  assert.equal(hasDisplay({ DISPLAY: ':0' }, 'linux'), true);
  assert.equal(hasDisplay({}, 'darwin'), true);
});

test('an address is opened as it is, also what a shell of Windows would read', () => {
  const address = 'http://localhost:6699/#ticket/search?q=50%25&weak=1';
  assert.deepEqual(opening(address, 'win32'), ['rundll32', 'url.dll,FileProtocolHandler', address]);
  assert.deepEqual(opening(address, 'darwin'), ['open', address]);
  assert.deepEqual(opening(address, 'linux'), ['xdg-open', address]);
});
