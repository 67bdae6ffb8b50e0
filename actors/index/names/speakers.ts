// Speakers by the words of their names.
import type { Contract, Reply, Request } from '../../../runtime/contract.ts';
import type { Names } from '../store/voices/linked-names.ts';
import { fitOf, nameRow, wordsOfName } from '../text/name-words.ts';
import { matchOf, scoped, type TranscriptParts } from '../transcripts/handlers.ts';
import {
  inOrder,
  type LoadedTranscript,
  type LoadedTranscripts,
  nameOf,
  pickOf,
  type SegmentHit,
} from '../transcripts/loaded.ts';
import type { nameMessages } from './contract.ts';

type Messages = Contract<typeof nameMessages>;

/** The words of the names of a transcript's speakers; null for a speaker without a name. */
interface NameRows {
  readonly names: Names;
  readonly rows: readonly (string | null)[];
}

const rowsByTranscript = new WeakMap<LoadedTranscript, NameRows>();

function rowsOf(transcript: LoadedTranscript): NameRows['rows'] {
  const { columns, names } = transcript;
  const before = rowsByTranscript.get(transcript);
  if (before?.names === names) return before.rows;
  const rows = columns.speakerIds.map((id) => {
    const name = nameOf(columns, names, id);
    return name === id ? null : nameRow(name);
  });
  rowsByTranscript.set(transcript, { names, rows });
  return rows;
}

/** Transcripts between two looks at whether to stop. */
const stride = 1024;

/** Transcripts with a named speaker, for each list of hashes. */
const withNames = new WeakMap<readonly string[], readonly LoadedTranscript[]>();

function transcriptsWithNames(loaded: LoadedTranscripts, pause: () => void): readonly LoadedTranscript[] {
  const hashes = loaded.hashes();
  const before = withNames.get(hashes);
  if (before) return before;
  const transcripts = hashes.flatMap((hash, i) => {
    if (i % stride === 0) pause();
    const transcript = loaded.get(hash)!;
    return rowsOf(transcript).some((row) => row !== null) ? [transcript] : [];
  });
  withNames.set(hashes, transcripts);
  return transcripts;
}

/** `pause` may throw to stop. Errors: NOT_LOADED, those of filters and people. */
export async function namedSpeakers(
  parts: TranscriptParts,
  request: Request<Messages, 'speakers_named'>,
  pause: () => void,
): Promise<Reply<Messages, 'speakers_named'>> {
  const words = wordsOfName(request.text);
  if (words.length === 0) return { matches: [] };
  const { loaded, within } = await scoped(parts, request, pause);
  const options = { ...within, speaker: null };
  const hits: (SegmentHit & { readonly spoken: number })[] = [];
  for (const [i, transcript] of transcriptsWithNames(loaded, pause).entries()) {
    if (i % stride === 0) pause();
    const speakerMatches = rowsOf(transcript).map(
      (row) => row !== null && words.every((word) => fitOf(row, word) > 0),
    );
    if (!speakerMatches.includes(true)) continue;
    const pick = pickOf(transcript, options);
    if (pick === false) continue;
    const isPicked = (segment: number) => pick === true || pick(segment);
    hits.push(...firstSegments(transcript, speakerMatches, isPicked));
  }
  hits.sort((a, b) => b.spoken - a.spoken || inOrder(a.transcript, b.transcript) || a.segment - b.segment);
  return { matches: hits.slice(0, request.max_results).map(matchOf) };
}

/** The first segment of each of these speakers, and the milliseconds in which they speak. */
function firstSegments(
  transcript: LoadedTranscript,
  speakerMatches: readonly boolean[],
  isPicked: (segment: number) => boolean,
) {
  const { speakers, starts_ms, ends_ms } = transcript.columns;
  const bySpeaker = new Map<number, { segment: number; spoken: number }>();
  for (const [segment, speaker] of speakers.entries()) {
    if (speakerMatches[speaker - 1] !== true || !isPicked(segment)) continue;
    const speech = bySpeaker.get(speaker) ?? { segment, spoken: 0 };
    speech.spoken += ends_ms[segment]! - starts_ms[segment]!;
    bySpeaker.set(speaker, speech);
  }
  return [...bySpeaker.values()].map((speech) => ({ transcript, ...speech }));
}
