// Lanes along the time line: spans of time that belong together, as who speaks, who is seen, chapters.

export interface Segment {
  readonly segment_index: number;
  readonly start_seconds: number;
  readonly end_seconds: number;
  readonly text: string;
  readonly speaker: string;
  readonly speaker_name: string;
}

export interface Span {
  /** Seconds from the start of the film; `end` is not part of it. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface Lane {
  readonly kind: 'speaker' | 'person' | 'chapters';
  readonly label: string;
  readonly spans: readonly Span[];
}

/** Silence that does not end a speaker's span. */
const JOINED_SECONDS = 1;

/** A lane for each speaker, who speaks longest first. `nobody`: the label where it is not known who speaks. */
export function speakerLanes(segments: readonly Segment[], nobody: string): Lane[] {
  const bySpeaker = Map.groupBy(segments, ({ speaker }) => speaker);
  return [...bySpeaker]
    .map(([speaker, own]) => ({
      lane: {
        kind: 'speaker' as const,
        label: own[0]?.speaker_name || speaker || nobody,
        spans: joined(own),
      },
      seconds: own.reduce((sum, one) => sum + one.end_seconds - one.start_seconds, 0),
    }))
    .sort((a, b) => b.seconds - a.seconds)
    .map(({ lane }) => lane);
}

function joined(segments: readonly Segment[]): Span[] {
  const spans: { start: number; end: number; text: string }[] = [];
  for (const { start_seconds: start, end_seconds: end, text } of segments) {
    const last = spans.at(-1);
    if (last && start - last.end <= JOINED_SECONDS) {
      last.end = Math.max(last.end, end);
      last.text = `${last.text} ${text.trim()}`.slice(0, 300);
    } else spans.push({ start, end, text: text.trim().slice(0, 300) });
  }
  return spans;
}

/** Number of the segment that is spoken at a time, or the last one before it; -1 before the first. Segments ascend. */
export function segmentAt(segments: readonly Segment[], seconds: number): number {
  let [low, high] = [0, segments.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (segments[middle]!.start_seconds <= seconds) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
