// The tools for what is said: find_spoken and read_transcript.
import { Type } from 'typebox';
import { described } from '../../../runtime/schema.ts';
import {
  fileName,
  hashText,
  listed,
  notes,
  oneLine,
  placeAfter,
  quoted,
  rangeText,
  secondsText,
  timeText,
} from '../answer.ts';
import {
  findMedia,
  loadSpeech,
  type MediaReference,
  momentId,
  nothingAnalysed,
  searchedPaths,
} from '../media.ts';
import {
  argumentErrors,
  Cursor,
  limitOf,
  MediaName,
  MediaNames,
  NextCursor,
  Seconds,
  startOf,
  tool,
} from '../tool.ts';

/** A passage of a transcript. */
const passage = {
  start_seconds: Type.Number(),
  end_seconds: Type.Number(),
  speaker: described(Type.String(), 'Name or id; empty if unknown.'),
  text: Type.String(),
};

// find_spoken: exact words in transcripts, one line a hit.

/** Characters of what is said in one hit. */
const MOST_SAID = 300;

export const findSpoken = tool({
  name: 'find_spoken',
  title: 'Find what is said',
  description:
    'Finds passages of transcripts that hold exactly these words, in order of file and time. Every line begins with the ' +
    'id of the moment (hash@second). For what something is about rather than exact words use find_moments; for the words ' +
    'around a hit read_transcript.',
  input: Type.Object({
    text: described(
      Type.String({ minLength: 1, maxLength: 2000 }),
      'Words as they are spoken, without quotation marks; case makes no difference.',
    ),
    speaker: Type.Optional(
      described(
        Type.String({ minLength: 1, maxLength: 200 }),
        'Only what this speaker says: a name, or an id such as SPEAKER_00.',
      ),
    ),
    media: Type.Optional(MediaNames),
    limit: limitOf(10, 50),
    cursor: Cursor,
  }),
  output: Type.Object({
    hits: Type.Array(
      Type.Object({
        moment_id: Type.String(),
        hash_str: Type.String(),
        media_path: Type.String(),
        ...passage,
      }),
    ),
    total: Type.Integer(),
    total_is_exact: described(Type.Boolean(), 'False if there may be more hits than total.'),
    cursor: NextCursor,
  }),
  effect: 'none',
  run: async ({ text: query, speaker, media, limit, cursor: from }, call) => {
    const start = startOf(from);
    const paths = await searchedPaths(media ?? [], 'media', call);
    if (!(await loadSpeech(call))) {
      const data = { hits: [], total: 0, total_is_exact: true, cursor: null };
      return { text: nothingAnalysed(call, 'transcribed'), data };
    }
    const request = {
      cache_dir: call.cacheDir,
      query,
      max_results: Math.min(10_000, start + limit),
      search_all: paths.length === 0,
      media_paths: paths,
      ...(speaker !== undefined && { speaker }),
    };
    const { matches, total, total_is_exact, toast_warning } = await call.client.searchTranscript(
      request,
      call.callOptions,
    );
    const page = matches.slice(start, start + limit);
    const said = notes([toast_warning]);
    if (page.length === 0) {
      const none =
        start > 0
          ? 'There are no more hits.'
          : `${speaker === undefined ? 'Nobody says this.' : 'This speaker never says this: leave speaker out.'} Try fewer or other words, or find_moments.`;
      return {
        text: [none, ...said].join('\n'),
        data: { hits: [], total, total_is_exact, cursor: null },
      };
    }
    const hits = page.map(({ hash_str, media_path, start_seconds, end_seconds, ...hit }) => {
      const speaker = oneLine(hit.speaker_name || hit.speaker, 80);
      const moment_id = momentId(hashText(hash_str), start_seconds);
      const text = oneLine(hit.text, MOST_SAID);
      return { moment_id, hash_str, media_path, start_seconds, end_seconds, speaker, text };
    });
    const rows = hits.map(({ moment_id, media_path, start_seconds, end_seconds, speaker, text }) => {
      const who = speaker === '' ? '' : ` ${speaker}`;
      const when = rangeText(start_seconds, end_seconds);
      return `${moment_id} ${fileName(media_path)} ${when}${who}: ${quoted(text, MOST_SAID)}`;
    });
    const { text, shown, cursor } = listed({
      head: [
        `Hits ${start + 1}-${start + page.length} of ${total_is_exact ? '' : 'at least '}${total}.`,
        ...said,
      ],
      rows,
      next: placeAfter(start, total),
    });
    return { text, data: { hits: hits.slice(0, shown), total, total_is_exact, cursor } };
  },
});

