// Who is seen in a file, over all face clusterings: a name is one person, however many clusterings have it.
import type { Reply } from '../../../../runtime/contract.ts';
import { joinRanges } from '../../../../runtime/join-ranges.ts';
import type { indexContract } from '../../../index/contract.ts';
import type { SeenPerson } from '../../../summarizer/contract.ts';

type Shown = Reply<typeof indexContract, 'people_in'>['people'][number];

/** A cluster without a name is itself, and told by its clustering where several have one of that id. */
export function seenPeople(shown: readonly Shown[]): SeenPerson[] {
  const nameless = shown.filter(({ is_named }) => !is_named);
  const isDouble = ({ person, cluster_job_name }: Shown) =>
    nameless.some((one) => one.person === person && one.cluster_job_name !== cluster_job_name);
  const people = Map.groupBy(shown, (one) =>
    one.is_named || !isDouble(one) ? one.person : `${one.person} (${one.cluster_job_name})`,
  );
  return [...people].map(([person, of]) => ({
    person,
    is_named: of.some(({ is_named }) => is_named),
    ranges: joinRanges(of.flatMap(({ ranges }) => ranges)),
  }));
}
