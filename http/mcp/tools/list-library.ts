// list_library: what is analysed, and by what it can be filtered.

import { type Static, Type } from 'typebox';
import { Facet } from '../../../actors/index/facets/contract.ts';
import type { LibraryMedia } from '../../../actors/library/contract.ts';
import { defaulted, described, nullable } from '../../../runtime/schema.ts';
import { plainApostrophes } from '../../../runtime/text.ts';
import { fileName, hashText, listed, notes, oneLine, placeAfter, quoted, timeText } from '../answer.ts';
import { loadAll } from '../media.ts';
import { type Call, Cursor, limitOf, NextCursor, startOf, type ToolAnswer, tool } from '../tool.ts';

const MOST_ROWS = 50;
/** Media that are looked through for a name in one call. */
const PAGE = 2_000;
const MOST_OPTIONS = 8;

const output = Type.Object({
  files: Type.Array(
    Type.Object({
      hash_str: Type.String(),
      media_path: Type.String(),
      kind: described(nullable(Type.String()), 'video, audio or image; null if its record is damaged.'),
      duration_seconds: nullable(Type.Number()),
      analysed: described(Type.Array(Type.String()), 'pictures, speech, faces, summary.'),
      language: described(nullable(Type.String()), 'Spoken language.'),
      replaced: described(Type.Boolean(), 'Another file is now at its path.'),
    }),
  ),
  facets: described(
    Type.Array(
      Type.Object({
        facet: described(Type.String(), 'Id, for filters of find_moments.'),
        kind: Type.String(),
        values: Type.Array(Type.Object({ value: Type.String(), files: Type.Integer() })),
        min: Facet.properties.min,
        max: Facet.properties.max,
      }),
    ),
    'In place of files, with facets true.',
  ),
  total: described(Type.Integer(), 'Files in the folder, or facets.'),
  cursor: NextCursor,
});
type Answer = ToolAnswer<Static<typeof output>>;

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
  output,
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
): Promise<Answer> {
  const request = { cache_dir: cacheDir, offset: start, ...(folder !== undefined && { under: folder }) };
  const page = await client.listLibrary(
    { ...request, limit: name === undefined ? limit : PAGE },
    callOptions,
  );
  const fits = ({ media_path }: LibraryMedia) =>
    name === undefined || plainApostrophes(fileName(media_path).toLowerCase()).includes(name);
  const matches = page.media
    .flatMap((media, i) => (fits(media) ? [{ file: fileOf(media), place: start + i }] : []))
    .slice(0, limit);
  const what =
    name === undefined
      ? `${page.total} files`
      : `Of ${page.total} files those with ${quoted(name, 100)} in their name`;
  const end = matches.length === limit ? matches.at(-1)!.place + 1 : start + page.media.length;
  if (matches.length === 0) {
    const more =
      end < page.total
        ? ` ${page.total - end} files are left to look through: call again with cursor "${end}".`
        : '';
    const ofName = name === undefined ? '' : ' of this name';
    return {
      text: `No media file${ofName} is analysed ${start > 0 ? 'after that' : 'here'}.${more}`,
      data: { files: [], facets: [], total: page.total, cursor: end < page.total ? String(end) : null },
    };
  }
  const { text, shown, cursor } = listed({
    head: [
      `${what}${folder === undefined ? '' : ' in this folder'}. Hash, name, kind, duration, what is analysed:`,
    ],
    rows: matches.map(({ file }) => rowOf(file)),
    next: (shown) => {
      const place = shown < matches.length ? (matches[shown]?.place ?? start) : end;
      return place < page.total ? String(place) : null;
    },
  });
  const files = matches.slice(0, shown).map(({ file }) => file);
  return { text, data: { files, facets: [], total: page.total, cursor } };
}

function fileOf(media: LibraryMedia) {
  const { hash_str, media_path, kind, duration_seconds, visual, transcript, faces, summaries, replaced } =
    media;
  const analysed = [
    ...(visual.length > 0 ? ['pictures'] : []),
    ...(transcript === null ? [] : ['speech']),
    ...(faces.length > 0 ? ['faces'] : []),
    ...(summaries > 0 ? ['summary'] : []),
  ];
  const language = transcript?.language ?? null;
  return { hash_str, media_path, kind, duration_seconds, analysed, language, replaced };
}

function rowOf(file: ReturnType<typeof fileOf>): string {
  const { hash_str, media_path, kind, duration_seconds, analysed, language, replaced } = file;
  const done = analysed.map((kind) =>
    kind === 'speech' ? `speech (${oneLine(language ?? '?', 20)})` : kind,
  );
  const length = duration_seconds ? ` ${timeText(duration_seconds)}` : '';
  return `${hashText(hash_str)} ${fileName(media_path)} ${oneLine(kind ?? 'unknown', 20)}${length}: ${done.join(', ') || 'nothing'}${replaced ? '; another file is now at its path' : ''}`;
}

/** Facets of the loaded media, which searches run over. */
async function facetsOf(limit: number, start: number, call: Call): Promise<Answer> {
  const { client, cacheDir, callOptions } = call;
  await loadAll(call);
  const { facets: all, warning } = await client.metadataFacets(
    { cache_dir: cacheDir, search_all: true },
    callOptions,
  );
  const facets = all.filter(({ options }) => options.length > 0);
  const total = facets.length;
  const page = facets.slice(start, start + limit);
  if (page.length === 0) {
    const text = 'There are no facets: nothing has been analysed, or the cursor is after the last one.';
    return { text, data: { files: [], facets: [], total, cursor: null } };
  }
  const { text, shown, cursor } = listed({
    head: ['Facet, its kind, its values with the number of files:', ...notes([warning ?? undefined])],
    rows: page.map(facetText),
    next: placeAfter(start, total),
  });
  const rows = page.slice(0, shown).map(({ id, kind, options, min, max }) => ({
    facet: id,
    kind,
    values: options
      .slice(0, MOST_OPTIONS)
      .map(({ value, count }) => ({ value: oneLine(value, 1000), files: count })),
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
  }));
  return { text, data: { files: [], facets: rows, total, cursor } };
}

function facetText({ id, kind, options, min, max }: Facet): string {
  const values = options.slice(0, MOST_OPTIONS).map(({ value, count }) => `${oneLine(value, 80)} (${count})`);
  const more = options.length > MOST_OPTIONS ? ` and ${options.length - MOST_OPTIONS} more` : '';
  const range =
    min === undefined || max === undefined
      ? ''
      : ` from ${oneLine(String(min), 40)} to ${oneLine(String(max), 40)}`;
  return `${oneLine(id, 160)} (${kind})${range}: ${values.join(', ')}${more}`;
}
