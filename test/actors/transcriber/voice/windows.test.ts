import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import type { SpeechRegion } from '../../../../actors/transcriber/contract.ts';
import {
  type PlacedWindow,
  WindowCutter,
  type WindowRules,
  windowRules,
} from '../../../../actors/transcriber/voice/windows.ts';

const small: WindowRules = { longest: 280, pause: 20, leadIn: 5, tail: 2 };

/** A sound whose samples tell where they are from. */
const sound = (first: number, count: number) =>
  Float32Array.from({ length: count }, (_, i) => (((first + i) * 7919) % 1000) / 1000);

interface Channel {
  readonly first: number;
  readonly speech: readonly SpeechRegion[];
  readonly end: number;
}

/** Speech and pauses in turn. */
const channel: fc.Arbitrary<Channel> = fc
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

/** Lets a channel arrive in blocks; what is settled lags behind by up to `lag`. */
function cut(
  { first, speech, end }: Channel,
  sizes: readonly number[],
  lag: number,
  rules: WindowRules,
): PlacedWindow[] {
  const cutter = new WindowCutter(rules);
  const all: PlacedWindow[] = [];
  let at = first;
  let settled = first;
  const detectedUntil = (until: number) => {
    const parts = speech
      .map(([start, stop]): SpeechRegion => [Math.max(start, settled), Math.min(stop, until)])
      .filter(([start, stop]) => start < stop);
    settled = until;
    return { speech: parts, settled: until };
  };
  for (let block = 0; at < end; block++) {
    const size = Math.min(end - at, sizes[block % sizes.length] ?? 50);
    const detected = detectedUntil(Math.max(settled, at + size - lag));
    all.push(...cutter.push(sound(at, size), at, detected));
    at += size;
  }
  all.push(...cutter.end(detectedUntil(end)));
  return all;
}

/** Regions that touch are one. */
function joined(parts: readonly SpeechRegion[]): SpeechRegion[] {
  const found: SpeechRegion[] = [];
  for (const [start, end] of parts) {
    const last = found.at(-1);
    if (last?.[1] === start) last[1] = end;
    else found.push([start, end]);
  }
  return found;
}
const speechOf = ({ firstSample, speech }: PlacedWindow) =>
  speech.map(([start, end]): SpeechRegion => [firstSample + start, firstSample + end]);

const sizes = fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 5 });

test('all speech lies in exactly one window, with its own sound', () => {
  fc.assert(
    fc.property(channel, sizes, fc.nat(60), (one, blocks, lag) => {
      const windows = cut(one, blocks, lag, small);
      assert.deepEqual(joined(windows.flatMap(speechOf)), joined(one.speech));
      let before = one.first;
      for (const window of windows) {
        const { firstSample, samples, speech } = window;
        assert.ok(samples.length <= small.longest && speech.length > 0);
        assert.deepEqual(samples, sound(firstSample, samples.length));
        assert.ok(
          speech.every(([start, end], at) => start < end && (at === 0 || speech[at - 1]![1] < start)),
        );
        assert.ok(speech.at(-1)![1] <= samples.length && speech.at(-1)![1] + small.tail >= samples.length);
        // A window has as much sound before the first speech as there is, but none of the window before.
        assert.equal(speech[0]![0], Math.min(small.leadIn, firstSample + speech[0]![0] - before));
        before = speechOf(window).at(-1)![1];
      }
    }),
  );
});

test('windows depend neither on the size of the blocks nor on the lag of the detector', () => {
  fc.assert(
    fc.property(channel, sizes, sizes, fc.nat(60), (one, blocks, others, lag) => {
      assert.deepEqual(cut(one, blocks, lag, small), cut(one, others, 0, small));
    }),
  );
});

test('a short pause is within a window, a long one ends it', () => {
  const speech: SpeechRegion[] = [
    [100, 150],
    [169, 200],
    [220, 250],
  ];
  const windows = cut({ first: 0, speech, end: 400 }, [400], 0, small);
  assert.deepEqual(windows.map(speechOf), [speech.slice(0, 2), speech.slice(2)]);
  assert.deepEqual(
    windows.map(({ firstSample, samples }) => [firstSample, samples.length]),
    [
      [95, 107],
      [215, 37],
    ],
  );
});

test('a window that is too long is cut in the longest pause of its latter half', () => {
  const speech: SpeechRegion[] = [
    [0, 50],
    [69, 150],
    [155, 200],
    [210, 260],
    [264, 400],
  ];
  const windows = cut({ first: 0, speech, end: 400 }, [64], 10, small);
  assert.deepEqual(windows.map(speechOf), [speech.slice(0, 3), speech.slice(3)]);
});

test('without a pause it is cut at the quietest place', () => {
  const cutter = new WindowCutter();
  const samples = new Float32Array(40 * 16_000).fill(0.5);
  samples.fill(0.01, 20 * 16_000, 20.1 * 16_000);
  samples.fill(0, 5 * 16_000, 6 * 16_000);
  const settled = samples.length;
  const [first, ...others] = cutter.push(samples, 0, { speech: [[0, settled]], settled });
  assert.deepEqual(others, []);
  const length = first!.samples.length / 16_000;
  assert.ok(length > 20 && length < 20.1, `cut at ${length} s`);
  const [second] = cutter.end({ speech: [], settled });
  assert.equal(second!.firstSample, first!.samples.length);
  assert.equal(second!.firstSample + second!.samples.length, settled);
});

test('sound is held only as long as it may be needed', () => {
  const cutter = new WindowCutter();
  const block = sound(0, 30 * 16_000);
  let most = 0;
  for (let at = 0; at < 20; at++) {
    const first = at * block.length;
    // Speech without an end, then silence without an end.
    const speech: SpeechRegion[] = at < 10 ? [[first, first + block.length]] : [];
    cutter.push(block, first, { speech, settled: first + block.length });
    most = Math.max(most, cutter.capacity);
  }
  const seconds = most / 16_000;
  assert.ok(seconds < 40, `${seconds} s`);
});

test('NaN and infinities become zeros', () => {
  const cutter = new WindowCutter();
  const samples = Float32Array.of(0.5, Number.NaN, Infinity, -0.5);
  cutter.push(samples, 0, { speech: [[0, 4]], settled: 4 });
  const [window] = cutter.end({ speech: [], settled: 4 });
  assert.deepEqual(window!.samples, Float32Array.of(0.5, 0, 0, -0.5));
});

test('a gap between two blocks is refused', () => {
  const cutter = new WindowCutter();
  cutter.push(sound(0, 10), 0, { speech: [], settled: 10 });
  assert.throws(() => cutter.push(sound(11, 10), 11, { speech: [], settled: 21 }), RangeError);
});

test('a channel without a block has no windows', () => {
  assert.deepEqual(new WindowCutter().end({ speech: [], settled: 0 }), []);
  assert.equal(windowRules.longest, 28 * 16_000);
});
