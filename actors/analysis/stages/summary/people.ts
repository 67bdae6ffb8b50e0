// Who is seen in a file, over all face clusterings: a name is one person, however many clusterings have it.
import type { Reply } from '../../../../runtime/contract.ts';
import type { indexContract } from '../../../index/contract.ts';
import type { GridRange } from '../../../index/summaries/contract.ts';
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
    ranges: joined(of.flatMap(({ ranges }) => ranges)),
  }));
}

/** Ascending, without overlap. */
export function joined(ranges: readonly GridRange[]): GridRange[] {
  const all: GridRange[] = [];
  for (const [start, end] of ranges.toSorted((a, b) => a[0] - b[0] || a[1] - b[1])) {
    const last = all.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else all.push([start, end]);
  }
  return all;
}
