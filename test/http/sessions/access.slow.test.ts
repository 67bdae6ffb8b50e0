// Tickets and sessions: what each stands for, how it ends, and what is kept of it.
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { type AccessDecision, granted, refusal } from '../../../http/license/decision.ts';
import type { Licenses } from '../../../http/license/licenses.ts';
import { Access, sessionErrors } from '../../../http/sessions/access.ts';
import { RESTART_MS } from '../../../http/sessions/sessions.ts';
import { createLog, type LogLine } from '../../../runtime/log.ts';
import { formatLine } from '../../../runtime/process/log-sink.ts';
import { manualClock } from '../../runtime/manual-clock.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

const HOUR = 3_600_000;
const KEY = 'a-key-of-a-license-server';

/** A service that can be started again, with clocks set by hand. */
function world(t: TestContext, hasLicenseServer = false) {
  const home = temporaryFolder(t);
  const folder = join(home, 'sessions');
  const lines: LogLine[] = [];
  const valid = new Set([KEY]);
  const asked: (string | undefined)[] = [];
  const licenses: Pick<Licenses, 'check' | 'refresh' | 'close'> = {
    check: (key) => {
      asked.push(key);
      return valid.has(key ?? '') ? granted : refusal('of a test');
    },
    refresh: () => {},
    close: () => {},
  };
  const clock = manualClock(5);
  const time = { now: Date.UTC(2030, 1, 1) };
  const start = (server = hasLicenseServer, isLocal = true) =>
    new Access({
      licenses,
      hasLicenseServer: server,
      isLocal,
      folder,
      clock,
      now: () => time.now,
      log: createLog('sessions', (line) => lines.push(line)),
    });
  const pass = (ms: number) => {
    clock.advance(ms);
    time.now += ms;
  };
  return { folder, lines, valid, asked, clock, time, pass, start };
}

const isOk = (decision: AccessDecision | Promise<AccessDecision>) => {
  assert.ok(!(decision instanceof Promise));
  return decision.ok;
};
const statusOf = (decision: AccessDecision | Promise<AccessDecision>) =>
  decision instanceof Promise || decision.ok ? 200 : decision.status;

test('a ticket opens one session, which does what the key may by which it was made', (t) => {
  const { start, valid, asked } = world(t);
  const access = start();
  const { ticket } = access.makeTicket(KEY, null);
  const { token } = access.openSession(ticket);
  assert.ok(isOk(access.check(token)));
  assert.throws(() => access.openSession(ticket), sessionErrors.TICKET_REFUSED.is);
  assert.ok(
    asked.every((key) => key === KEY),
    'no token is asked of the licenses',
  );
  valid.delete(KEY);
  assert.equal(statusOf(access.check(token)), 403, 'a key that was revoked ends it');
  valid.add(KEY);
  assert.ok(isOk(access.check(token)));
});

test('a ticket is good for a minute by either clock, and for no other secret', (t) => {
  const { start, pass, clock, time } = world(t);
  const access = start();
  const make = () => access.makeTicket(KEY, null).ticket;
  const late = [
    () => pass(60_000),
    () => clock.advance(60_000),
    () => {
      time.now += 60_000;
    },
    () => {
      time.now -= 2_000;
    },
  ];
  for (const wait of late) {
    const ticket = make();
    wait();
    assert.throws(() => access.openSession(ticket), sessionErrors.TICKET_REFUSED.is);
  }
  const ticket = make();
  pass(59_999);
  const { token } = access.openSession(ticket);
  for (const other of ['', ticket, token, KEY, `${make()}x`, make().toUpperCase(), access.owner!]) {
    const told = (error: unknown) =>
      sessionErrors.TICKET_REFUSED.is(error) && error.message === sessionErrors.TICKET_REFUSED.meaning;
    assert.throws(() => access.openSession(other), told, 'every wrong one is told alike');
  }
});

test('of very many tickets the oldest make room', (t) => {
  const access = world(t).start();
  const tickets = Array.from({ length: 101 }, () => access.makeTicket(KEY, null).ticket);
  assert.throws(() => access.openSession(tickets[0]!), sessionErrors.TICKET_REFUSED.is);
  for (const ticket of tickets.slice(1)) assert.ok(access.openSession(ticket).token);
});

