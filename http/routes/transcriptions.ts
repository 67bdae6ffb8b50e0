// Speech in media: whole transcriptions, pages of them, search and export, and names for speakers.
import { Type } from 'typebox';
import { TranscriptAnswer, TranscriptRequest } from '../../actors/exporter/contract.ts';
import { CacheDir } from '../../actors/index/store/contract.ts';
import {
  NameSpeakersRequest,
  SpeakerNamesAnswer,
  TranscriptionsAnswer,
  TranscriptionsRequest,
  TranscriptRangeAnswer,
  TranscriptRangeRequest,
  TranscriptSearch,
  TranscriptSearchAnswer,
} from '../../actors/search/transcripts/contract.ts';
import {
  ConfirmedSpeakers,
  ConfirmSpeakersRequest,
  SpeakerSuggestions,
  SuggestSpeakersRequest,
} from '../../actors/search/voices/contract.ts';
import { speechLanguages } from '../../actors/transcriber/contract.ts';
import { type EngineError, errorTable } from '../../runtime/errors.ts';
import { spelledOnDisk } from '../../runtime/files/spelling.ts';
import { allAbsolute } from '../../runtime/paths.ts';
import { described } from '../../runtime/schema.ts';
import { quoted } from '../../runtime/text.ts';
import { charactersOf, MOST_TRANSCRIPT_CHARACTERS } from '../request/response.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';
import type { Service } from '../service.ts';

const tag = 'Transcriptions';

export const transcriptions = route({
  method: 'POST',
  path: '/api/v1/transcriptions',
  id: 'transcriptions',
  tag,
  summary: 'Get transcriptions of media files',
  description:
    'Returns transcriptions by media path. Files without a transcription are omitted. A segment is ' +
    '`[start_seconds, text, end_seconds, media_path]`, and its text usually starts with a space. ' +
    '`transcription_data` contains files whose speakers are known. For missing files, the stored ' +
    'transcription is returned. A response contains up to about 64 million characters; ' +
    '`remaining_media_paths` lists the files that did not fit, to be requested next. Returns 503 if the ' +
    'analysis folder cannot be read (a folder that does not exist yet counts as empty), and 413 if a ' +
    'single transcription is too long; get pages of it from POST /transcriptions/range.',
  body: TranscriptionsRequest,
  answers: {
    200: Type.Object({
      ...TranscriptionsAnswer.properties,
      remaining_media_paths: Type.Optional(
        described(Type.Array(Type.String()), 'Files that did not fit in this response. Request them next.'),
      ),
    }),
  },
  handle: async ({ body, signal }, { search }) => reply(200, await page(search.transcripts, body, signal)),
});

/** Null for `auto`. */
function languageOf(named: string): string | null {
  const code = speechLanguages.code(named);
  if (code !== null) return code === 'auto' ? null : code;
  throw rangeErrors.LANGUAGE_UNKNOWN(
    `language: ${quoted(named)} is not a known language. Use a name or a code, such as english or de`,
    { field: 'language' },
  );
}

const rangeErrors = errorTable({
  LANGUAGE_UNKNOWN: { meaning: 'The language is not known', status: 400 },
  TRANSCRIPT_TOO_LARGE: { meaning: 'The transcription is too large', status: 413 },
});

/** Files whose transcriptions are read together. */
const filesAtOnce = 256;

