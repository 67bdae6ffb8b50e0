// Bounds what one answer holds: a text of JavaScript ends at 2^29 characters, so a longer answer could not be
// written.

/** Characters of the previews of one answer, in base64. */
export const MOST_PREVIEW_CHARACTERS = 256 * 1024 * 1024;
/** Characters of the transcripts of one answer; in JSON one may take six. */
export const MOST_TRANSCRIPT_CHARACTERS = 64 * 1024 * 1024;

/**
 * The matches with the previews of the first ones, and how many had to go without. A lost preview is an empty
 * text.
 */
export function withPreviews<M extends { readonly image?: string }>(
  matches: readonly M[],
  most = MOST_PREVIEW_CHARACTERS,
): { readonly matches: (M & { readonly image: string })[]; readonly leftOut: number } {
  let left = most;
  let leftOut = 0;
  const bounded = matches.map((match) => {
    const { image = '' } = match;
    left -= image.length;
    if (left >= 0 || image === '') return { ...match, image };
    // Also smaller ones that follow: those that are there are the first ones.
    left = -1;
    leftOut++;
    return { ...match, image: '' };
  });
  return { matches: bounded, leftOut };
}

type Segment = readonly [start: number, text: string, end: number, path: string];

/** A start or an end, brackets and commas of one segment. */
const SEGMENT_CHARACTERS = 60;

export function charactersOf(segments: readonly Segment[], path: string): number {
  return segments.reduce((sum, [, text]) => sum + text.length + path.length + SEGMENT_CHARACTERS, 0);
}
