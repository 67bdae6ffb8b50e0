// What is wrong with a request for summaries that only the analysis folder can tell: no visual analysis, a
// name that is taken, a collection that is not there.
import { quoted } from '../../../../runtime/quoted.ts';
import { foldName } from '../../../index/summaries/fold-name.ts';
import { type Complaint, plainPath, type StoredMedia } from '../../request.ts';
import { collectionsById } from './jobs.ts';
import { nameOf, type SummaryBody } from './request.ts';

/** `body`: without complaints, with the fields of the whole request that matter here. */
export async function summaryFitness(body: SummaryBody, stored: StoredMedia): Promise<Complaint[]> {
  if (body.summary_requests.length === 0) return [];
  return [
    ...(await unanalysed(body, stored)),
    ...(await takenNames(body, stored)),
    ...(await unknownCollections(body, stored)),
  ];
}

/** A summary is made from a visual analysis: one that is stored, or one that is asked for with it. */
async function unanalysed({ summary_requests }: SummaryBody, stored: StoredMedia): Promise<Complaint[]> {
  const paths = summary_requests.map(({ path }) => plainPath(path));
  const analysed = await stored.analysed(paths);
  return summary_requests.flatMap((_, i) =>
    analysed.has(paths[i] ?? '')
      ? []
      : [
          {
            field: `summary_requests[${i}].path`,
            what: 'has no visual analysis: add it to visual_media_paths',
          },
        ],
  );
}

/** Of files the folder knows; of others it is told when their work begins. */
async function takenNames({ summary_requests }: SummaryBody, stored: StoredMedia): Promise<Complaint[]> {
  const kept = summary_requests.flatMap((request, i) => (request.replace_existing ? [] : [{ request, i }]));
  if (kept.length === 0 || stored.redoes) return [];
  const names = await stored.summaryNames(kept.map(({ request }) => plainPath(request.path)));
  return kept.flatMap(({ request, i }) => {
    const taken = names.get(plainPath(request.path)) ?? [];
    const name = taken.find((one) => foldName(one) === foldName(nameOf(request)));
    if (name === undefined) return [];
    const what = `is taken: ${request.path} already has a summary ${quoted(name)}; choose another name or set replace_existing`;
    return [{ field: `summary_requests[${i}].analysis_name`, what }];
  });
}

async function unknownCollections(body: SummaryBody, stored: StoredMedia): Promise<Complaint[]> {
  const named = collectionsById(body);
  if (named.length === 0) return [];
  const known = await stored.collections();
  return named.flatMap(({ field, id }) =>
    known.has(id) ? [] : [{ field, what: `is not a known collection: ${quoted(id)}` }],
  );
}