/** Transcriptions in the order of the paths, as many as fit into one answer. */
async function page(
  transcripts: Service['search']['transcripts'],
  { cache_dir, media_paths: sent, language: named }: TranscriptionsRequest,
  signal: AbortSignal,
) {
  const language = named === undefined ? null : languageOf(named);
  // Checked in their plain form, answered by the path as it was sent.
  const plain = await spelledOnDisk(allAbsolute('media_paths', sent));
  const transcriptions: [string, Segments][] = [];
  const data: [string, TranscriptionsAnswer['transcription_data'][string]][] = [];
  const languages: [string, TranscriptionsAnswer['transcription_languages'][string]][] = [];
  const unreadable: string[] = [];
  let budget = MOST_TRANSCRIPT_CHARACTERS;
  let end = 0;
  // Asked also without any path: a folder that cannot be read is told.
  do {
    const paths = plain.slice(end, end + filesAtOnce);
    const answer = await transcripts.list({ cache_dir, media_paths: paths, language }, signal);
    const broken = new Set(answer.unreadable);
    for (const path of paths) {
      const as = sent[end]!;
      const segments = own(answer.transcriptions, path);
      const spoken = own(answer.transcription_data, path);
      const spokenLanguages = own(answer.transcription_languages, path);
      const size = segments ? charactersOf(segments, as) * (spoken ? 2 : 1) : 0;
      if (size > MOST_TRANSCRIPT_CHARACTERS) throw tooLarge(as);
      if (size > budget) {
        budget = 0;
        break;
      }
      budget -= size;
      end++;
      if (segments) transcriptions.push([as, moved(segments, as)]);
      if (spokenLanguages) languages.push([as, spokenLanguages]);
      if (spoken) data.push([as, { ...spoken, segments: moved(spoken.segments, as) }]);
      if (broken.has(path)) unreadable.push(path);
    }
  } while (budget > 0 && end < plain.length);
  return {
    transcriptions: Object.fromEntries(transcriptions),
    transcription_data: Object.fromEntries(data),
    transcription_languages: Object.fromEntries(languages),
    ...(unreadable.length > 0 && { unreadable }),
    ...(end < plain.length && { remaining_media_paths: sent.slice(end) }),
  };
}

type Segments = TranscriptionsAnswer['transcriptions'][string];

function moved(segments: Segments, path: string): Segments {
  return segments.map(([start, text, end]) => [start, text, end, path]);
}

function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

function tooLarge(path: string): EngineError {
  return rangeErrors.TRANSCRIPT_TOO_LARGE(
    `${path}: get pages of its transcription from /transcriptions/range`,
  );
}

export const transcriptionsRange = route({
  method: 'POST',
  path: '/api/v1/transcriptions/range',
  id: 'transcriptionsRange',
  tag,
  summary: 'Get the transcript of a time range',
  description:
    'Returns segments that overlap `[start_seconds, end_seconds)`, page by page. If `truncated` is true, ' +
    'repeat the request with `next_after_segment_index` as `after_segment_index`. A page contains at ' +
    'most 24,000 characters of text. A longer single segment is cut, ends with a marker, and reports its ' +
    'original length. Prefer `hash_str`, which takes precedence over `media_path`, because the file ' +
    'itself is then not accessed. `transcript_status` is `empty` if nothing is said in the transcription.',
  body: TranscriptRangeRequest,
  answers: { 200: TranscriptRangeAnswer },
  handle: async ({ body, signal }, { search }) => reply(200, await search.transcripts.range(body, signal)),
});

export const nameSpeakers = route({
  method: 'PUT',
  path: '/api/v1/transcriptions/speakers',
  id: 'nameSpeakers',
  tag,
  summary: 'Name the speakers of a transcription',
  description:
    'Stores either all assignments or none: an unknown speaker id returns 400. An empty or null name ' +
    'removes the name. For the rules for names, see PUT /faces/clusters/names. Speaker names are ' +
    'independent of face names. They are kept when the file is transcribed again, for ids that occur ' +
    'again.',
  body: NameSpeakersRequest,
  answers: { 200: SpeakerNamesAnswer },
  handle: async ({ body, signal }, { search }) => reply(200, await search.transcripts.name(body, signal)),
});

export const searchTranscript = route({
  method: 'POST',
  path: '/api/v1/search/transcript',
  id: 'searchTranscript',
  tag: 'Search',
  summary: 'Searches transcripts',
  description:
    'Returns segments whose text contains `query`, and those where it begins and continues in the next ones. ' +
    'Case, character width, accents, punctuation, hyphens and the kind of apostrophe are ignored, and ' +
    'numbers below 100 match their English and German words. Searches the data loaded with POST ' +
    '/analysis-data/load or /analysis-data/load-transcriptions, and returns 400 if another folder is ' +
    'loaded. Matches are sorted by path and time; `total` includes matches beyond `max_results`, up to ' +
    'about 1,000 (`total_is_exact`). `speaker` and `speaker_name` have the same meaning.',
  body: TranscriptSearch,
  answers: { 200: TranscriptSearchAnswer },
  handle: async ({ body, signal }, { search }) => reply(200, await search.transcripts.search(body, signal)),
});

