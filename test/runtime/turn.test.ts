import assert from 'node:assert/strict';
import test from 'node:test';
import { engineErrors } from '../../runtime/errors.ts';
import { HostTurn } from '../../runtime/host.ts';
import { createLog } from '../../runtime/log.ts';
import { createControl, lifeWord, STOP_WORD } from '../../runtime/wire.ts';

test('a loop that asks whether it is cancelled gives signs of life, also while its event loop is blocked', () => {
  const control = createControl(2);
  const words = new Int32Array(control);
  const log = createLog('test', () => {});
  const start = { name: 'test', control, memory: undefined, settings: null, logLevel: 'debug' } as const;
  const [first, second] = [1, 2].map((word) => new HostTurn(start, { id: word, word }, log, () => {})) as [
    HostTurn,
    HostTurn,
  ];
  const signs = () => [1, 2].map((word) => words[lifeWord(words, word)]);
  first.throwIfCancelled();
  first.alive();
  second.alive();
  assert.deepEqual(signs(), [2, 1]);
  // Native code that only looks at the flag may well hang.
  assert.equal(first.cancelled(), false);
  assert.deepEqual(signs(), [2, 1]);
  assert.deepEqual([words[STOP_WORD], words[1], words[2]], [0, 0, 0]);
  words[2] = 1;
  assert.throws(() => second.throwIfCancelled(), engineErrors.CANCELLED.is);
  assert.equal(first.cancelled(), false);
});
