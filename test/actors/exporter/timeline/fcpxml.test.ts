import assert from 'node:assert/strict';
import test from 'node:test';
import { arrange } from '../../../../actors/exporter/timeline/arrange.ts';
import { fcpxml, secondsOf, shownSeconds, sum } from '../../../../actors/exporter/timeline/fcpxml.ts';
import { cut } from './cut.ts';
import { matchesGolden } from './golden.ts';
import { film, item, known, rates, request } from './sources.ts';

test('a cut is the FCPXML that was read by hand', () => {
  matchesGolden('cut.fcpxml', fcpxml(cut({ start_timecode: '01:00:00;00' }).timeline));
});

test('seconds are exact fractions in lowest terms', () => {
  assert.equal(shownSeconds(secondsOf(1, rates['29.97'])), '1001/30000s');
  assert.equal(shownSeconds(secondsOf(50, rates['25'])), '2s');
  assert.equal(shownSeconds(secondsOf(0, rates['25'])), '0s');
  assert.equal(shownSeconds(sum(secondsOf(1, rates['25']), secondsOf(1, rates['23.976']))), '1961/24000s');
  assert.equal(shownSeconds(secondsOf(24 * 3600 * 60, rates['59.94'])), '432432/5s');
});

test('the storyline has no hole: every element begins where the one before it ends', () => {
  const text = fcpxml(cut().timeline);
  const story = [...text.matchAll(/^ {12}<(?:gap|asset-clip|video) .*$/gm)].map(([line]) => line);
  const fraction = (line: string, name: string) => {
    const [, num, den = '1'] = new RegExp(` ${name}="(\\d+)(?:/(\\d+))?s"`).exec(line)!;
    return Number(num) / Number(den);
  };
  assert.equal(story.length, 5);
  let at = 0;
  for (const line of story) {
    assert.ok(Math.abs(fraction(line, 'offset') - at) < 1e-9, line);
    at += fraction(line, 'duration');
  }
  assert.ok(Math.abs(at - (240 * 1001) / 30_000) < 1e-9);
});

test('a clip of another rate says it in a word of version 1.8, or not at all', () => {
  const words = [
    [rates['23.976'], '23.98'],
    [rates['59.94'], '59.94'],
    [{ num: 120, den: 1 }, undefined],
    [{ num: 13, den: 1 }, undefined],
  ] as const;
  for (const [rate, word] of words) {
    const facts = known(film('/a', { rate }));
    const text = fcpxml(arrange(request([item('/a', 0, 1)], { fps: 25 }), facts).timeline);
    const [, found] = /<conform-rate scaleEnabled="0"(?: srcFrameRate="([^"]+)")?\/>/.exec(text)!;
    assert.equal(found, word);
  }
});