// read_transcript: what is said in a range of one file, a line a segment.

/** Characters of one answer. */
const MOST_READ = 12_000;
/** Characters of one segment; an answer holds several. */
const LONGEST_SEGMENT = 2_000;

export const readTranscript = tool({
  name: 'read_transcript',
  title: 'Read a transcript',
  description:
    'What is said in one film or recording, a line a passage: start time, second, speaker, words. At most 12,000 ' +
    'characters; if there is more, the answer has a cursor. from and to limit the time range in seconds.',
  input: Type.Object({
    media: MediaName,
    from: Type.Optional(described(Seconds, 'Second from which (0).')),
    to: Type.Optional(described(Seconds, 'Second up to which (the end).')),
    cursor: Cursor,
  }),
  output: Type.Object({
    hash_str: Type.String(),
    media_path: Type.String(),
    transcript_status: described(Type.String(), 'available, empty (nobody speaks) or not_available.'),
    passages: Type.Array(Type.Object(passage)),
    cursor: NextCursor,
  }),
  effect: 'none',
  run: async ({ media: name, from = 0, to = 1_000_000, cursor }, call) => {
    if (to <= from) throw argumentErrors.BAD_ARGUMENT('to: must be after from', { field: 'to' });
    const media = await findMedia(name, 'media', call);
    const answer = await call.client.transcriptionsRange(
      {
        cache_dir: call.cacheDir,
        hash_str: media.hash_str,
        start_seconds: from,
        end_seconds: to,
        max_segments: 200,
        ...(cursor !== undefined && { after_segment_index: Number(cursor) }),
      },
      call.callOptions,
    );
    const { segments, transcript_status, truncated } = answer;
    const source = { hash_str: media.hash_str, media_path: media.path, transcript_status };
    if (segments.length === 0) {
      const text = nothing(media, transcript_status, cursor !== undefined);
      return { text, data: { ...source, passages: [], cursor: null } };
    }
    const passages = segments.map(({ start_seconds, end_seconds, speaker, speaker_name, text }) => ({
      start_seconds,
      end_seconds,
      speaker: oneLine(speaker_name || speaker, 80),
      text: oneLine(text, LONGEST_SEGMENT),
    }));
    const page = listed({
      head: [`${fileName(media.path)} (${hashText(media.hash_str)}); start, second, speaker, words:`],
      rows: passages.map(({ start_seconds, speaker, text }) => {
        const when = `${timeText(start_seconds)} ${secondsText(start_seconds)}`;
        return `${when}${speaker === '' ? '' : ` ${speaker}`}: ${text}`;
      }),
      next: (shown) => {
        const last = segments[shown - 1];
        const isLast = last === undefined || (shown === segments.length && !truncated);
        return isLast ? null : String(last.segment_index);
      },
      most: MOST_READ,
    });
    const data = { ...source, passages: passages.slice(0, page.shown), cursor: page.cursor };
    return { text: page.text, data };
  },
});

function nothing({ path }: MediaReference, status: string, isLater: boolean): string {
  const name = fileName(path);
  if (isLater) return `Nothing more is said in this range of ${name}.`;
  if (status === 'empty') return `Nobody speaks in ${name}.`;
  if (status === 'available') return `Nobody speaks in this range of ${name}.`;
  return `${name} has no transcript. analyze with what ["speech"] makes one.`;
}
