// One page of a transcript: as many segments as its budget of text allows.
import type { NamedSegment } from '../../index/transcripts/contract.ts';
import type { RangeSegment, TranscriptRangeAnswer } from './contract.ts';

export const pageCharacters = 24_000;
export const cutMarker = ' … [cut]';

type Page = Pick<
  TranscriptRangeAnswer,
  'segments' | 'truncated' | 'next_after_segment_index' | 'truncated_segment_indices'
>;

/** `segments`: what comes next, with one more than `most` when there is more. Characters are code points. */
export function pageOf(segments: readonly NamedSegment[], most: number): Page {
  const page: RangeSegment[] = [];
  const cut: number[] = [];
  let remainingCharacters = pageCharacters;
  for (const segment of segments.slice(0, most)) {
    const count = characters(segment.text);
    if (count > remainingCharacters && page.length > 0) break;
    const speaker = segment.speaker ?? '';
    const named = { ...segment, speaker, speaker_name: segment.speaker_name ?? '' };
    if (count > remainingCharacters) {
      // Alone on its page: it would never fit.
      const text = [...firstOf(segment.text, remainingCharacters - characters(cutMarker)), cutMarker].join(
        '',
      );
      page.push({ ...named, text, text_truncated: true, original_character_count: count });
      cut.push(segment.segment_index);
    } else page.push(named);
    remainingCharacters -= count;
  }
  const truncated = page.length < segments.length;
  return {
    segments: page,
    truncated,
    next_after_segment_index: truncated ? (page.at(-1)?.segment_index ?? null) : null,
    truncated_segment_indices: cut,
  };
}

function characters(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) count--;
  }
  return count;
}

function firstOf(text: string, count: number): string[] {
  // A character is at most two units long.
  return [...text.slice(0, 2 * count)].slice(0, count);
}
