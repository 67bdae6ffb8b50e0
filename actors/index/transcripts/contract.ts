// What is said of transcripts in messages of the index: pieces of its contract.
import { type Static, Type } from 'typebox';

export const TranscriptLoadReport = Type.Object({
  /** False: a part of the work is done, and the same message goes on with it. */
  done: Type.Boolean(),
  /** Transcripts that can be searched now, and their segments. */
  media: Type.Integer(),
  segments: Type.Integer(),
  /** Hashes whose stored transcript is damaged. */
  unreadable: Type.Array(Type.String()),
});
export type TranscriptLoadReport = Static<typeof TranscriptLoadReport>;

/** Half-open, in seconds. */
export const TimeRange = Type.Tuple([Type.Number({ minimum: 0 }), Type.Number({ exclusiveMinimum: 0 })]);
export type TimeRange = Static<typeof TimeRange>;

const Said = {
  segment_index: Type.Integer({ minimum: 0 }),
  start_seconds: Type.Number(),
  end_seconds: Type.Number(),
  text: Type.String(),
  /** Null when nobody looked who speaks. */
  speaker: Type.Union([Type.String(), Type.Null()]),
  /** The name that was given, else the id. */
  speaker_name: Type.Union([Type.String(), Type.Null()]),
};

export const SaidSegment = Type.Object(Said);
export type SaidSegment = Static<typeof SaidSegment>;

export const TranscriptMatch = Type.Object({ hash_str: Type.String(), path: Type.String(), ...Said });
export type TranscriptMatch = Static<typeof TranscriptMatch>;

export const TranscriptMatches = Type.Object({
  matches: Type.Array(TranscriptMatch),
  /** Segments that match, also those beyond `max_results`; when there are very many, at least so many. */
  total: Type.Integer(),
  total_is_exact: Type.Boolean(),
});

export const TranscriptPart = Type.Object({
  /** Segments of the whole transcript; null when there is none. */
  stored: Type.Union([Type.Integer(), Type.Null()]),
  segments: Type.Array(SaidSegment),
});
export type TranscriptPart = Static<typeof TranscriptPart>;
