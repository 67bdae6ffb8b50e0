// The tools for what is said: find_spoken and read_transcript.
import { Type } from 'typebox';
import { described } from '../../../runtime/schema.ts';
import {
  fileName,
  hashText,
  listed,
  moreBelow,
  notes,
  oneLine,
  quoted,
  rangeText,
  secondsText,
  timeText,
} from '../answer.ts';
import { findMedia, loadSpeech, type Media, momentId, nothingAnalysed, searchedPaths } from '../media.ts';
import { argumentErrors, Cursor, limitOf, MediaName, MediaNames, Seconds, startOf, tool } from '../tool.ts';

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
  effect: 'none',
  run: async ({ text: query, speaker, media, limit, cursor }, call) => {
    const start = startOf(cursor);
    const paths = await searchedPaths(media ?? [], 'media', call);
    if (!(await loadSpeech(call))) return { text: nothingAnalysed(call, 'transcribed') };
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
      return { text: [none, ...said].join('\n') };
    }
    const all = `${total_is_exact ? '' : 'at least '}${total}`;
    const rows = page.map((hit) => {
      const who = oneLine(hit.speaker_name || hit.speaker, 80);
      const when = rangeText(hit.start_seconds, hit.end_seconds);
      const id = momentId(hashText(hit.hash_str), hit.start_seconds);
      return `${id} ${fileName(hit.media_path)} ${when}${who === '' ? '' : ` ${who}`}: ${quoted(hit.text, MOST_SAID)}`;
    });
    return listed({
      head: [`Hits ${start + 1}-${start + page.length} of ${all}.`, ...said],
      rows,
      below: (shown) => moreBelow(shown, { there: page.length, start, total }),
    });
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
    const { segments, transcript_status: status, truncated } = answer;
    if (segments.length === 0) return { text: nothing(media, status, cursor !== undefined) };
    return listed({
      head: [`${fileName(media.path)} (${hashText(media.hash_str)}); start, second, speaker, words:`],
      rows: segments.map(({ start_seconds, speaker, speaker_name, text }) => {
        const who = oneLine(speaker_name || speaker, 80);
        const when = `${timeText(start_seconds)} ${secondsText(start_seconds)}`;
        return `${when}${who === '' ? '' : ` ${who}`}: ${oneLine(text, LONGEST_SEGMENT)}`;
      }),
      below: (shown) => {
        const last = segments[shown - 1];
        if (last === undefined || (shown === segments.length && !truncated)) return [];
        return [`More is said: call again with cursor "${last.segment_index}".`];
      },
      most: MOST_READ,
    });
  },
});

function nothing({ path }: Media, status: string, isLater: boolean): string {
  const name = fileName(path);
  if (isLater) return `Nothing more is said in this range of ${name}.`;
  if (status === 'empty') return `Nobody speaks in ${name}.`;
  if (status === 'available') return `Nobody speaks in this range of ${name}.`;
  return `${name} has no transcript. analyze with what ["speech"] makes one.`;
}