test('a session ends 12 hours after its last use, not after its first', (t) => {
  const { start, pass, clock, folder } = world(t);
  const access = start();
  const { token } = access.openSession(access.makeTicket(KEY, null).ticket);
  for (let times = 0; times < 5; times++) {
    pass(12 * HOUR - 1);
    assert.ok(isOk(access.check(token)));
  }
  clock.advance(12 * HOUR);
  assert.equal(statusOf(access.check(token)), 401);
  assert.deepEqual(readdirSync(folder), []);
});

test('a clock that is corrected by a little ends no session, one that is set far back or forward does', (t) => {
  const { start, time } = world(t);
  const access = start();
  const open = () => access.openSession(access.makeTicket(KEY, null).ticket).token;
  const token = open();
  time.now -= 2_000;
  assert.ok(isOk(access.check(token)));
  time.now -= HOUR;
  assert.equal(statusOf(access.check(token)), 401);
  const other = open();
  time.now += 13 * HOUR;
  assert.equal(statusOf(access.check(other)), 401);
});

test('what is refused does not prolong a session', (t) => {
  const { start, valid, pass } = world(t);
  const access = start();
  const { token } = access.openSession(access.makeTicket(KEY, null).ticket);
  valid.clear();
  pass(11 * HOUR);
  assert.equal(statusOf(access.check(token)), 403);
  valid.add(KEY);
  pass(HOUR);
  assert.equal(statusOf(access.check(token)), 401);
});

test('a session lives on when the service starts again, also after a crash, with the age it has', (t) => {
  const { start, pass, valid } = world(t);
  const before = start();
  const { token } = before.openSession(before.makeTicket(KEY, null).ticket);
  pass(6 * HOUR);
  assert.ok(isOk(before.check(token)));
  // No close: the process was killed.
  const after = start();
  pass(12 * HOUR - 1);
  assert.ok(isOk(after.check(token)));
  after.close(true);
  pass(12 * HOUR - 1);
  const last = start();
  valid.clear();
  assert.equal(statusOf(last.check(token)), 403, 'it still stands for the same key');
  pass(1);
  assert.equal(statusOf(start().check(token)), 401);
});

test('on the disk is neither token nor key, and nobody else can read it', (t) => {
  const { start, folder, lines } = world(t);
  const access = start();
  const { token } = access.openSession(access.makeTicket(KEY, null).ticket);
  const [name = '', ...more] = readdirSync(folder);
  assert.deepEqual(more, []);
  const text = readFileSync(join(folder, name), 'utf8');
  assert.ok(
    !text.includes(token) && !text.includes(KEY) && !text.includes(Buffer.from(KEY).toString('base64')),
  );
  if (process.platform !== 'win32') {
    assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600);
    assert.equal(statSync(folder).mode & 0o777, 0o700);
  }
  const said = formatLine({
    time: 0,
    level: 'info',
    name: 'x',
    message: `${token} ${access.owner}`,
    fields: { token, a: access.makeTicket(KEY, null).ticket },
  });
  assert.doesNotMatch(said, /fh[a-z]_/);
  assert.deepEqual(lines, []);
});

test('a kept session that was changed opens nothing, a damaged one is removed', (t) => {
  const { start, folder, lines } = world(t);
  const access = start();
  const { token } = access.openSession(access.makeTicket(KEY, null).ticket);
  const path = join(folder, readdirSync(folder)[0]!);
  const kept = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  writeFileSync(path, JSON.stringify({ ...kept, sealed: Buffer.from('x'.repeat(60)).toString('base64') }));
  assert.equal(statusOf(start().check(token)), 401);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, '{"hash"');
  start();
  assert.deepEqual(readdirSync(folder), []);
  assert.match(lines.at(-1)!.message, /cannot be read/);
});

test('a session that cannot be kept works as well, which is said once', (t) => {
  const { start, folder, lines } = world(t);
  writeFileSync(folder, 'a file in its place');
  const access = start();
  const open = () => access.openSession(access.makeTicket(KEY, null).ticket).token;
  const tokens = [open(), open()];
  assert.ok(tokens.every((token) => isOk(access.check(token))));
  assert.equal(lines.filter(({ message }) => message.includes('cannot be kept')).length, 1);
  chmodSync(folder, 0o600);
});

