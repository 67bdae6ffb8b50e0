// What is said in a file, as the summarizer takes it: with the names of speakers where there are any.
import type { Transcript } from '../../../index/transcripts/contract.ts';
import type { SpokenSegment } from '../../../summarizer/contract.ts';

/** Segments of one message. */
const together = 2000;

/** At least one page: one without segments says that somebody listened. */
export function spokenPages({ segments, names, mark }: Transcript): SpokenSegment[][] {
  const named = (id: string) => names[id] || mark.speaker_names?.[id] || id;
  const pages: SpokenSegment[][] = [];
  for (let at = 0; at === 0 || at < segments.length; at += together) {
    pages.push(
      segments.slice(at, at + together).map(({ start_seconds, end_seconds, text, speaker }) => ({
        start_seconds,
        end_seconds,
        text: text.trim(),
        speaker: speaker === null ? null : named(speaker),
      })),
    );
  }
  return pages;
}