export const transcriptionRoutes: readonly Route[] = [
  transcriptions,
  transcriptionsRange,
  nameSpeakers,
  searchTranscript,
];

// Voices across files: who may be the same speaker, and what people say about it.

export const suggestSpeakers = route({
  method: 'POST',
  path: '/api/v1/speakers/suggest',
  id: 'suggestSpeakers',
  tag,
  summary: 'Suggest speakers with a similar voice',
  description:
    'Suggestions are sorted by similarity, most similar first. They are based on the vectors that the ' +
    'speaker model stored when the files were transcribed with speakers; no media is opened. The file is ' +
    'given by either `media_path` or `hash_str`. Linked voices count as one voice and are compared by ' +
    'all of their vectors. Omitted are voices of other models or model versions, speakers in the same ' +
    'file, and voices that PUT /speakers/confirm marked as different. Suggestions can be wrong: listen ' +
    'to the `sample`.',
  body: SuggestSpeakersRequest,
  answers: { 200: SpeakerSuggestions },
  handle: async ({ body, signal }, { search }) => reply(200, await search.voices.suggest(body, signal)),
});

export const confirmSpeakers = route({
  method: 'PUT',
  path: '/api/v1/speakers/confirm',
  id: 'confirmSpeakers',
  tag,
  summary: 'Confirm that voices are the same person, or are not',
  description:
    'Stores everything or nothing. With `same`, the voices are the same person, together with all voices ' +
    'already linked to them, and get one name: `name`, or the name that one of them has. Returns 400 if ' +
    'they have two names and `name` is not given. A name that PUT /transcriptions/speakers gives to one ' +
    'linked voice applies to all of them. Without `same`, the voices are different people and are not ' +
    'suggested for each other again; if they were linked, the first voice stays with that person and the ' +
    'others are unlinked. The latest answer counts, and POST /speakers/undo undoes the last one. Answers ' +
    'are kept when a file is transcribed again, for speakers who speak at the same times or sound the ' +
    'same, and deleted when the file is forgotten.',
  body: ConfirmSpeakersRequest,
  answers: { 200: ConfirmedSpeakers },
  handle: async ({ body, signal }, { search }) => reply(200, await search.voices.confirm(body, signal)),
});

export const undoSpeakers = route({
  method: 'POST',
  path: '/api/v1/speakers/undo',
  id: 'undoSpeakers',
  tag,
  summary: 'Undo the last answer about voices',
  description:
    'Undoes the last PUT /speakers/confirm: the links, the voices marked as different, and the names. ' +
    'Only the last answer can be undone. Returns 409 if there is nothing to undo, or if these voices ' +
    'have since been named, transcribed again or forgotten.',
  body: Type.Object({ cache_dir: CacheDir }),
  answers: { 200: ConfirmedSpeakers, 409: ErrorBody },
  handle: async ({ body, signal }, { search }) =>
    reply(200, await search.voices.undo(body.cache_dir, signal)),
});

export const speakerRoutes: readonly Route[] = [suggestSpeakers, confirmSpeakers, undoSpeakers];

// Transcripts as documents for other programs.

const exportTag = 'Export';

export const exportTranscript = route({
  method: 'POST',
  path: '/api/v1/export/transcript',
  id: 'exportTranscript',
  tag: exportTag,
  summary: 'Export a transcript as a document',
  description:
    'Returns the document in base64, or writes it to `output_dir` and returns its path. Existing files ' +
    'are never overwritten: if a name is taken, the new file gets `-2`, `-3` and so on. Rows are sorted ' +
    'by start. In txt, csv, docx and pdf, a gap of 2 s or more between segments becomes a row of ' +
    'silence; `row_count` counts the submitted segments only. csv is RFC 4180 in UTF-8 with a byte order ' +
    'mark, and a cell that a spreadsheet would execute as a formula begins with an apostrophe. srt and ' +
    'vtt omit segments without text, and put the speaker before the words (`NAME:`, `<v NAME>`). pdf ' +
    'embeds the used part of a font; `warning` lists characters that no font on this machine has. ' +
    'Returns 413 if the text is too long for a document.',
  body: TranscriptRequest,
  answers: { 200: TranscriptAnswer },
  handle: async ({ body, signal }, { exporter }) => reply(200, await exporter.transcript(body, signal)),
});

export const exportRoutes: readonly Route[] = [exportTranscript];
