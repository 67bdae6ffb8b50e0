// Ranges of two numbers: joined, and what is wrong with one.

/** Half-open ranges, sorted, with overlapping and touching ones joined. Empty ones are left out. */
export function joinRanges(ranges: readonly (readonly [number, number])[]): [number, number][] {
  const sorted = ranges.filter(([start, end]) => end > start).toSorted((a, b) => a[0] - b[0]);
  const joined: [number, number][] = [];
  for (const [start, end] of sorted) {
    const last = joined.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else joined.push([start, end]);
  }
  return joined;
}

// Complaints about a range of two numbers, in the same words for every request.

/** The range is [start, end); for one whose end is not greater than its start. */
export function rangeFault(start: number, end: number): string {
  return `[${start}, ${end}] ${end === start ? 'is empty: its end must be greater than its start' : 'ends before it starts'}`;
}
