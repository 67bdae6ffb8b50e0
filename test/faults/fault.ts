// Faults that somebody could make by mistake, and the tests that notice each. `text` stands once in its file;
// seed.ts puts `fault` in its place and runs the tests.

export interface Fault {
  /** What is wrong then. */
  readonly name: string;
  readonly file: string;
  readonly text: string;
  readonly fault: string;
  readonly tests: readonly string[];
}

/** The source with the fault in it; null when its text does not stand there exactly once. */
export function seeded(source: string, { text, fault }: Pick<Fault, 'text' | 'fault'>): string | null {
  const parts = source.split(text);
  return parts.length === 2 ? parts.join(fault) : null;
}