test('of very many sessions the longest unused make room', (t) => {
  const access = world(t).start();
  const open = () => access.openSession(access.makeTicket(KEY, null).ticket).token;
  const [first, second] = [open(), open()];
  assert.ok(isOk(access.check(first)));
  for (let times = 0; times < 999; times++) open();
  assert.equal(statusOf(access.check(second)), 401);
  assert.ok(isOk(access.check(first)));
});

test('signing out ends the session for good, and no other one', (t) => {
  const { start } = world(t);
  const access = start();
  const open = () => access.openSession(access.makeTicket(KEY, null).ticket).token;
  const [one, two] = [open(), open()];
  assert.equal(access.endSession(one), true);
  assert.equal(access.endSession(one), false);
  assert.equal(access.endSession(KEY), false);
  for (const run of [access, start()])
    assert.deepEqual(
      [one, two].map((token) => statusOf(run.check(token))),
      [401, 200],
    );
});

test('the owner of the home folder needs no key, and sessions of the owner live on', (t) => {
  const { start, asked } = world(t);
  const access = start();
  assert.ok(isOk(access.check(access.owner!)));
  const { token } = access.openSession(access.makeTicket(access.owner!, null).ticket);
  const after = start();
  assert.ok(isOk(after.check(token)));
  assert.equal(statusOf(after.check(access.owner!)), 401, 'the secret is of one run');
  const given = after.ownerTicket(600_000);
  assert.ok(isOk(after.check(after.openSession(given!).token)));
  assert.deepEqual(asked, []);
});

test('tabs share sessions of the owner of a service on this machine, which outlive a stop by minutes', (t) => {
  const { start, pass } = world(t);
  const access = start();
  const opened = [access.owner!, KEY].map((one) => access.openSession(access.makeTicket(one, null).ticket));
  assert.deepEqual(
    opened.map(({ shared }) => shared),
    [true, false],
  );
  const seen = () => opened.map(({ token }) => isOk(start().check(token)));
  access.close(false);
  assert.deepEqual(seen(), [true, true], 'another engine of the same service');
  access.close(true);
  pass(RESTART_MS - 1);
  const again = start();
  const later = () => opened.map(({ token }) => isOk(again.check(token)));
  assert.deepEqual(later(), [true, true], 'it was started again');
  pass(RESTART_MS);
  assert.deepEqual(later(), [true, true], 'as long as it runs');
  again.close(true);
  pass(RESTART_MS);
  assert.deepEqual(seen(), [false, true], 'it stayed stopped');
  const far = start(false, false);
  const { token, shared } = far.openSession(far.makeTicket(far.owner!, null).ticket);
  far.close(true);
  assert.deepEqual([shared, isOk(start().check(token))], [false, true], 'not on a loopback address');
});

test('where a license server decides, nobody signs in without a key', (t) => {
  const { start } = world(t);
  const before = start();
  const { token } = before.openSession(before.makeTicket(before.owner!, null).ticket);
  const access = start(true);
  assert.equal(access.owner, null);
  assert.equal(access.ownerTicket(1), null);
  for (const one of [token, before.owner!]) assert.equal(statusOf(access.check(one)), 403);
  assert.ok(isOk(access.check(access.openSession(access.makeTicket(KEY, null).ticket).token)));
});

test('a session can make a ticket for another browser, which stands for the same key', (t) => {
  const { start, valid, pass } = world(t);
  const access = start();
  const { token } = access.openSession(access.makeTicket(KEY, null).ticket);
  const other = access.openSession(access.makeTicket(token, null).ticket);
  valid.clear();
  assert.equal(statusOf(access.check(other.token)), 403);
  pass(12 * HOUR);
  assert.throws(() => access.makeTicket(token, null), sessionErrors.SESSION_ENDED.is);
});

test('the analysis folder that a ticket names goes with its session, also after a restart', (t) => {
  const access = world(t);
  const first = access.start();
  const { token } = first.openSession(first.makeTicket(KEY, '/films').ticket);
  const after = access.start();
  assert.equal(after.cacheDirOf(token), '/films');
  const inherited = after.openSession(after.makeTicket(token, null).ticket);
  assert.equal(after.cacheDirOf(inherited.token), '/films');
  const other = after.openSession(after.makeTicket(token, '/others').ticket);
  assert.equal(after.cacheDirOf(other.token), '/others');
  assert.equal(after.cacheDirOf(KEY), null);
});
