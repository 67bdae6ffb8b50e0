// Stored transcripts: read, and as lines and rows.
import { clockTime } from '../actors/decoder/contract.ts';
import { uncertainSpeakers } from '../actors/diarizer/contract.ts';
import {
  mostTranscriptions,
  type TranscriptionsAnswer,
  type TranscriptSearchAnswer,
  type TranscriptSearchMatch,
} from '../actors/search/transcripts/contract.ts';
import type { Client } from '../http/client/client.ts';
import { printable } from './terminal.ts';

/** Transcripts of these files. An answer holds a limited amount of text and names the remaining files. */
export async function allTranscripts(
  client: Client,
  cache_dir: string,
  media_paths: readonly string[],
  language?: string,
): Promise<TranscriptionsAnswer> {
  const all: TranscriptionsAnswer = {
    transcriptions: {},
    transcription_data: {},
    transcription_languages: {},
  };
  const unreadable: string[] = [];
  for (let left = [...media_paths]; left.length > 0; ) {
    const asked = left.slice(0, mostTranscriptions);
    const wanted = language === undefined ? {} : { language };
    const part = await client.transcriptions({ cache_dir, media_paths: asked, ...wanted });
    Object.assign(all.transcriptions, part.transcriptions);
    Object.assign(all.transcription_data, part.transcription_data);
    Object.assign(all.transcription_languages, part.transcription_languages);
    unreadable.push(...(part.unreadable ?? []));
    const { remaining_media_paths: next = [] } = part;
    if (next.length >= asked.length) break;
    left = [...next, ...left.slice(mostTranscriptions)];
  }
  return unreadable.length > 0 ? { ...all, unreadable } : all;
}

/** A note on recordings whose speakers may be too many or too few; empty without any. */
export function uncertainNote({ transcription_data }: TranscriptionsAnswer): string {
  const uncertain = Object.values(transcription_data).filter((data) => data.speakers_uncertain);
  if (uncertain.length === 0) return '';
  const range = uncertain.length === 1 ? (uncertain[0]!.speaker_range ?? null) : null;
  const which = uncertain.length === 1 ? '' : `${uncertain.length} recordings: `;
  return `note: ${which}${uncertainSpeakers(range, null)}\n`;
}

// A transcript as lines for a person: when, who, what.

/** `heading`: the path stands above. Empty for a file without a transcript. */
export function written(path: string, answer: TranscriptionsAnswer, heading: boolean): string {
  const segments = answer.transcriptions[path];
  if (!segments) return '';
  const speakers = speakersByIndex(answer, path).map(printable);
  const width = speakers.reduce((most, name) => Math.max(most, name.length), 0);
  const lines = segments.map(([start, text], i) => {
    const who = width > 0 ? `${(speakers[i] ?? '').padEnd(width)}  ` : '';
    return `${clockTime(start)}  ${who}${printable(text.trim())}`;
  });
  const { other_languages = [] } = answer.transcription_languages[path] ?? {};
  const others = other_languages.length > 0 ? [`  also in: ${other_languages.join(', ')} (--language)`] : [];
  const all = [...(lines.length === 0 ? ['  nobody speaks'] : lines), ...others];
  return `${[...(heading ? [printable(path)] : []), ...all].join('\n')}\n${heading ? '\n' : ''}`;
}

/** The rows of a document: start, text, end, and who speaks. */
export function documentRows(
  path: string,
  answer: TranscriptionsAnswer,
): (readonly [number, string, number, string | null])[] {
  const speakers = speakersByIndex(answer, path);
  const segments = answer.transcriptions[path] ?? [];
  return segments.map(([start, text, end], i) => [start, text, end, speakers[i] ?? null] as const);
}

/** The name of who says each segment, or its id; sparse where nobody knows. */
function speakersByIndex({ transcription_data }: TranscriptionsAnswer, path: string): string[] {
  const names: string[] = [];
  const { speakers = {} } = transcription_data[path] ?? {};
  for (const [id, { display_name, segment_indices }] of Object.entries(speakers)) {
    for (const index of segment_indices) names[index] = display_name ?? id;
  }
  return names;
}

export function foundLine(match: TranscriptSearchMatch, number: number): string {
  const { start_timestamp, end_timestamp, media_path, speaker, speaker_name, text } = match;
  const who = printable(speaker_name || speaker);
  const when = start_timestamp === end_timestamp ? start_timestamp : `${start_timestamp}–${end_timestamp}`;
  return (
    `${String(number).padStart(3)}. ${when}  ${printable(media_path)}\n` +
    `     ${who === '' ? '' : `${who}: `}${printable(text.trim())}\n`
  );
}

/** Remark about further matches; empty if there are none. `most`: limit of a request. */
export function moreLine(
  { matches, total, total_is_exact }: Pick<TranscriptSearchAnswer, 'matches' | 'total' | 'total_is_exact'>,
  most: number,
): string {
  const more = total - matches.length;
  if (more <= 0) return total_is_exact ? '' : '  there may be more\n';
  const shown = total_is_exact ? Math.min(total, most) : most;
  return `  ${total_is_exact ? '' : 'at least '}${more} more${matches.length < most ? `: --max ${shown}` : ''}\n`;
}
