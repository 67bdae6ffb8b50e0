// Signing in on the page, with a service that is played here.
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { type AccessDecision, decisionOf, noKey } from '../../../../http/license/decision.ts';
import { api } from '../../../../http/page/app/api.ts';
import { enterByKey, enterByTicket } from '../../../../http/page/app/session.ts';
import { get, update } from '../../../../http/page/app/store.ts';

/** `answer` null: nothing answers. Headers are read as a browser reads them. */
function played(t: TestContext, answer: (() => Response) | null) {
  const asked: string[] = [];
  t.mock.method(globalThis, 'fetch', async (path: string, init: RequestInit) => {
    new Headers(init.headers);
    asked.push(path);
    if (answer === null) throw new TypeError('fetch failed');
    return answer();
  });
  update({ session: null, signInReason: null, service: 'up' });
  return asked;
}

test('a key with letters that no key has is refused, and the service is not thought to be away', async (t) => {
  const asked = played(t, () => Response.json({}));
  for (const key of ['fh_x\u2026', '\u201cfh_x\u201d', 'two words', 'line\nbreak']) {
    update({ signInReason: null });
    assert.equal(await enterByKey(key), false, key);
    assert.deepEqual([get().signInReason, get().service, get().session], ['key', 'up', null], key);
  }
  assert.deepEqual(asked, []);
});

test('a ticket is called used only when the service says so', async (t) => {
  played(t, null);
  assert.equal(await enterByTicket('fht_x'), false);
  assert.deepEqual([get().signInReason, get().service], [null, 'away']);
  t.mock.reset();
  played(t, () => Response.json({ error: 'e', message: 'm' }, { status: 401 }));
  assert.equal(await enterByTicket('fht_x'), false);
  assert.equal(get().signInReason, 'ticket');
});

test('a session ends when it is not known; a refusal of its key is told until the key is taken again', async (t) => {
  const answered = (decision: AccessDecision) =>
    decision.ok ? Response.json({ tasks: [] }) : Response.json(decision.body, { status: decision.status });
  let decision: AccessDecision = { ok: true };
  played(t, () => answered(decision));
  const session = { kind: 'ticket', token: 'fhs_x', shared: false } as const;
  update({ session, returns: 0, refusal: null });
  const ask = () => api.listTasks().catch(() => {});
  for (const [validation, why] of [
    [{ kind: 'outage', message: 'The license server cannot be reached' }, /cannot be reached/],
    [{ kind: 'policy', message: 'Not on Sundays' }, /Sundays/],
  ] as const) {
    decision = decisionOf(validation);
    await ask();
    assert.equal(get().session, session);
    assert.match(get().refusal ?? '', why);
  }
  decision = { ok: true };
  await ask();
  assert.deepEqual([get().refusal, get().returns], [null, 1]);
  await ask();
  assert.equal(get().returns, 1);
  decision = noKey;
  await ask();
  assert.deepEqual([get().session, get().signInReason], [null, 'ended']);
});
