import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import type { Heard, SpeechRegion } from '../../../../actors/transcriber/contract.ts';
import { together } from '../../../../actors/transcriber/voice/detector.ts';
import { Segmenter, type SegmentRules, sileroRules } from '../../../../actors/transcriber/voice/segmenter.ts';

const rules: SegmentRules = { ...sileroRules, hop: 10, minSpeech: 30, minSilence: 20, pad: 5 };
const nothing: Heard = { speech: [], settled: 0 };

/** Everything at once, with the whole future known: the published algorithm, but no pause waits for ever. */
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

test('regions are those of the published algorithm, however the probabilities arrive', () => {
  fc.assert(
    fc.property(
      probabilities,
      fc.nat(1000),
      fc.nat(9),
      fc.array(fc.nat(20), { maxLength: 10 }),
      (all, first, short, sizes) => {
        const end = first + Math.max(0, all.length * rules.hop - short);
        const segmenter = new Segmenter(rules, first);
        let heard = { ...nothing, settled: first };
        let from = 0;
        for (const size of [...sizes, all.length]) {
          heard = together(heard, segmenter.push(all.slice(from, from + size), end));
          from += size;
        }
        heard = together(heard, segmenter.end(end));
        assert.deepEqual(heard.speech, wholeRegions(all, first, end));
        assert.equal(heard.settled, end);
      },
    ),
  );
});

test('what is answered lies between two settled places, and they are never far behind', () => {
  fc.assert(
    fc.property(probabilities, (all) => {
      const segmenter = new Segmenter(rules, 0);
      let settled = 0;
      for (const [index, probability] of all.entries()) {
        const heard = segmenter.push([probability]);
        for (const [start, end] of heard.speech) {
          assert.ok(settled <= start && start < end && end <= heard.settled);
        }
        assert.ok(heard.settled >= settled);
        settled = heard.settled;
        const lag = (index + 1) * rules.hop - settled;
        assert.ok(lag >= 0 && lag <= rules.minSpeech + rules.minSilence + 2 * rules.hop + rules.pad);
      }
    }),
  );
});

test('speech that goes on is answered piece by piece', () => {
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

test('what stays undecided after a pause does not keep the place from settling', () => {
  const segmenter = new Segmenter(rules, 0);
  assert.deepEqual(segmenter.push([1, 0, ...Array(20).fill(0.4)]), { speech: [], settled: 215 });
});

test('what is short is no speech', () => {
  const segmenter = new Segmenter(rules, 0);
  assert.deepEqual(segmenter.push([0, 1, 1, 1, 0, 0, 0, 0]), { speech: [], settled: 75 });
});

test('pads that would overlap are refused', () => {
  assert.throws(() => new Segmenter({ ...rules, pad: 11 }, 0), RangeError);
});
