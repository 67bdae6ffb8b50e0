// From the probabilities of characters, step by step along a line, to its text.
import { argmax } from '../../models/graph.ts';

/** What the classes of the graph stand for: none, the characters of the dictionary in its order, a blank. */
export function charactersOf(dictionary: string): string[] {
  const lines = dictionary.split('\n').map((line) => line.replace(/\r$/, ''));
  if (lines.at(-1) === '') lines.pop();
  return ['', ...lines, ' '];
}

export interface ReadText {
  readonly text: string;
  /** Mean probability of the characters that are kept; 0 without any. */
  readonly score: number;
}

/**
 * The likeliest character of each step, repetitions and steps without one left out. `steps`: n×characters.
 */
export function readSteps(steps: Float32Array, characters: readonly string[]): ReadText {
  let [text, sum, count, before] = ['', 0, 0, 0];
  for (let from = 0; from < steps.length; from += characters.length) {
    const best = argmax(steps, from, from + characters.length);
    if (best !== 0 && best !== before) {
      text += characters[best]!;
      sum += steps[from + best]!;
      count++;
    }
    before = best;
  }
  const trimmed = text.trim();
  return { text: trimmed, score: trimmed === '' ? 0 : Math.min(1, sum / count) };
}
