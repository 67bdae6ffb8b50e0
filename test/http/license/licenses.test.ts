import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { decisionOf, type KeyValidation } from '../../../http/license/decision.ts';
import { Licenses } from '../../../http/license/licenses.ts';
import { MINUTE, newWorld, START, words } from './fixture.ts';

const until = Number.POSITIVE_INFINITY;
const pro: KeyValidation = { kind: 'valid', tier: 'pro', message: '', until };
const basic: KeyValidation = { ...pro, tier: 'basic' };
const invalid: KeyValidation = { kind: 'invalid', message: 'No such key' };
const outage: KeyValidation = {
  kind: 'outage',
  message: 'The license server cannot be reached (ECONNREFUSED)',
};

/** Licenses over one validation that a test sets; `asked` are the keys it was asked about. */
function setUp(t: TestContext, first: KeyValidation | Promise<KeyValidation> = pro) {
  const world = newWorld(t);
  const asked: string[] = [];
  const knows = { validation: first, changed: false, looks: 0 };
  const validator = {
    validate: (key: string) => {
      asked.push(key);
      return knows.validation;
    },
    changed: () => {
      knows.looks++;
      return knows.changed;
    },
    close: () => {},
  };
  return { ...world, asked, knows, licenses: new Licenses(validator, world) };
}

test('every validation has its published status and message', () => {
  const valid = (tier: string, message = ''): KeyValidation => ({ kind: 'valid', tier, message, until });
  const refused = (message: string) => ({ error: 'Pro license required', message });
  const table: [KeyValidation, unknown][] = [
    [valid('pro'), 'ok'],
    [valid(' Pro '), 'ok'],
    [valid('basic'), refused('OK')],
    [valid(''), refused('OK')],
    [valid('professional'), refused('OK')],
    [valid('basic', ' Team plan '), refused('Team plan')],
    [{ kind: 'invalid', message: 'Expired' }, refused('Expired')],
    [{ kind: 'invalid', message: '' }, refused('The license key is not valid')],
    [{ kind: 'invalid', message: 'ok' }, refused('The license key is not valid')],
    [{ kind: 'policy', message: 'Not on this network' }, { policy_error: 'Not on this network' }],
    [outage, refused('The license server cannot be reached (ECONNREFUSED)')],
  ];
  for (const [validation, body] of table) {
    const decision = decisionOf(validation);
    if (body === 'ok') assert.deepEqual(decision, { ok: true });
    else assert.deepEqual(decision, { ok: false, status: 403, body });
  }
  const long = decisionOf({ kind: 'invalid', message: 'x'.repeat(9_999) });
  assert.ok(words(long).length < 600);
});

test('no key is 401 with the published message, and the validator is not called', (t) => {
  const { licenses, asked } = setUp(t);
  const body = {
    error: 'Authentication required',
    message: 'Provide license_key in the request body or the X-License-Key header',
  };
  for (const key of [undefined, '', ' ', '\t\n']) {
    assert.deepEqual(licenses.check(key), { ok: false, status: 401, body });
  }
  assert.deepEqual(asked, []);
});

test('a malformed key is refused with the reason, and the validator is not called', (t) => {
  const { licenses, asked } = setUp(t);
  const table = [
    ['Bearer fh_x', /without "Bearer"/],
    ['"fh_x"', /without quotes/],
    ["'fh_x'", /without quotes/],
    ['a b', /spaces/],
    ['a\0b', /control/],
    ['x'.repeat(1025), /too long/],
  ] as const;
  for (const [key, message] of table) {
    const decision = licenses.check(key);
    assert.ok(!(decision instanceof Promise) && !decision.ok && decision.status === 403);
    assert.match(words(decision), message);
  }
  assert.deepEqual(asked, []);
});

test('a Pro key is validated once in 30 minutes, and again at once afterwards', (t) => {
  const { licenses, asked, clock } = setUp(t);
  for (let minute = 0; minute < 30; minute++) {
    assert.deepEqual(licenses.check(minute % 2 ? 'key' : ' key '), { ok: true });
    clock.advance(MINUTE);
  }
  assert.deepEqual(asked, ['key']);
  licenses.check('key');
  assert.deepEqual(asked, ['key', 'key']);
});

test('a validation is never older than 30 minutes, whenever the refresh falls', (t) => {
  const { licenses, asked, clock } = setUp(t);
  licenses.check('key');
  clock.advance(30 * MINUTE - 500);
  licenses.check('key');
  clock.advance(999);
  licenses.check('key');
  assert.equal(asked.length, 2);
});

test('the cache is bounded: the oldest entry is evicted', (t) => {
  const { licenses, asked } = setUp(t);
  for (let i = 0; i <= 4_096; i++) licenses.check(`key-${i}`);
  licenses.check('key-4096');
  licenses.check('key-1');
  assert.equal(asked.length, 4_097);
  licenses.check('key-0');
  assert.equal(asked.length, 4_098);
});

test('after sleep or a clock set back keys are validated again', (t) => {
  for (const skew of [31 * MINUTE, -MINUTE]) {
    const { licenses, asked, clock, ...world } = setUp(t);
    licenses.check('key');
    world.skew(skew);
    clock.advance(1_000);
    licenses.check('key');
    assert.equal(asked.length, 2, `${skew} ms`);
  }
});

