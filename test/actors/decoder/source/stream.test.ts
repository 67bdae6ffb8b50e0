import assert from 'node:assert/strict';
import test from 'node:test';
import { frameRate } from '../../../../actors/decoder/source/stream.ts';

type Told = Parameters<typeof frameRate>[0];

test('the average rate is taken, unless it is one of ticks and another is not', () => {
  const told = (avg: string, real: string, codec: string) => {
    const [avgFrameRate, rFrameRate, own] = [avg, real, codec].map((text) => {
      const [num, den] = text.split('/').map(Number);
      return { num, den };
    });
    return frameRate({ avgFrameRate, rFrameRate, codecpar: { frameRate: own } } as unknown as Told);
  };
  assert.deepEqual(told('24000/1001', '25/1', '30/1'), { num: 24000, den: 1001 });
  assert.deepEqual(told('0/0', '25/1', '30/1'), { num: 25, den: 1 });
  assert.deepEqual(told('60000/1', '30000/1001', '0/1'), { num: 30000, den: 1001 });
  assert.deepEqual(told('1200/1', '0/0', '0/1'), { num: 1200, den: 1 });
  assert.equal(told('0/0', '0/1', '0/0'), null);
});
