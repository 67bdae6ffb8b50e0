import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import type { DetectedSpeech, SpeechRegion } from '../../../../actors/transcriber/contract.ts';
import { joinDetected } from '../../../../actors/transcriber/voice/detector.ts';
import { Segmenter, type SegmentRules, sileroRules } from '../../../../actors/transcriber/voice/segmenter.ts';

const rules: SegmentRules = { ...sileroRules, hop: 10, minSpeech: 30, minSilence: 20, pad: 5 };
const nothing: DetectedSpeech = { speech: [], settled: 0 };

/** The published algorithm over all probabilities at once, but it does not wait at undecided ones. */
function wholeRegions(probabilities: readonly number[], first: number, end: number): SpeechRegion[] {
  const found: SpeechRegion[] = [];
  let start = -1;
  let silence = -1;
  const close = (stop: number) => {
    if (stop - start > rules.minSpeech) found.push([start, stop]);
    start = -1;
    silence = -1;
  };
  for (const [index, probability] of probabilities.entries()) {
    const at = first + index * rules.hop;
    if (probability >= rules.on) {
      silence = -1;
      if (start < 0) start = at;
    }
    if (probability < rules.off && start >= 0 && silence < 0) silence = at;
    if (silence >= 0 && at - silence >= rules.minSilence) close(silence);
  }
  if (start >= 0) close(silence < 0 ? end : silence);
  return found.map(([from, to]) => [Math.max(first, from - rules.pad), Math.min(end, to + rules.pad)]);
}

const probabilities = fc.array(fc.oneof(fc.constantFrom(0, 0.34, 0.35, 0.49, 0.5, 1)), { maxLength: 60 });

test('regions are those of the published algorithm, in blocks of any size', () => {
  fc.assert(
    fc.property(
      probabilities,
      fc.nat(1000),
      fc.nat(9),
      fc.array(fc.nat(20), { maxLength: 10 }),
      (all, first, short, sizes) => {
        const end = first + Math.max(0, all.length * rules.hop - short);
        const segmenter = new Segmenter(rules, first);
        let detected = { ...nothing, settled: first };
        let from = 0;
        for (const size of [...sizes, all.length]) {
          detected = joinDetected(detected, segmenter.push(all.slice(from, from + size), end));
          from += size;
        }
        detected = joinDetected(detected, segmenter.end(end));
        assert.deepEqual(detected.speech, wholeRegions(all, first, end));
        assert.equal(detected.settled, end);
      },
    ),
  );
});

test('answered speech lies between two settled positions, which never lag far behind', () => {
  fc.assert(
    fc.property(probabilities, (all) => {
      const segmenter = new Segmenter(rules, 0);
      let settled = 0;
      for (const [index, probability] of all.entries()) {
        const detected = segmenter.push([probability]);
        for (const [start, end] of detected.speech) {
          assert.ok(settled <= start && start < end && end <= detected.settled);
        }
        assert.ok(detected.settled >= settled);
        settled = detected.settled;
        const lag = (index + 1) * rules.hop - settled;
        assert.ok(lag >= 0 && lag <= rules.minSpeech + rules.minSilence + 2 * rules.hop + rules.pad);
      }
    }),
  );
});

test('speech that goes on is answered in parts', () => {
  const segmenter = new Segmenter(rules, 100);
  assert.deepEqual(segmenter.push([0, 1, 1]), { speech: [], settled: 105 });
  assert.deepEqual(segmenter.push([1, 1]), { speech: [[105, 150]], settled: 150 });
  assert.deepEqual(segmenter.push([1]), { speech: [[150, 160]], settled: 160 });
  // Low, but not for long enough: the region reaches to the end of its pad at least.
  assert.deepEqual(segmenter.push([0, 0]), { speech: [[160, 165]], settled: 165 });
  assert.deepEqual(segmenter.push([1]), { speech: [[165, 190]], settled: 190 });
  assert.deepEqual(segmenter.push([0.4, 0.4, 0.4]), { speech: [[190, 220]], settled: 220 });
  assert.deepEqual(segmenter.push([0, 0, 0, 0]), { speech: [[220, 225]], settled: 255 });
  assert.deepEqual(segmenter.end(260), { speech: [], settled: 260 });
});

test('undecided probabilities after a pause do not delay the settled position', () => {
  const segmenter = new Segmenter(rules, 0);
  assert.deepEqual(segmenter.push([1, 0, ...Array(20).fill(0.4)]), { speech: [], settled: 215 });
});

test('short speech is ignored', () => {
  const segmenter = new Segmenter(rules, 0);
  assert.deepEqual(segmenter.push([0, 1, 1, 1, 0, 0, 0, 0]), { speech: [], settled: 75 });
});

test('pads that would overlap are refused', () => {
  assert.throws(() => new Segmenter({ ...rules, pad: 11 }, 0), RangeError);
});
