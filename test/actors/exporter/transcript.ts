// A transcript from the segments of a request.
import type { TranscriptDocument } from '../../../actors/exporter/contract.ts';
import { rowsOf } from '../../../actors/exporter/rows.ts';

export const transcript = (segments: readonly (readonly unknown[])[]): TranscriptDocument => ({
  format: 'txt',
  title: 'Film',
  rows: rowsOf(segments),
  createdMs: 0,
});
