import assert from 'node:assert/strict';
import test from 'node:test';
import { percentageOf, roomIn } from '../../events/protocol.ts';

test('a task is named by a plain string or by an object, and by nothing else', () => {
  const rows: [unknown, string | undefined][] = [
    ['t-1', 't-1'],
    [{ task_id: 't-1' }, 't-1'],
    [{ task_id: 't-1', more: true }, 't-1'],
    ['x'.repeat(200), 'x'.repeat(200)],
    ['x'.repeat(201), undefined],
    ['', undefined],
    [{ task_id: '' }, undefined],
    [{ task_id: 7 }, undefined],
    [{}, undefined],
    [['t-1'], undefined],
    [7, undefined],
    [null, undefined],
    [undefined, undefined],
    [Buffer.from('t-1'), undefined],
  ];
  for (const [argument, id] of rows) assert.equal(roomIn(argument).task_id, id);
  assert.deepEqual(roomIn({ search_id: 's' }), { search_id: 's' });
});

test('a percentage is read as a number and as a decimal string', () => {
  const rows: [number | string, number][] = [
    [41.5, 41.5],
    ['41.5', 41.5],
    ['100', 100],
    ['', 0],
    ['soon', 0],
    [120, 100],
    ['-3', 0],
  ];
  for (const [progress, number] of rows) assert.equal(percentageOf({ progress }), number);
});
