import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engineErrors } from '../../../runtime/errors.ts';
import { orAborted, SharedWork, sideBySide } from '../../../runtime/sync/shared-work.ts';

const never = new AbortController().signal;

/** Work that a test ends by hand. */
function slow() {
  const begun: { signal: AbortSignal; end(value: string): void; fail(error: Error): void }[] = [];
  const work = (signal: AbortSignal) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    begun.push({ signal, end: resolve, fail: reject });
    return promise;
  };
  return { begun, work };
}

test('what several ask for at once is done once, and what they ask for later again', async () => {
  const shared = new SharedWork<string>();
  const { begun, work } = slow();
  const both = [shared.run('a', never, work), shared.run('a', never, work)];
  const other = shared.run('b', never, work);
  assert.equal(begun.length, 2);
  begun[0]!.end('one');
  begun[1]!.end('two');
  assert.deepEqual(await Promise.all([...both, other]), ['one', 'one', 'two']);
  const again = shared.run('a', never, work);
  begun[2]!.fail(new Error('broken'));
  await assert.rejects(again, /broken/);
});

test('one that leaves takes nothing from the others, and the last one ends the work', async () => {
  const shared = new SharedWork<string>();
  const { begun, work } = slow();
  const [one, two] = [new AbortController(), new AbortController()];
  const first = shared.run('a', one.signal, work);
  const second = shared.run('a', two.signal, work);
  one.abort();
  await assert.rejects(first, engineErrors.CANCELLED.is);
  assert.equal(begun[0]!.signal.aborted, false);
  two.abort();
  await assert.rejects(second, engineErrors.CANCELLED.is);
  assert.equal(begun[0]!.signal.aborted, true);
  const third = shared.run('a', never, work);
  assert.equal(begun.length, 1, 'it begins when the one that was given up has ended');
  begun[0]!.end('late');
  await new Promise(setImmediate);
  assert.equal(begun.length, 2);
  begun[1]!.end('new');
  assert.equal(await third, 'new');
  await assert.rejects(shared.run('a', one.signal, work), engineErrors.CANCELLED.is);
});

test('what fails after its waiter has left already is no unhandled rejection', async (t) => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', note);
  t.after(() => process.off('unhandledRejection', note));
  const { promise, reject } = Promise.withResolvers<never>();
  await assert.rejects(orAborted(promise, AbortSignal.abort()), engineErrors.CANCELLED.is);
  reject(new Error('nobody waits for it'));
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(unhandled, []);
});

test('every item is worked on once, a bounded number at the same time', async () => {
  const done: number[] = [];
  let running = 0;
  let most = 0;
  await sideBySide([1, 2, 3, 4, 5].values(), 2, undefined, async (item) => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    done.push(item);
  });
  assert.deepEqual([done.toSorted(), most], [[1, 2, 3, 4, 5], 2]);
});

test('the first failure ends the others and is the one that is thrown', async () => {
  const started: number[] = [];
  const work = (item: number, until: AbortSignal) => {
    started.push(item);
    if (item === 1) return Promise.reject(new Error('first'));
    return new Promise<void>((_, reject) => {
      until.addEventListener('abort', () => reject(new Error('ended')), { once: true });
    });
  };
  await assert.rejects(sideBySide([1, 2, 3].values(), 2, undefined, work), /first/);
  assert.deepEqual(started, [1, 2]);
});

test('an aborted signal ends it before the next item', async () => {
  const stop = new AbortController();
  const seen: number[] = [];
  const work = async (item: number) => {
    seen.push(item);
    stop.abort();
  };
  await assert.rejects(sideBySide([1, 2].values(), 1, stop.signal, work), engineErrors.CANCELLED.is);
  assert.deepEqual(seen, [1]);
});
