// list_library: what is analysed, and by what it can be filtered.

import { Type } from 'typebox';
import type { LibraryMedia } from '../../../actors/library/contract.ts';
import { defaulted, described } from '../../../runtime/schema.ts';
import { plainApostrophes } from '../../../runtime/text.ts';
import { fileName, hashText, listed, moreBelow, notes, oneLine, quoted, timeText } from '../answer.ts';
import { loadAll } from '../media.ts';
import { type Call, Cursor, limitOf, startOf, type ToolAnswer, tool } from '../tool.ts';

const MOST_ROWS = 50;
/** Media that are looked through for a name in one call. */
const PAGE = 2_000;
const MOST_OPTIONS = 8;

export const listLibrary = tool({
  name: 'list_library',
  title: 'List the library',
  description:
    'The analysed media files in the order of their paths, at most 50 a page: hash, name, kind, duration, what is ' +
    'analysed. With facets true instead the facets and values that filters of find_moments take.',
  input: Type.Object({
    folder: Type.Optional(
      described(
        Type.String({ minLength: 1, maxLength: 4096 }),
        'Only files in this folder: its absolute path.',
      ),
    ),
    name: Type.Optional(
      described(Type.String({ minLength: 1, maxLength: 300 }), 'Only files whose names contain this text.'),
    ),
    facets: defaulted(described(Type.Boolean(), 'List the facets instead of the files.'), false),
    limit: limitOf(MOST_ROWS, MOST_ROWS),
    cursor: Cursor,
  }),
  effect: 'none',
  run: ({ folder, name, facets, limit, cursor }, call) =>
    facets
      ? facetsOf(limit, startOf(cursor), call)
      : filesOf(
          { folder, name: name && plainApostrophes(name.toLowerCase()), limit, start: startOf(cursor) },
          call,
        ),
});

interface Asked {
  readonly folder: string | undefined;
  /** In small letters. */
  readonly name: string | undefined;
  readonly limit: number;
  readonly start: number;
}

/** The cursor is a place among all files, so that a name is looked for from there on. */
async function filesOf(
  { folder, name, limit, start }: Asked,
  { client, cacheDir, callOptions }: Call,
): Promise<ToolAnswer> {
  const request = { cache_dir: cacheDir, offset: start, ...(folder !== undefined && { under: folder }) };
  const page = await client.listLibrary(
    { ...request, limit: name === undefined ? limit : PAGE },
    callOptions,
  );
  const fits = ({ media_path }: LibraryMedia) =>
    name === undefined || plainApostrophes(fileName(media_path).toLowerCase()).includes(name);
  const found = page.media
    .flatMap((media, i) => (fits(media) ? [{ media, place: start + i }] : []))
    .slice(0, limit);
  const what =
    name === undefined
      ? `${page.total} files`
      : `Of ${page.total} files those with ${quoted(name, 100)} in their name`;
  const end = found.length === limit ? found.at(-1)!.place + 1 : start + page.media.length;
  if (found.length === 0) {
    const more =
      end < page.total
        ? ` ${page.total - end} files are left to look through: call again with cursor "${end}".`
        : '';
    return {
      text: `No media file${name === undefined ? '' : ' of this name'} is analysed ${start > 0 ? 'after that' : 'here'}.${more}`,
    };
  }
  return listed({
    head: [
      `${what}${folder === undefined ? '' : ' in this folder'}. Hash, name, kind, duration, what is analysed:`,
    ],
    rows: found.map(({ media }) => rowOf(media)),
    below: (shown) => {
      const next = shown < found.length ? (found[shown]?.place ?? start) : end;
      return next < page.total ? [`More: call again with cursor "${next}".`] : [];
    },
  });
}

function rowOf({
  hash_str,
  media_path,
  kind,
  duration_seconds,
  visual,
  transcript,
  faces,
  summaries,
  replaced,
}: LibraryMedia): string {
  const done = [
    visual.length > 0 ? 'pictures' : '',
    transcript === null ? '' : `speech (${oneLine(transcript.language ?? '?', 20)})`,
    faces.length > 0 ? 'faces' : '',
    summaries > 0 ? 'summary' : '',
  ].filter((one) => one !== '');
  const length = duration_seconds ? ` ${timeText(duration_seconds)}` : '';
  return `${hashText(hash_str)} ${fileName(media_path)} ${oneLine(kind ?? 'unknown', 20)}${length}: ${done.join(', ') || 'nothing'}${replaced ? '; another file is now at its path' : ''}`;
}

/** Of what is loaded: that is what searches run over. */
async function facetsOf(limit: number, start: number, call: Call): Promise<ToolAnswer> {
  const { client, cacheDir, callOptions } = call;
  await loadAll(call);
  const { facets: all, warning } = await client.metadataFacets(
    { cache_dir: cacheDir, search_all: true },
    callOptions,
  );
  const facets = all.filter(({ options }) => options.length > 0);
  const page = facets.slice(start, start + limit);
  if (page.length === 0)
    return { text: 'There are no facets: nothing has been analysed, or the cursor is after the last one.' };
  const rows = page.map(({ id, kind, options, min, max }) => {
    const values = options
      .slice(0, MOST_OPTIONS)
      .map(({ value, count }) => `${oneLine(value, 80)} (${count})`);
    const more = options.length > MOST_OPTIONS ? ` and ${options.length - MOST_OPTIONS} more` : '';
    const range =
      min === undefined || max === undefined
        ? ''
        : ` from ${oneLine(String(min), 40)} to ${oneLine(String(max), 40)}`;
    return `${oneLine(id, 160)} (${kind})${range}: ${values.join(', ')}${more}`;
  });
  return listed({
    head: ['Facet, its kind, its values with the number of files:', ...notes([warning ?? undefined])],
    rows,
    below: (shown) => moreBelow(shown, { there: page.length, start, total: facets.length }),
  });
}
