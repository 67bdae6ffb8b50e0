// Which clusters are chosen, how they are called, and what a merge of them needs to be told.

interface Named {
  readonly cluster_id: string;
  readonly name: string;
  readonly size: number;
}

export function toggled(chosen: readonly string[], id: string): string[] {
  return chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id];
}

/** Those that are still there. */
export function present<T extends Named>(chosen: readonly string[], clusters: readonly T[]): T[] {
  return chosen.flatMap((id) => clusters.find(({ cluster_id }) => cluster_id === id) ?? []);
}

/**
 * Each name once, with the largest cluster that has it: more than one, and a person has to say which stays.
 */
export function namesAmong<T extends Named>(clusters: readonly T[]): T[] {
  const largest = new Map<string, T>();
  for (const one of clusters) {
    const before = largest.get(one.name);
    if (one.name !== '' && (before === undefined || before.size < one.size)) largest.set(one.name, one);
  }
  return [...largest.values()];
}

/** The cluster that stays: the one with a name, else the largest. */
export function targetOf(clusters: readonly Named[]): string | undefined {
  const [named] = namesAmong(clusters);
  return named?.cluster_id ?? clusters.toSorted((a, b) => b.size - a.size)[0]?.cluster_id;
}

/** Of 0 to 1, as a whole percentage that is never 100 unless it is exact. */
export function percent(likeness: number): number {
  const whole = Math.round(likeness * 100);
  return whole === 100 && likeness < 1 ? 99 : Math.max(0, Math.min(100, whole));
}
