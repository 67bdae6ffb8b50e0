// What could not be read and is left out of an answer, in a sentence.
const mostTold = 8;

export function warned(said: readonly string[]): { warning?: string } {
  if (said.length === 0) return {};
  const more = said.length > mostTold ? `, and ${said.length - mostTold} more` : '';
  return { warning: `Skipped: ${said.slice(0, mostTold).join('; ')}${more}` };
}
