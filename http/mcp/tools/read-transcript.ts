// read_transcript: what is said in a range of one file, a line a segment.
import { Type } from 'typebox';
import { described } from '../../../runtime/schema.ts';
import { Cursor, MediaName, Seconds } from '../arguments.ts';
import { findMedia, type Media } from '../media.ts';
import { fileName, hashText, listed, oneLine, secondsText, timeText } from '../text.ts';
import { argumentErrors, tool } from '../tool.ts';

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
