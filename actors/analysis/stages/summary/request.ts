// The part of a request about summaries: its fields, and their meaning together.
import { type Static, type TObject, Type } from 'typebox';
import { plainPath } from '../../../../runtime/paths.ts';
import { defaulted, described, field, nullable, oneOf } from '../../../../runtime/schema.ts';
import { quoted } from '../../../../runtime/text.ts';
import { CollectionChoice, SummaryObjective } from '../../../index/summaries/contract.ts';
import { foldName, plainName } from '../../../index/summaries/fold-name.ts';
import { presets, priorityHints } from '../../../summarizer/contract.ts';
import { type Complaint, MediaPath, type NamedPath, Text } from '../../request.ts';
import type { WorkItem } from '../kind.ts';

/** Characters of names and instructions, as they are stored. */
const longestName = 500;
const longestDescription = 5000;
const longestInstructions = 20_000;

const Name = Type.String({ minLength: 1, maxLength: longestName, pattern: '\\S' });

const Collection = Type.Union([
  Name,
  Type.Object({ collection_id: field('An existing collection.', Text) }),
  Type.Object({
    name: field('Name of the collection.', Name),
    description: field(
      'Description of the collection, for display.',
      Type.Optional(Type.String({ maxLength: longestDescription })),
    ),
  }),
]);

const Objective = Type.Object({
  preset: field(
    'The use that the summary is made for.',
    defaulted(oneOf(...presets), 'general_understanding'),
  ),
  priority_hints: field(
    'What the summary should pay attention to.',
    defaulted(Type.Array(oneOf(...priorityHints), { maxItems: priorityHints.length }), []),
  ),
  custom_instructions: Type.Optional(
    described(
      Type.String({ maxLength: longestInstructions }),
      'What the summary is for, in words. A `custom` preset needs these instructions or hints.',
    ),
  ),
});

const SummaryRequest = Type.Object(
  {
    path: MediaPath,
    collection: Type.Optional(
      described(
        Collection,
        'Collection of the summary: the name of a collection, or the id of an existing one. If omitted, the ' +
          'summary is in no collection.',
      ),
    ),
    analysis_name: Type.Optional(
      described(
        Name,
        'Name of the summary, unique among those of a file. The default is the name of the preset.',
      ),
    ),
    summary_model_key: Type.Optional(
      described(
        Text,
        'Key of a downloaded language model. If omitted, the recommended model for this machine is used, or ' +
          'templates if there is none.',
      ),
    ),
    summary_objective: field('What the summary is for.', Type.Optional(Objective)),
    replace_existing: described(
      defaulted(Type.Boolean(), false),
      'Whether to replace an existing summary with the same name. Without it, the request is refused.',
    ),
  },
  { title: 'SummaryRequest' },
);
export type SummaryRequest = Static<typeof SummaryRequest>;

export const summaryBody = {
  summary_requests: field(
    'Files to summarise, once for each path and name. They need a visual analysis, either stored or requested in `visual_media_paths`.',
    defaulted(Type.Array(SummaryRequest), []),
  ),
};
export type SummaryBody = Static<TObject<typeof summaryBody>>;

/** Name of a summary if the request has none. */
export function nameOf({ analysis_name, summary_objective }: SummaryRequest): string {
  return plainName(analysis_name ?? summary_objective?.preset ?? 'general_understanding');
}

export function summaryMedia({ summary_requests }: SummaryBody): NamedPath[] {
  return summary_requests.map(({ path }, i) => ({ field: `summary_requests[${i}].path`, path }));
}

export function summaryComplaints({ summary_requests }: SummaryBody): Complaint[] {
  const first = new Map<string, number>();
  return summary_requests.flatMap((request, i) => {
    const key = JSON.stringify([plainPath(request.path), foldName(nameOf(request))]);
    const before = first.get(key);
    if (before === undefined) first.set(key, i);
    const field = `summary_requests[${i}].analysis_name`;
    const what = `${quoted(nameOf(request))} is also the name of summary_requests[${before}] for the same path; give each summary its own name`;
    return [...objectiveComplaints(request, i), ...(before === undefined ? [] : [{ field, what }])];
  });
}

function objectiveComplaints({ summary_objective }: SummaryRequest, i: number): Complaint[] {
  if (summary_objective?.preset !== 'custom') return [];
  const { custom_instructions = '', priority_hints } = summary_objective;
  if (custom_instructions.trim() !== '' || priority_hints.length > 0) return [];
  const field = `summary_requests[${i}].summary_objective.custom_instructions`;
  return [{ field, what: 'is required for the preset custom, unless priority_hints are given' }];
}

// Summaries in the form in which they are recorded.

export const SummaryJob = Type.Object({
  path: Type.String({ minLength: 1 }),
  analysis_name: Type.String({ minLength: 1 }),
  /** Null for texts from templates. */
  model_key: nullable(Type.String()),
  objective: SummaryObjective,
  /** Null for one that stands alone. */
  collection: nullable(CollectionChoice),
  replace_existing: Type.Boolean(),
});
export type SummaryJob = Static<typeof SummaryJob>;

/** A file and all summaries to make of it. */
export interface SummaryItem extends WorkItem {
  readonly jobs: readonly SummaryJob[];
}

/** `model_key`: what the request's model has come to. */
export function summaryJob(request: SummaryRequest, model_key: string | null): SummaryJob {
  const { preset = 'general_understanding', priority_hints = [] } = request.summary_objective ?? {};
  const instructions = request.summary_objective?.custom_instructions?.trim() ?? '';
  return {
    path: plainPath(request.path),
    analysis_name: nameOf(request),
    model_key,
    objective: {
      preset,
      priority_hints: [...new Set(priority_hints)],
      custom_instructions: instructions === '' ? null : instructions,
    },
    collection: collectionOf(request.collection),
    replace_existing: request.replace_existing,
  };
}

function collectionOf(request: SummaryRequest['collection']): CollectionChoice | null {
  if (request === undefined) return null;
  if (typeof request === 'string') return { name: plainName(request), description: '' };
  if ('collection_id' in request) return request;
  return { name: plainName(request.name), description: request.description?.trim() ?? '' };
}

export function itemsOf(jobs: readonly SummaryJob[]): SummaryItem[] {
  return [...Map.groupBy(jobs, ({ path }) => path)].map(([path, ofPath]) => ({
    path,
    jobs: ofPath,
  }));
}

/** Field and id of the collection that each request names. */
export function collectionsById({ summary_requests }: SummaryBody): { field: string; id: string }[] {
  return summary_requests.flatMap(({ collection }, i) =>
    typeof collection === 'object' && 'collection_id' in collection
      ? [{ field: `summary_requests[${i}].collection.collection_id`, id: collection.collection_id }]
      : [],
  );
}