test('after a valid key every other key is validated, however similar it is', (t) => {
  const { licenses, asked, knows } = setUp(t);
  const right = 'fh_0123456789abcdef';
  for (const other of [`${right}0`, right.slice(0, -1), right.toUpperCase(), `F${right.slice(1)}`, 'fh_']) {
    knows.validation = pro;
    assert.deepEqual(licenses.check(right), { ok: true });
    assert.deepEqual(licenses.check(right), { ok: true });
    knows.validation = invalid;
    assert.deepEqual(licenses.check(other), decisionOf(invalid));
    assert.equal(asked.at(-1), other);
  }
  assert.equal(asked.filter((one) => one === right).length, 1);
});

test('a key is refused when it expires, not half an hour later', (t) => {
  const { licenses, knows, clock } = setUp(t, { ...pro, until: START + 10 * MINUTE });
  clock.advance(9 * MINUTE);
  assert.equal(words(licenses.check('key') as { ok: boolean }), 'ok');
  knows.validation = { kind: 'invalid', message: 'Expired' };
  clock.advance(MINUTE);
  assert.match(words(licenses.check('key') as { ok: boolean }), /Expired/);
});

test('a refusal is cached for seconds only', (t) => {
  for (const validation of [invalid, basic, outage]) {
    const { licenses, asked, knows, clock } = setUp(t, validation);
    for (let i = 0; i < 5; i++) assert.equal((licenses.check('key') as { ok: boolean }).ok, false);
    assert.equal(asked.length, 1);
    knows.validation = pro;
    clock.advance(5_000);
    assert.deepEqual(licenses.check('key'), { ok: true });
  }
});

test('in an outage a validation of the last 30 minutes holds, an older one does not', (t) => {
  const policy: KeyValidation = { kind: 'policy', message: 'Not here' };
  for (const [before, during] of [
    [pro, 'ok'],
    [basic, 'Pro license required | OK'],
    [policy, 'Not here'],
  ] as const) {
    const { licenses, knows, clock } = setUp(t, before);
    licenses.check('key');
    knows.validation = outage;
    clock.advance(29 * MINUTE);
    assert.equal(words(licenses.check('key') as { ok: boolean }), during);
    clock.advance(MINUTE);
    assert.match(words(licenses.check('key') as { ok: boolean }), /cannot be reached/);
  }
});

test('during an outage a client in a loop does not reach the license server', (t) => {
  const { licenses, asked, knows, clock } = setUp(t, basic);
  licenses.check('key');
  knows.validation = outage;
  clock.advance(6_000);
  for (let i = 0; i < 10; i++) licenses.check('key');
  assert.equal(asked.length, 2);
});

test('an outage is logged once when it begins and once when it ends, by id', (t) => {
  const { licenses, knows, clock, logged } = setUp(t, outage);
  for (const key of ['secret-a', 'secret-b']) licenses.check(key);
  knows.validation = pro;
  clock.advance(MINUTE);
  for (const key of ['secret-a', 'secret-b']) licenses.check(key);
  assert.equal(logged().match(/cannot be validated/g)?.length, 1);
  assert.equal(logged().match(/can be validated again/g)?.length, 1);
  assert.doesNotMatch(logged(), /secret/);
});

test('when the keys change, the cache is emptied', (t) => {
  const { licenses, asked, knows, clock } = setUp(t);
  licenses.check('key');
  knows.changed = true;
  licenses.check('key');
  assert.equal(asked.length, 1);
  clock.advance(1_000);
  licenses.check('key');
  assert.equal(asked.length, 2);
});

test('the keys are checked for changes once a second at most, and never without requests', (t) => {
  const { licenses, knows, clock } = setUp(t);
  for (let i = 0; i < 1_000; i++) licenses.check('key');
  assert.equal(knows.looks, 1);
  clock.advance(60 * MINUTE);
  assert.equal(knows.looks, 1);
  licenses.check('key');
  assert.equal(knows.looks, 2);
  licenses.close();
  assert.equal(clock.waiting, 0);
});

test('requests with one key share one validation; a cached one is synchronous', async (t) => {
  const answer = Promise.withResolvers<KeyValidation>();
  const { licenses, asked } = setUp(t, answer.promise);
  const all = Array.from({ length: 20 }, () => licenses.check('key'));
  answer.resolve(pro);
  assert.ok((await Promise.all(all)).every(({ ok }) => ok));
  assert.deepEqual(asked, ['key']);
  assert.deepEqual(licenses.check('key'), { ok: true });
});

test('an error of the validator reaches every caller and is not cached', async (t) => {
  const { licenses, knows } = setUp(t, Promise.reject(new Error('broken')));
  const both = [licenses.check('key'), licenses.check('key')];
  for (const one of both) await assert.rejects(async () => one, /broken/);
  knows.validation = pro;
  assert.deepEqual(licenses.check('key'), { ok: true });
});

test('pending validations are bounded', async (t) => {
  const answer = Promise.withResolvers<KeyValidation>();
  const { licenses, asked } = setUp(t, answer.promise);
  const all = Array.from({ length: 100 }, (_, i) => licenses.check(`key-${i}`));
  assert.equal(asked.length, 64);
  answer.resolve(pro);
  const verdicts = await Promise.all(all);
  assert.equal(verdicts.filter(({ ok }) => ok).length, 64);
  assert.match(words(verdicts[99]!), /Too many/);
});

test('a flood of wrong keys evicts no valid one', (t) => {
  const { licenses, asked, knows } = setUp(t);
  licenses.check('right');
  knows.validation = invalid;
  for (let i = 0; i < 10_000; i++) licenses.check(`wrong-${i}`);
  licenses.check('right');
  assert.equal(asked.filter((key) => key === 'right').length, 1);
});
