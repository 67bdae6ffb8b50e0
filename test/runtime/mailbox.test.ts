import assert from 'node:assert/strict';
import test from 'node:test';
import { createMailbox } from '../../runtime/mailbox.ts';

test('the now lane goes before the later lane and each keeps its order', () => {
  const box = createMailbox<string>(4);
  box.offer('later', 'a');
  box.offer('now', 'b');
  box.offer('later', 'c');
  box.offer('now', 'd');
  assert.deepEqual(box.drain(), ['b', 'd', 'a', 'c']);
});

test('a full lane refuses and the other lane still takes', () => {
  const box = createMailbox<number>(2);
  assert.equal(box.offer('later', 1) && box.offer('later', 2), true);
  assert.equal(box.offer('later', 3), false);
  assert.equal(box.offer('now', 4), true);
  assert.equal(box.take(), 4);
  assert.equal(box.remove(1), true);
  assert.equal(box.remove(1), false);
  assert.equal(box.take(), 2);
  assert.equal(box.take(), undefined);
});

test('some of a kind are taken out of one lane, and the others keep their order', () => {
  const box = createMailbox<string>(6);
  for (const message of ['a1', 'b1', 'a2', 'a3', 'b2']) box.offer('later', message);
  box.offer('now', 'a0');
  assert.deepEqual(
    box.takeSome('later', (message) => message.startsWith('a'), 2),
    ['a1', 'a2'],
  );
  assert.deepEqual(box.drain(), ['a0', 'b1', 'a3', 'b2']);
});
