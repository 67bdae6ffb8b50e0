// The names of media in the ranges of a request, in the form in which the store knows paths; hashes as they
// are.

import { isAbsolute } from 'node:path';
import type { FrameRange } from '../../actors/index/visual/contract.ts';
import { frameField, frameRanges } from '../../actors/search/scope/contract.ts';
import { absolute } from '../../runtime/paths.ts';

/** Keys that are paths in their plain form. Two spellings of one path are joined. */
export function plainRanges(
  given: Readonly<Record<string, FrameRange | readonly FrameRange[]>>,
  field = frameField,
): Record<string, FrameRange[]> {
  const plain = new Map<string, FrameRange[]>();
  for (const [key, pairs] of Object.entries(frameRanges(given, field))) {
    const name = isAbsolute(key) ? absolute(field, key) : key;
    plain.set(name, [...(plain.get(name) ?? []), ...pairs]);
  }
  return Object.fromEntries(plain);
}
