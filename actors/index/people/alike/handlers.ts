// What the index answers about clusters that may be one person.
import type { Handlers } from '../../../../runtime/actor.ts';
import type { Contract, Reply, Request } from '../../../../runtime/contract.ts';
import type { Folders } from '../../folders.ts';
import type { OpenLoads } from '../../open-loads.ts';
import { unknownJob } from '../../store/people/job-writer.ts';
import type { OpenComparison } from '../../store/people/open-comparison.ts';
import type { peopleMessages } from '../contract.ts';

export interface ComparisonParts {
  readonly folders: Folders;
  readonly comparisons: OpenLoads<OpenComparison>;
}

type SuggestContract = Contract<Pick<typeof peopleMessages, 'suggest_clusters'>>;

export function suggestionHandlers(parts: ComparisonParts): Handlers<SuggestContract> {
  return { suggest_clusters: (request) => suggest(parts, request) };
}

/** A clustering that changed meanwhile is compared anew. */
function suggest(
  { folders, comparisons }: ComparisonParts,
  { cache_dir, cluster_job_name, begun, ...asked }: Request<SuggestContract, 'suggest_clusters'>,
): Promise<Reply<SuggestContract, 'suggest_clusters'>> {
  return folders.with(cache_dir, (store) => {
    const isStill = (open: OpenComparison) => store.people.isStill(cluster_job_name, open);
    const begin = () => {
      const open = store.people.compare(cluster_job_name, asked);
      if (open === null) throw unknownJob(cluster_job_name);
      return open;
    };
    const [number, open] = comparisons.resume(begun ?? null, isStill, begin);
    let done = true;
    try {
      done = open.step();
    } finally {
      if (done) comparisons.end(number);
    }
    const { pairs, leftOut } = open.comparison;
    return { done, comparison: number, pairs: done ? [...pairs] : [], left_out: leftOut };
  });
}
