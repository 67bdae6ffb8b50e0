import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import sharp from 'sharp';
import {
  clockSeconds,
  jpegSide,
  momentsByFile,
  nearestFrame,
  secondShowing,
  showsEnough,
  stripSeconds,
} from '../../../../actors/search/thumbnails/pictures.ts';

test('a strip has every second with both ends, or exactly a hundred evenly spaced ones', () => {
  for (const [start, end, last, seconds] of [
    [2, 5, 100, [2, 3, 4, 5]],
    [7, 7, 100, [7]],
    [2, 9, 5, [2, 3, 4, 5]],
    [6, 9, 5, []],
    [0, 0, 0, [0]],
  ] as const) {
    assert.deepEqual(stripSeconds(start, end, last), seconds);
  }
  assert.equal(stripSeconds(0, 100, 1000).length, 101);
  assert.equal(stripSeconds(0, 101, 1000).length, 100);
  const second = fc.integer({ min: 0, max: 1e6 });
  fc.assert(
    fc.property(second, fc.integer({ min: 101, max: 1e6 }), (start, span) => {
      const strip = stripSeconds(start, start + span, Number.POSITIVE_INFINITY);
      assert.equal(strip.length, 100);
      assert.deepEqual([strip[0], strip[99]], [start, start + span]);
      const steps = strip.slice(1).map((at, i) => at - strip[i]!);
      assert.ok(Math.min(...steps) >= 1 && Math.max(...steps) - Math.min(...steps) <= 1);
    }),
  );
});

test('clock times are read as they are written, and nothing else is', () => {
  for (const [text, seconds] of [
    ['00:00:00', 0],
    ['01:01:01', 3661],
    ['100:00:59', 360_059],
    ['1:00:00', null],
    ['00:60:00', null],
    ['00:00:60', null],
    ['-0:00:01', null],
    ['00:00:01.5', null],
    ['00:00:01\n', null],
    ['', null],
  ] as const) {
    assert.equal(clockSeconds(text), seconds, text);
  }
});

test('a moment is shown by the nearest second of the grid, and none after the end', () => {
  const film = { kind: 'video', grid_frames: 10 } as const;
  for (const [at, frame] of [
    [0, 0],
    [3.4, 3],
    [3.6, 4],
    [9.9, 9],
    [10, null],
    [1e300, null],
  ] as const) {
    assert.equal(nearestFrame(at, film), frame);
  }
  assert.equal(nearestFrame(500, { kind: 'image', grid_frames: 1 }), 0);
  assert.equal(nearestFrame(0, { kind: 'audio', grid_frames: 0 }), null);
});

test('the moments of each file come together, ascending, and keep the index of their request', () => {
  const ask = (media_path: string, time_seconds: number, hash_str?: string) => ({
    media_path,
    time_seconds,
    ...(hash_str !== undefined && { hash_str }),
  });
  const files = momentsByFile([ask('/a', 9), ask('/b', 1), ask('/a', 2), ask('/a', 9), ask('/a', 3, 'f0')]);
  assert.deepEqual(files, [
    {
      media_path: '/a',
      hash_str: null,
      moments: [
        { index: 2, seconds: 2 },
        { index: 0, seconds: 9 },
        { index: 3, seconds: 9 },
      ],
    },
    { media_path: '/b', hash_str: null, moments: [{ index: 1, seconds: 1 }] },
    { media_path: '/a', hash_str: 'f0', moments: [{ index: 4, seconds: 3 }] },
  ]);
});

test('a stored picture is enough when it is as large as asked for or as the film itself', () => {
  for (const [stored, asked, width, enough] of [
    [640, 480, 1920, true],
    [640, 640, 1920, true],
    [639, 640, 1920, true],
    [640, 800, 1920, false],
    [320, 800, 320, true],
  ] as const) {
    assert.equal(showsEnough(stored, asked, { width, height: 10 }), enough);
  }
});

test('the longest side of a JPEG is read off its header, and of anything else there is none', async () => {
  const picture = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: '#123456' } });
  assert.equal(jpegSide(await picture(321, 20).jpeg().toBuffer()), 321);
  assert.equal(jpegSide(await picture(20, 123).jpeg({ progressive: true }).toBuffer()), 123);
  assert.equal(jpegSide(await picture(20, 123).png().toBuffer()), null);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      jpegSide(Uint8Array.of(0xff, 0xd8, ...bytes));
    }),
  );
});

test('a moment between two seconds is shown by the nearest one of its own shot, or by none', () => {
  const film = { kind: 'video', grid_frames: 9 } as const;
  const shots = { seconds: Float64Array.of(2.48, 2.8, 5.6), frames: Uint32Array.of(62, 70, 140), end: 8.4 };
  for (const [at, second, onGrid] of [
    [2.4, 2, 2],
    [2.47, 2, 2],
    [2.5, null, 3],
    [2.8, 3, 3],
    [5.55, 5, 6],
    [5.6, 6, 6],
    [8.39, 8, 8],
    [9, null, null],
  ] as const) {
    assert.equal(secondShowing(at, film, shots), second, `${at}`);
    assert.equal(secondShowing(at, film, null), onGrid, `${at}`);
  }
});
