// Smart clips of recorded footage, picture by picture against precise ones and the source.
import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import { sharedPath, skipWithout } from '../../../../shared.ts';
import { fullDecode, meanDifference } from '../../footage/full-decode.ts';
import { cut } from '../cut.ts';

const shape = { width: 192, height: 108, fit: 'stretch', resample: 'area' } as const;

describe('recorded footage', () => {
  for (const [name, span] of [
    ['car-detection.mp4', [3.3, 16.1]],
    ['bottle-detection.mp4', [7.9, 25.6]],
  ] as const) {
    const film = `media/video/${name}`;
    test(name, { skip: skipWithout(film) }, async () => {
      const path = sharedPath(film);
      const [smart, precise] = [await cut(path, span, 'smart'), await cut(path, span)];
      assert.equal(smart.mode_reason, null);
      assert.deepEqual({ ...smart, mode_used: '', path: '' }, { ...precise, mode_used: '', path: '' });
      const [source, own, other] = [
        await fullDecode(path, shape),
        await fullDecode(smart.path, shape),
        await fullDecode(precise.path, shape),
      ];
      const first = source.findIndex(({ seconds }) => Math.abs(seconds - smart.start_seconds) < 0.001);
      assert.equal(own.length, other.length);
      let same = 0;
      for (const [i, { rgb, seconds }] of own.entries()) {
        assert.ok(Math.abs(seconds - other[i]!.seconds) < 0.0005, `${i} at ${seconds}`);
        const difference = meanDifference(rgb, source[first + i]!.rgb);
        assert.ok(difference < 2, `picture ${i} differs by ${difference}`);
        if (difference === 0) same++;
      }
      assert.ok(same > own.length / 3, `${same} of ${own.length} are as they were`);
    });
  }
});
