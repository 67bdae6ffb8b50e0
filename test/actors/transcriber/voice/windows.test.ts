import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import type { SpeechRegion } from '../../../../actors/transcriber/contract.ts';
import {
  type Window,
  type WindowRules,
  Windows,
  windowRules,
} from '../../../../actors/transcriber/voice/windows.ts';

const small: WindowRules = { longest: 280, pause: 20, leadIn: 5, tail: 2 };

/** A sound whose samples tell where they are from. */
const sound = (first: number, count: number) =>
  Float32Array.from({ length: count }, (_, i) => (((first + i) * 7919) % 1000) / 1000);

interface Film {
  readonly first: number;
  readonly speech: readonly SpeechRegion[];
  readonly end: number;
}

/** Speech and pauses in turn. */
const film: fc.Arbitrary<Film> = fc
  .tuple(
    fc.nat(500),
    fc.array(fc.tuple(fc.nat(40), fc.integer({ min: 1, max: 700 })), { maxLength: 12 }),
    fc.nat(50),
  )
  .map(([first, parts, rest]) => {
    let at = first;
    const speech = parts.map(([pause, length]): SpeechRegion => {
      const start = at + pause + 1;
      at = start + length;
      return [start, at];
    });
    return { first, speech, end: at + rest };
  });

/** Lets a film arrive in blocks; what is settled lags behind by up to `lag`. */
function cut(
  { first, speech, end }: Film,
  sizes: readonly number[],
  lag: number,
  rules: WindowRules,
): Window[] {
  const windows = new Windows(rules);
  const all: Window[] = [];
  let at = first;
  let settled = first;
  const heardUntil = (until: number) => {
    const parts = speech
      .map(([start, stop]): SpeechRegion => [Math.max(start, settled), Math.min(stop, until)])
      .filter(([start, stop]) => start < stop);
    settled = until;
    return { speech: parts, settled: until };
  };
  for (let block = 0; at < end; block++) {
    const size = Math.min(end - at, sizes[block % sizes.length] ?? 50);
    const heard = heardUntil(Math.max(settled, at + size - lag));
    all.push(...windows.push(sound(at, size), at, heard));
    at += size;
  }
  all.push(...windows.end(heardUntil(end)));
  return all;
}

/** On the clock of the file, pieces that touch as one. */
function joined(parts: readonly SpeechRegion[]): SpeechRegion[] {
  const found: SpeechRegion[] = [];
  for (const [start, end] of parts) {
    const last = found.at(-1);
    if (last?.[1] === start) last[1] = end;
    else found.push([start, end]);
  }
  return found;
}
const voicesOf = ({ firstSample, voices }: Window) =>
  voices.map(([start, end]): SpeechRegion => [firstSample + start, firstSample + end]);

const sizes = fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 5 });

test('every stretch of speech lies in exactly one window, with its own sound', () => {
  fc.assert(
    fc.property(film, sizes, fc.nat(60), (one, blocks, lag) => {
      const windows = cut(one, blocks, lag, small);
      assert.deepEqual(joined(windows.flatMap(voicesOf)), joined(one.speech));
      let before = one.first;
      for (const window of windows) {
        const { firstSample, samples, voices } = window;
        assert.ok(samples.length <= small.longest && voices.length > 0);
        assert.deepEqual(samples, sound(firstSample, samples.length));
        assert.ok(
          voices.every(([start, end], at) => start < end && (at === 0 || voices[at - 1]![1] < start)),
        );
        assert.ok(voices.at(-1)![1] <= samples.length && voices.at(-1)![1] + small.tail >= samples.length);
        // As much sound before the first voice as there is, but none of the window before.
        assert.equal(voices[0]![0], Math.min(small.leadIn, firstSample + voices[0]![0] - before));
        before = voicesOf(window).at(-1)![1];
      }
    }),
  );
});

test('windows do not depend on the size of the blocks nor on how late the detector is', () => {
  fc.assert(
    fc.property(film, sizes, sizes, fc.nat(60), (one, blocks, others, lag) => {
      assert.deepEqual(cut(one, blocks, lag, small), cut(one, others, 0, small));
    }),
  );
});

test('a pause that is short is within a window, one that is long ends it', () => {
  const speech: SpeechRegion[] = [
    [100, 150],
    [169, 200],
    [220, 250],
  ];
  const windows = cut({ first: 0, speech, end: 400 }, [400], 0, small);
  assert.deepEqual(windows.map(voicesOf), [speech.slice(0, 2), speech.slice(2)]);
  assert.deepEqual(
    windows.map(({ firstSample, samples }) => [firstSample, samples.length]),
    [
      [95, 107],
      [215, 37],
    ],
  );
});

test('too long a window is cut at its longest pause in the latter half', () => {
  const speech: SpeechRegion[] = [
    [0, 50],
    [69, 150],
    [155, 200],
    [210, 260],
    [264, 400],
  ];
  const windows = cut({ first: 0, speech, end: 400 }, [64], 10, small);
  assert.deepEqual(windows.map(voicesOf), [speech.slice(0, 3), speech.slice(3)]);
});

test('without a pause it is cut where it is least loud', () => {
  const windows = new Windows();
  const samples = new Float32Array(40 * 16_000).fill(0.5);
  samples.fill(0.01, 20 * 16_000, 20.1 * 16_000);
  samples.fill(0, 5 * 16_000, 6 * 16_000);
  const settled = samples.length;
  const [first, ...others] = windows.push(samples, 0, { speech: [[0, settled]], settled });
  assert.deepEqual(others, []);
  const length = first!.samples.length / 16_000;
  assert.ok(length > 20 && length < 20.1, `cut at ${length} s`);
  const [second] = windows.end({ speech: [], settled });
  assert.equal(second!.firstSample, first!.samples.length);
  assert.equal(second!.firstSample + second!.samples.length, settled);
});

test('sound is held only as long as it may be needed', () => {
  const windows = new Windows();
  const block = sound(0, 30 * 16_000);
  let most = 0;
  for (let at = 0; at < 20; at++) {
    const first = at * block.length;
    // Speech without an end, then silence without an end.
    const speech: SpeechRegion[] = at < 10 ? [[first, first + block.length]] : [];
    windows.push(block, first, { speech, settled: first + block.length });
    most = Math.max(most, windows.room);
  }
  const seconds = most / 16_000;
  assert.ok(seconds < 40, `${seconds} s`);
});

test('what is no number becomes silence', () => {
  const windows = new Windows();
  const samples = Float32Array.of(0.5, Number.NaN, Infinity, -0.5);
  windows.push(samples, 0, { speech: [[0, 4]], settled: 4 });
  const [window] = windows.end({ speech: [], settled: 4 });
  assert.deepEqual(window!.samples, Float32Array.of(0.5, 0, 0, -0.5));
});

test('a gap between two blocks is refused', () => {
  const windows = new Windows();
  windows.push(sound(0, 10), 0, { speech: [], settled: 10 });
  assert.throws(() => windows.push(sound(11, 10), 11, { speech: [], settled: 21 }), RangeError);
});

test('a channel without a block has no windows', () => {
  assert.deepEqual(new Windows().end({ speech: [], settled: 0 }), []);
  assert.equal(windowRules.longest, 28 * 16_000);
});
