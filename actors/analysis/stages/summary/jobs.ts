// Summaries in the form in which they are recorded.
import { type Static, Type } from 'typebox';
import { nullable } from '../../../../runtime/schema.ts';
import { CollectionChoice, SummaryObjective } from '../../../index/summaries/contract.ts';
import { plainName } from '../../../index/summaries/fold-name.ts';
import { plainPath } from '../../request.ts';
import type { Item } from '../kind.ts';
import { nameOf, type SummaryBody, type SummaryRequest } from './request.ts';

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
export interface SummaryItem extends Item {
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

/** Of each request the field and the id of the collection it names. */
export function collectionsById({ summary_requests }: SummaryBody): { field: string; id: string }[] {
  return summary_requests.flatMap(({ collection }, i) =>
    typeof collection === 'object' && 'collection_id' in collection
      ? [{ field: `summary_requests[${i}].collection.collection_id`, id: collection.collection_id }]
      : [],
  );
}
