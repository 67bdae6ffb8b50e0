// Which tasks are analyses, and which do something beside them.

/** As the service has it, which the page cannot load: a test compares the two. */
const beside: readonly string[] = ['clips', 'pull', 'proxy'];

/** False of a task of what is done beside analyses. `types`: its kinds of work. */
export function isAnalysis(types: readonly string[]): boolean {
  return types.some((type) => !beside.includes(type));
}
