import assert from 'node:assert/strict';
import test from 'node:test';
import { modelErrors } from '../../../actors/models/contract.ts';
import type { Ranges } from '../../../actors/models/rewriting/for-processor.ts';
import type { ModelSession } from '../../../actors/models/session.ts';
import { detectorSide } from '../../../actors/things/contract.ts';
import { openDetector, outputs } from '../../../actors/things/detector.ts';

/** A graph whose distances are those of an exact one times a number, and who is open. */
function graphs(inBytes: number | 'broken', device: ModelSession['device'] = 'cpu') {
  const open = new Set<string>();
  const session = (name: string, times: number): ModelSession => {
    open.add(name);
    return {
      device,
      refused: [],
      inputs: [{ name: 'input_1', type: 'float', shape: [] }],
      outputs: outputs
        .flatMap(({ scores, sides }) => [scores, sides])
        .map((name) => ({ name, type: 'float', shape: [] })),
      run: async () =>
        Object.fromEntries(
          outputs.flatMap(({ stride, scores, sides }) => {
            const cells = (detectorSide / stride) ** 2;
            const data = Float32Array.from({ length: cells * 44 }, (_, i) => times * ((i % 7) - 3));
            return [
              [scores, { data: new Float32Array(cells * 80), dims: [] }],
              [sides, { data, dims: [] }],
            ];
          }),
        ),
      release: async () => void open.delete(name),
    };
  };
  const opening = async (ranges?: Ranges) => {
    if (ranges && inBytes === 'broken')
      throw modelErrors.MODEL_LOAD_FAILED('no such operator', { file: 'x' });
    return ranges ? session('bytes', Number(inBytes)) : session('floats', 1);
  };
  return { open, opening };
}

test('eight bits are used where they answer nearly the same, and the other graph is closed', async () => {
  const { open, opening } = graphs(1.06);
  assert.equal((await openDetector(opening, true)).eightBits, 'used');
  assert.deepEqual([...open], ['bytes']);
});

test('where they answer something else, numbers that are none, or do not open, floats are used', async () => {
  for (const inBytes of [1.2, 0.8, 0, Number.NaN, 'broken'] as const) {
    const { open, opening } = graphs(inBytes);
    const { detector, eightBits } = await openDetector(opening, true);
    assert.equal(eightBits, 'refused', `${inBytes}`);
    assert.deepEqual([...open], ['floats']);
    await detector.close();
  }
});

test('eight bits are tried on no other device, and on no processor without their instructions', async () => {
  assert.equal((await openDetector(graphs(1, 'cuda').opening, true)).eightBits, 'not tried');
  assert.equal((await openDetector(graphs(1).opening, false)).eightBits, 'not tried');
});
