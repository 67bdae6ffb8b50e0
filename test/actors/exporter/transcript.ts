// A transcript from the segments of a request.
import type { Transcript } from '../../../actors/exporter/contract.ts';
import { rowsOf } from '../../../actors/exporter/rows.ts';

export const transcript = (segments: readonly (readonly unknown[])[]): Transcript => ({
  format: 'txt',
  title: 'Film',
  rows: rowsOf(segments),
  createdMs: 0,
});
