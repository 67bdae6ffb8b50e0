// who: the people of the library, and where one of them is seen.
import { Type } from 'typebox';
import type { FaceClusterJob } from '../../../actors/library/people/contract.ts';
import { described } from '../../../runtime/schema.ts';
import { plainApostrophes, suggestion } from '../../../runtime/text.ts';
import { fileName, hashText, listed, notes, oneLine, placeAfter, rangesText } from '../answer.ts';
import { findAllMedia } from '../media.ts';
import {
  argumentErrors,
  type Call,
  Cursor,
  limitOf,
  MediaNames,
  NextCursor,
  Ranges,
  startOf,
  tool,
} from '../tool.ts';

const MOST_ROWS = 50;
/** Clusters without a name of one clustering that are told. */
const MOST_IDS = 20;

export const who = tool({
  name: 'who',
  title: 'Who is seen where',
  description:
    'Without name: the named people of the library. With name: the files and times in which this person is seen. Voices ' +
    'are not here: find_spoken takes a speaker.',
  input: Type.Object({
    name: Type.Optional(
      described(Type.String({ minLength: 1, maxLength: 200 }), 'Name of a person, or the id of a cluster.'),
    ),
    clustering: Type.Optional(
      described(
        Type.String({ minLength: 1, maxLength: 1000 }),
        'Only this face clustering, where several have the person.',
      ),
    ),
    media: Type.Optional(MediaNames),
    limit: limitOf(MOST_ROWS, MOST_ROWS),
    cursor: Cursor,
  }),
  output: Type.Object({
    people: described(
      Type.Array(
        Type.Object({
          name: described(Type.String(), 'Empty for clusters without a name.'),
          cluster_ids: described(Type.Array(Type.String()), `At most ${MOST_IDS}.`),
          clustering: Type.String(),
        }),
      ),
      'Without name: who there is.',
    ),
    seen: described(
      Type.Array(Type.Object({ hash_str: Type.String(), media_path: Type.String(), ranges: Ranges })),
      'With name: where this person is seen.',
    ),
    cursor: NextCursor,
  }),
  effect: 'none',
  run: async ({ name, clustering, media, limit, cursor: from }, call) => {
    const start = startOf(from);
    const { jobs, warning } = await call.client.faceClusters({ cache_dir: call.cacheDir }, call.callOptions);
    const chosen = chosenOf(jobs, clustering);
    const empty = { people: [], seen: [], cursor: null };
    if (chosen.length === 0)
      return { text: 'No faces are clustered yet. analyze with what ["faces"] does it.', data: empty };
    const rows = name === undefined ? everybody(chosen) : await seen(name, chosen, media, call);
    const page = rows.slice(start, start + limit);
    if (page.length === 0) return { text: start > 0 ? 'There is nothing more.' : nobody(name), data: empty };
    const head =
      name !== undefined
        ? [`${oneLine(name, 80)} is seen in (hash, file, ranges):`]
        : [...(chosen.some(hasNames) ? [] : [nobody(name)]), 'Person, clustering:'];
    const { text, shown, cursor } = listed({
      head: [...head, ...notes([warning])],
      rows: page.map((row) => row.text),
      next: placeAfter(start, rows.length),
    });
    const shownRows = page.slice(0, shown);
    const data = {
      people: shownRows.flatMap(({ person }) => person ?? []),
      seen: shownRows.flatMap(({ sighting }) => sighting ?? []),
      cursor,
    };
    return { text, data };
  },
});

interface Row {
  readonly text: string;
  readonly person?: { readonly name: string; readonly cluster_ids: string[]; readonly clustering: string };
  readonly sighting?: {
    readonly hash_str: string;
    readonly media_path: string;
    readonly ranges: [number, number][];
  };
}

function chosenOf(jobs: readonly FaceClusterJob[], clustering: string | undefined): FaceClusterJob[] {
  const matching = jobs.filter(({ name }) => clustering === undefined || name === clustering);
  if (matching.length > 0 || jobs.length === 0) return matching;
  const names = jobs.map(({ name }) => name);
  const hint =
    suggestion(clustering ?? '', names) ||
    `; there are ${names
      .slice(0, 10)
      .map((text) => oneLine(text, 80))
      .join(', ')}`;
  const message = `clustering: there is no face clustering ${JSON.stringify(oneLine(clustering ?? '', 80))}${hint}`;
  throw argumentErrors.BAD_ARGUMENT(message, { field: 'clustering' });
}

function nobody(name: string | undefined): string {
  if (name === undefined) return 'Nobody has a name yet. A person can name faces with framehound faces name.';
  return `${oneLine(name, 80)} is not seen in these files.`;
}

const hasNames = ({ names }: FaceClusterJob) => Object.keys(names).length > 0;

/** Clusters of one name are one person. */
function everybody(jobs: readonly FaceClusterJob[]): Row[] {
  return jobs.flatMap(({ name: clustering, names, cluster_ids }) => {
    const people = Map.groupBy(Object.keys(names), (id) => names[id]!);
    const named = [...people]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, ids]) => ({
        text: `${oneLine(name, 100)}, ${oneLine(clustering, 80)}`,
        person: { name, cluster_ids: ids.slice(0, MOST_IDS), clustering },
      }));
    const unnamed = cluster_ids.filter((id) => !Object.hasOwn(names, id));
    if (unnamed.length === 0) return named;
    const ids = unnamed.slice(0, MOST_IDS);
    const more = unnamed.length > MOST_IDS ? ` and ${unnamed.length - MOST_IDS} more` : '';
    const list = ids.map((id) => oneLine(id, 40)).join(', ');
    const text = `(without a name, usable by id: ${list}${more}), ${oneLine(clustering, 80)}`;
    return [...named, { text, person: { name: '', cluster_ids: ids, clustering } }];
  });
}

async function seen(
  name: string,
  jobs: readonly FaceClusterJob[],
  media: readonly string[] | undefined,
  call: Call,
): Promise<Row[]> {
  const only =
    media === undefined
      ? null
      : new Set((await findAllMedia(media, 'media', call)).map((medium) => medium.hash_str));
  const foldedName = plainApostrophes(name.toLowerCase());
  const having = jobs.filter(
    ({ names, cluster_ids }) =>
      cluster_ids.includes(name) ||
      Object.values(names).some((text) => plainApostrophes(text.toLowerCase()) === foldedName),
  );
  if (having.length === 0) throw unknownPerson(name, jobs);
  const rows: Row[] = [];
  for (const { name: cluster_job_name } of having) {
    const request = { cache_dir: call.cacheDir, cluster_job_name, people: [name] };
    const { people } = await call.client.appearances(request, call.callOptions);
    for (const { media: files } of people) {
      for (const { hash_str, media_path, ranges } of files) {
        if (only !== null && !only.has(hash_str)) continue;
        const text = `${hashText(hash_str)} ${fileName(media_path)} ${rangesText(ranges)}`;
        rows.push({ text, sighting: { hash_str, media_path, ranges } });
      }
    }
  }
  return rows;
}

function unknownPerson(name: string, jobs: readonly FaceClusterJob[]): Error {
  const names = [...new Set(jobs.flatMap((job) => Object.values(job.names)))].sort();
  const knownNames = names
    .slice(0, 20)
    .map((text) => oneLine(text, 60))
    .join(', ');
  const hint =
    suggestion(name, names) || (knownNames === '' ? '; nobody has a name yet' : `; there are ${knownNames}`);
  const message = `name: there is no person named ${JSON.stringify(oneLine(name, 80))}${oneLine(hint, 1200)}`;
  return argumentErrors.BAD_ARGUMENT(message, { field: 'name' });
}
