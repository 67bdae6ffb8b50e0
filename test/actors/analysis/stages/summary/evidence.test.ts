import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Concepts } from '../../../../../actors/analysis/stages/summary/evidence.ts';

const dimensions = 4;

/** Pictures of the library as each summary finds it, and those that the summarizer was told of. */
async function toldOf(library: readonly number[]): Promise<(number | null)[]> {
  const told: number[] = [];
  let stored = 0;
  const summarizer = {
    ask: async (message: string, asked: { pictures?: Float32Array }) => {
      if (message === 'has_concepts') return { known: told.length > 0, named: true };
      if (message === 'concept_phrases') return { phrases: [] };
      told.push(asked.pictures!.length / dimensions);
      return {};
    },
  };
  const index = {
    ask: async (_: string, { most }: { most: number }) => {
      const pictures = Math.min(most, stored);
      return {
        dimensions: pictures === 0 ? 0 : dimensions,
        vectors: new Float32Array(pictures * dimensions),
      };
    },
  };
  const concepts = new Concepts({ summarizer, index } as never, '/library');
  const each: (number | null)[] = [];
  for (stored of library) {
    const before = told.length;
    await concepts.prepare('m', dimensions, {});
    each.push(told.length > before ? told.at(-1)! : null);
  }
  return each;
}

test('a small library is looked at again when the task has filled it by a quarter', async () => {
  assert.deepEqual(await toldOf([14, 15, 17, 18, 90, 100]), [14, null, null, 18, 90, null]);
});

test('a library that fills the sample is looked at once in a task', async () => {
  assert.deepEqual(await toldOf([5000, 9000, 90_000]), [4096, null, null]);
});

test('an empty library names nothing until there are pictures', async () => {
  assert.deepEqual(await toldOf([0, 0, 3]), [null, null, 3]);
});
