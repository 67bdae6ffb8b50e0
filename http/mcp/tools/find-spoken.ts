// find_spoken: exact words in transcripts, one line a hit.
import { Type } from 'typebox';
import { described } from '../../../runtime/schema.ts';
import { Cursor, limitOf, MediaNames, startOf } from '../arguments.ts';
import { loadSpeech, nothingAnalysed } from '../load.ts';
import { momentId, searchedPaths } from '../media.ts';
import { fileName, hashText, listed, moreBelow, notes, oneLine, quoted, rangeText } from '../text.ts';
import { tool } from '../tool.ts';

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
