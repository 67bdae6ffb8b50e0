// What is wrong with a range of two numbers, in the words of every request that has one.

/** The range is [start, end); for one whose end is not greater than its start. */
export function rangeFault(start: number, end: number): string {
  return `[${start}, ${end}] ${end === start ? 'is empty: its end must be greater than its start' : 'ends before it starts'}`;
}
