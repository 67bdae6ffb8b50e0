import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ModelTest, testText } from '../../actors/models/contract.ts';
import { inOrder } from '../../actors/self-test/tests.ts';

const result: ModelTest = {
  passed: true,
  right: 18,
  of: 20,
  counted: 'first answers right',
  milliseconds: 41.2,
  each: 'a picture',
  device: 'cpu',
  reason: null,
};

test('words count that are right and in order', () => {
  const said = 'the boat to the island'.split(' ');
  assert.equal(inOrder(said, said), 5);
  assert.equal(inOrder(said, 'a boat for the island'.split(' ')), 3);
  assert.equal(inOrder(said, 'island to boat'.split(' ')), 1);
  assert.equal(inOrder(said, []), 0);
});

test('the figure of a test is one line', () => {
  assert.equal(testText(result), '18 of 20 first answers right, 41 ms a picture on the processor');
  const failed = {
    ...result,
    passed: false,
    right: 3,
    milliseconds: 4.25,
    reason: 'at least 10 have to be right',
  };
  assert.equal(
    testText(failed),
    '3 of 20 first answers right, 4.3 ms a picture on the processor, at least 10 have to be right',
  );
  const nothing = {
    passed: false,
    right: null,
    of: null,
    counted: '',
    milliseconds: null,
    each: '',
    device: null,
  };
  assert.equal(
    testText({ ...nothing, reason: 'a.onnx: there is no such file' }),
    'a.onnx: there is no such file',
  );
});
