// Whether everybody can have something of their own: a maximum matching by augmenting paths, for a handful of each.

/** `choices`: for each one what it could have. True when all can have different things at once. */
export function eachHasOwn(choices: readonly (readonly number[])[]): boolean {
  /** By thing: who has it. */
  const holder = new Map<number, number>();
  const give = (to: number, tried: Set<number>): boolean =>
    choices[to]!.some((thing) => {
      if (tried.has(thing)) return false;
      tried.add(thing);
      const other = holder.get(thing);
      if (other !== undefined && !give(other, tried)) return false;
      holder.set(thing, to);
      return true;
    });
  return choices.every((_, one) => give(one, new Set()));
}
