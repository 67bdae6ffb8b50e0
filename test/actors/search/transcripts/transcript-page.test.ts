import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import type { NamedSegment } from '../../../../actors/index/transcripts/contract.ts';
import { cutMarker, pageCharacters, pageOf } from '../../../../actors/search/transcripts/transcript-page.ts';
import { draws } from '../../../shared.ts';

const said = (texts: readonly string[]): NamedSegment[] =>
  texts.map((text, i) => ({
    segment_index: i,
    start_seconds: i,
    end_seconds: i + 1,
    text,
    speaker: null,
    speaker_name: null,
  }));

const text = fc
  .tuple(fc.oneof(fc.nat(200), fc.nat(60_000)), fc.constantFrom('a', 'é', '😀', '東'))
  .map(([length, letter]) => letter.repeat(length));

test('pages hold every segment once, in order, within the budget; what never fits is cut alone', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 30 }), fc.integer({ min: 1, max: 12 }), (texts, most) => {
      const all = said(texts);
      const seen: string[] = [];
      let after: number | null = -1;
      while (after !== null) {
        const rest = all.slice(after + 1, after + 2 + most);
        const page = pageOf(rest, most);
        const characters = page.segments.reduce((sum, segment) => sum + [...segment.text].length, 0);
        assert.ok(characters <= pageCharacters && page.segments.length <= most);
        for (const segment of page.segments) {
          const whole = texts[segment.segment_index]!;
          const isCut = page.truncated_segment_indices.includes(segment.segment_index);
          assert.equal(isCut, [...whole].length > pageCharacters);
          assert.equal(segment.text_truncated, isCut ? true : undefined);
          if (isCut) {
            assert.equal(segment.original_character_count, [...whole].length);
            assert.ok(segment.text.endsWith(cutMarker) && segment.text.isWellFormed());
            assert.ok(whole.startsWith(segment.text.slice(0, -cutMarker.length)));
          } else assert.equal(segment.text, whole);
          seen.push(whole);
        }
        assert.equal(page.truncated, page.segments.length < rest.length);
        after = page.next_after_segment_index;
        assert.equal(after !== null, page.truncated);
      }
      assert.deepEqual(seen, texts);
    }),
    { numRuns: draws(100) },
  );
});
