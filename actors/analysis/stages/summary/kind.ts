// The declaration of the summary stage: a tree of texts about what is in a file, made of what is stored of
// it.
import { type Static, Type } from 'typebox';
import { EngineError } from '../../../../runtime/errors.ts';
import { plainPath } from '../../../../runtime/paths.ts';
import { described, nullable, oneOf } from '../../../../runtime/schema.ts';
import { counted, quoted } from '../../../../runtime/text.ts';
import type { MediaRecord } from '../../../index/store/contract.ts';
import { foldName } from '../../../index/summaries/fold-name.ts';
import type { Complaint, ResolveContext, StoredMedia } from '../../request.ts';
import { stageKind } from '../kind.ts';
import {
  collectionsById,
  itemsOf,
  nameOf,
  type SummaryBody,
  SummaryJob,
  summaryBody,
  summaryComplaints,
  summaryJob,
  summaryMedia,
} from './request.ts';

// Facts of the summary stage about a file: each requested summary, by its name.

const Count = Type.Integer({ minimum: 0 });

export const SummaryFacts = Type.Object({
  analysis_name: described(Type.String(), 'Name of the summary as it is stored.'),
  outcome: described(
    oneOf('analyzed', 'stored', 'failed', 'cancelled'),
    'How the work on the summary ended. `stored`: an earlier run of the same task made it.',
  ),
  summary_ref: described(
    nullable(Type.String()),
    'Reference for reading the summary; null if it was not made.',
  ),
  analysis_id: described(
    nullable(Type.String()),
    'Id of the summary among those of the file; null if it was not made.',
  ),
  collection_id: described(
    nullable(Type.String()),
    'Id of the collection that contains the summary; null if there is none.',
  ),
  summary_model_key: described(
    Type.String(),
    'Model that wrote the summary; `templates` if there was no language model.',
  ),
  nodes: described(Count, 'Number of nodes in the tree.'),
  failed_nodes: described(Count, 'Number of nodes whose text is less detailed than requested.'),
  warning: Type.Optional(described(Type.String(), 'A note for the user.')),
  error: Type.Optional(described(Type.String(), 'Why the summary was not made.')),
});
export type SummaryFacts = Static<typeof SummaryFacts>;

/** Writer of summaries without a language model. */
export const templatesKey = 'templates';

export const summaryKind = stageKind({
  type: 'summary',
  needs: ['video', 'speech', 'faces', 'things', 'text'],
  place: 'analysis',
  body: summaryBody,
  complaints: summaryComplaints,
  media: summaryMedia,
  readsPreviews: true,
  unfit: summaryFitness,
  resolved: {
    /** Each name of a path once. */
    summary_jobs: Type.Array(SummaryJob),
  },
  expects: async ({ summary_requests }, context) => {
    for (const [i, { summary_model_key }] of summary_requests.entries()) {
      await chosen(context, summary_model_key ?? null, `summary_requests[${i}].summary_model_key`);
    }
  },
  resolve: async ({ summary_requests }, context) => {
    const summary_jobs: SummaryJob[] = [];
    for (const request of summary_requests) {
      summary_jobs.push(summaryJob(request, await context.summaryModel(request.summary_model_key ?? null)));
    }
    return { summary_jobs };
  },
  nothing: { summary_jobs: [] },
  admits: async ({ summary_jobs }, context) => {
    for (const { model_key, analysis_name } of summary_jobs) {
      if (model_key !== null) await chosen(context, model_key, `the summary ${analysis_name}`);
    }
  },
  shows: [],
  jobsOf: ({ summary_jobs }) => [{ name: null, items: itemsOf(summary_jobs) }],
  unit: {
    done: 'summarized_seconds',
    all: 'summary_seconds',
    meanings: ['Seconds of media that have been summarised.', 'Total seconds of media to summarise.'],
    measure: 'seconds',
    weight: 1,
    cost: 0.02,
    amountOf: summarySeconds,
    label: 'summarised',
    speed: null,
  },
  facts: {
    summaries: described(
      Type.Array(SummaryFacts),
      'Requested summaries, for work of type `summary`; otherwise empty.',
    ),
  },
  noFacts: { summaries: [] },
  notApplicable: 'nothing_to_summarize',
  notApplicableMeaning: 'Number of files without pictures and words for which summaries were requested.',
  labels: {
    notApplicable: 'with nothing to summarise',
    nothing: 'no pictures or words to summarise',
    result: ({ summaries }) => summaries.map(said).join(', '),
    warning: ({ summaries }) => {
      const warnings = summaries.flatMap(({ analysis_name, warning }) =>
        warning === undefined ? [] : [`${analysis_name}: ${warning}`],
      );
      return warnings.length > 0 ? warnings.join('; ') : undefined;
    },
  },
  eventFields: {
    percentage: 'text',
    underWay: (summary_stage, summary_node_id) => ({
      summary_stage,
      ...(summary_node_id !== null && { summary_node_id }),
    }),
    failed: (summary_error) => ({ summary_error }),
  },
  metrics: {
    done: { name: 'framehound_summarized_seconds_total', help: 'Seconds of media that were summarised.' },
    results: [
      {
        name: 'framehound_summaries_total',
        help: 'Summaries made.',
        count: ({ summaries }) => summaries.filter(({ outcome }) => outcome === 'analyzed').length,
      },
      {
        name: 'framehound_shortened_nodes_total',
        help: 'Nodes of summaries whose text is less detailed than requested.',
        count: ({ summaries }) => summaries.reduce((sum, { failed_nodes }) => sum + failed_nodes, 0),
      },
    ],
  },
});

