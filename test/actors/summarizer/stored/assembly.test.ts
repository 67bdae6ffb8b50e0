import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { summariesErrors } from '../../../../actors/summarizer/stored/contract.ts';
import { childPreview, memberEntry } from '../../../../actors/summarizer/stored/lists.ts';
import { shortened } from '../../../../actors/summarizer/stored/reading.ts';
import { qualityBlock } from '../../../../actors/summarizer/stored/summaries.ts';
import { parseSummaryRef, summaryRef } from '../../../../actors/summarizer/stored/summary-ref.ts';
import { quality } from '../../index/summaries/trees.ts';

const characters = (text: string) => [...text].length;
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

test('property: a text is cut at most where it is too long, at the end of a letter, and says whether it was', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc.integer({ min: 5, max: 40 }),
      (text, most) => {
        const { text: cut, isCut } = shortened(text, most);
        assert.ok(characters(cut) <= most);
        assert.equal(isCut, characters(text) > most);
        assert.ok(text.startsWith(cut));
        if (!isCut) assert.equal(cut, text);
        const letters = [...graphemes.segment(text)].map(({ segment }) => segment);
        const whole = letters.map((_, i) => letters.slice(0, i).join(''));
        const longest = Math.max(...letters.map(characters), 0);
        if (isCut && longest <= most) assert.ok(whole.includes(cut), JSON.stringify([text, cut]));
        if (isCut && longest <= 2) assert.ok(characters(cut) >= most - 2);
      },
    ),
  );
});

test('a text of one endless letter is cut all the same', () => {
  const endless = `e${'\u0301'.repeat(500)}`;
  assert.equal(characters(shortened(endless, 200).text), 200);
  assert.deepEqual(shortened('👍'.repeat(200), 200), { text: '👍'.repeat(200), isCut: false });
  assert.equal(shortened('👍'.repeat(201), 200).text, '👍'.repeat(200));
  assert.equal(shortened('x'.repeat(10_000_000), 200).text.length, 200);
});

test('a child is told by the first 200 characters of its text', () => {
  const node = {
    node_id: '1',
    parent_id: '0',
    level: 1,
    text: 'a'.repeat(201),
    range: [3, 9] as [number, number],
    child_ids: ['1.1'],
    verification_hints: [],
    failed: false,
  };
  const result = { node_id: '1', is_leaf: false, search_range: [3, 9] };
  assert.deepEqual(childPreview(node), { ...result, text_preview: 'a'.repeat(200), preview_truncated: true });
  const exact = childPreview({ ...node, text: 'a'.repeat(200) });
  assert.deepEqual(exact, { ...result, text_preview: 'a'.repeat(200), preview_truncated: false });
});

test('lists of quality have at most 8 entries and warnings 500 characters, and say what is left out', () => {
  assert.deepEqual(qualityBlock(quality), {
    ...quality,
    warnings_truncated: false,
    uncovered_ranges_truncated: false,
    failed_nodes_truncated: false,
  });
  const ranges = Array.from({ length: 9 }, (_, i) => ({ start_seconds: i, end_seconds: i + 0.5 }));
  const ids = Array.from({ length: 8 }, (_, i) => `n${i}`);
  const many = {
    warnings: ['w'.repeat(501), 'short'],
    warning_count: 2,
    uncovered_ranges: ranges,
    uncovered_range_count: 9,
    failed_node_ids: ids,
    failed_node_count: 8,
  };
  const block = qualityBlock(many);
  assert.deepEqual(block.warnings, ['w'.repeat(500), 'short']);
  assert.equal(block.warnings_truncated, true, 'a warning that is cut');
  assert.deepEqual(block.uncovered_ranges, ranges.slice(0, 8));
  assert.deepEqual([block.uncovered_range_count, block.uncovered_ranges_truncated], [9, true]);
  assert.deepEqual(
    [block.failed_node_ids, block.failed_node_count, block.failed_nodes_truncated],
    [ids, 8, false],
  );
  // What is stored may be a part of what there is, and what is damaged is told first.
  const more = qualityBlock({ ...many, failed_node_count: 4000, warnings: ids, warning_count: 8 }, ['1.2']);
  assert.deepEqual([more.failed_node_count, more.failed_nodes_truncated], [4000, true]);
  assert.match(more.warnings[0]!, /Node 1\.2 is damaged/);
  assert.deepEqual([more.warnings.length, more.warning_count, more.warnings_truncated], [8, 9, true]);
});

test('property: a summary_ref names its summary again, and any change of a character is noticed', () => {
  const hex = (length: number) =>
    fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });
  fc.assert(
    fc.property(
      hex(17),
      hex(5),
      hex(24),
      fc.nat(),
      fc.constantFrom('0', 'f', '-', '.', 'x', ''),
      (a, b, analysis_id, at, other) => {
        const name = { hash_str: `${a}-${b}-2`, analysis_id };
        const ref = summaryRef(name);
        assert.deepEqual(parseSummaryRef(ref, 'summary_ref'), name);
        const place = at % ref.length;
        const changed = ref.slice(0, place) + other + ref.slice(place + 1);
        if (changed === ref) return;
        assert.throws(
          () => parseSummaryRef(changed, 'summary_ref'),
          (error) => summariesErrors.BAD_SUMMARY_REF.is(error) && error.details['field'] === 'summary_ref',
        );
      },
    ),
  );
});

test('a file of a folder that was written on another system has its name', () => {
  const summary = { hash_str: 'aa', analysis_id: 'a'.repeat(24), analysis_name: 'n' };
  for (const media_path of ['C:\\footage\\film.mp4', '\\\\server\\share\\film.mp4', '/footage/film.mp4'])
    assert.equal(memberEntry({ ...summary, media_path }).media_basename, 'film.mp4');
  const odd = memberEntry({ ...summary, media_path: '/footage/a\\b.mp4' });
  assert.equal(odd.media_basename, 'a\\b.mp4');
});
