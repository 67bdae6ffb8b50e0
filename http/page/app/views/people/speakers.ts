// The speakers of a transcription: what they are called, how long they speak, and a part to listen to.

type Segment = readonly [start: number, text: string, end: number, path: string];

export interface Speaker {
  readonly hash_str: string;
  readonly media_path: string;
  readonly speaker: string;
  readonly name: string;
  readonly seconds: number;
  readonly sample: { readonly start_seconds: number; readonly end_seconds: number };
}

export interface Spoken {
  readonly hash_str: string;
  readonly segments: readonly Segment[];
  readonly speakers: Readonly<
    Record<
      string,
      { readonly segment_indices: readonly number[]; readonly display_name?: string | undefined }
    >
  >;
}

/** Enough to know a voice by. */
const SAMPLE_SECONDS = 10;

/** Who speaks longest first. */
export function speakersOf(media_path: string, { hash_str, segments, speakers }: Spoken): Speaker[] {
  return Object.entries(speakers)
    .flatMap(([speaker, { segment_indices, display_name: name = '' }]): Speaker[] => {
      const own = segment_indices.map((at) => segments[at]).filter((one) => one !== undefined);
      const spans = own
        .map(([start, , end]) => ({ start, end }))
        .sort((a, b) => b.end - b.start - (a.end - a.start));
      const [longest] = spans;
      if (!longest) return [];
      const end_seconds = Math.min(longest.end, longest.start + SAMPLE_SECONDS);
      const sample = { start_seconds: longest.start, end_seconds };
      const seconds = spans.reduce((sum, { start, end }) => sum + end - start, 0);
      return [{ hash_str, media_path, speaker, name, seconds, sample }];
    })
    .sort((a, b) => b.seconds - a.seconds);
}