/** Length of the file; a still counts as a second. */
export function summarySeconds({ probe }: MediaRecord): number {
  return probe.duration_seconds || 1;
}

/** Length of the grid; of sound, which has no pictures, of the seconds. */
export function gridSeconds({ probe }: MediaRecord): number {
  return Math.max(1, probe.grid_frames, probe.kind === 'audio' ? Math.ceil(probe.duration_seconds) : 0);
}

/** Names the field in what is wrong with the key. */
async function chosen(context: ResolveContext, key: string | null, field: string): Promise<void> {
  await context.summaryModel(key).catch((error: unknown) => {
    if (key === null || !(error instanceof EngineError)) throw error;
    const { code, message, details } = error;
    throw new EngineError(code, error, `${field}: ${message}`, { ...details, field }, error);
  });
}

function said({ analysis_name, outcome, nodes, failed_nodes, error }: SummaryFacts): string {
  if (error !== undefined) return `${analysis_name}: ${error}`;
  const failed = failed_nodes > 0 ? `, ${failed_nodes} of them less detailed than requested` : '';
  const before = outcome === 'stored' ? ', made before' : '';
  return `summary ${analysis_name} of ${counted(nodes, 'node')}${failed}${before}`;
}

// Complaints about a request for summaries that depend on the analysis folder: no visual analysis, a name
// that is taken, a missing collection.

/** `body`: without complaints, with the fields of the whole request that matter here. */
async function summaryFitness(body: SummaryBody, stored: StoredMedia): Promise<Complaint[]> {
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

/** Checks files that the folder knows; other files are checked when their work begins. */
async function takenNames({ summary_requests }: SummaryBody, stored: StoredMedia): Promise<Complaint[]> {
  const additions = summary_requests.flatMap((request, i) =>
    request.replace_existing ? [] : [{ request, i }],
  );
  if (additions.length === 0 || stored.redoes) return [];
  const names = await stored.summaryNames(additions.map(({ request }) => plainPath(request.path)));
  return additions.flatMap(({ request, i }) => {
    const existingNames = names.get(plainPath(request.path)) ?? [];
    const name = existingNames.find((candidate) => foldName(candidate) === foldName(nameOf(request)));
    if (name === undefined) return [];
    const what = `is taken: ${request.path} already has a summary ${quoted(name)}; choose another name or set replace_existing`;
    return [{ field: `summary_requests[${i}].analysis_name`, what }];
  });
}

async function unknownCollections(body: SummaryBody, stored: StoredMedia): Promise<Complaint[]> {
  const named = collectionsById(body);
  if (named.length === 0) return [];
  const collections = await stored.collections();
  return named.flatMap(({ field, id }) =>
    collections.has(id) ? [] : [{ field, what: `is not a known collection: ${quoted(id)}` }],
  );
}
