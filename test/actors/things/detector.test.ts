import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelErrors } from '../../../actors/models/contract.ts';
import type { Ranges } from '../../../actors/models/rewriting/for-processor.ts';
import type { ModelSession } from '../../../actors/models/session.ts';
import { sightOf } from '../../../actors/things/actor.ts';
import type { Thing } from '../../../actors/things/contract.ts';
import { openDetector } from '../../../actors/things/detector.ts';
import { outputs, side } from '../../../actors/things/nanodet.ts';

const row = { key: 'mine', family: 'nanodet', frame_resolution: side };

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
            const cells = (side / stride) ** 2;
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
  const opening = async ({ ranges }: { ranges?: Ranges }) => {
    if (ranges && inBytes === 'broken')
      throw modelErrors.MODEL_LOAD_FAILED('no such operator', { file: 'x' });
    return ranges ? session('bytes', Number(inBytes)) : session('floats', 1);
  };
  return { open, opening };
}

test('eight bits are used where they answer nearly the same, and the other graph is closed', async () => {
  const { open, opening } = graphs(1.06);
  assert.equal((await openDetector(row, opening, { multiplies: true })).eightBits, 'used');
  assert.deepEqual([...open], ['bytes']);
});

test('where they answer something else, numbers that are none, or do not open, floats are used', async () => {
  for (const inBytes of [1.2, 0.8, 0, Number.NaN, 'broken'] as const) {
    const { open, opening } = graphs(inBytes);
    const { detector, eightBits } = await openDetector(row, opening, { multiplies: true });
    assert.equal(eightBits, 'refused', `${inBytes}`);
    assert.deepEqual([...open], ['floats']);
    await detector.close();
  }
});

test('eight bits are tried on no other device, and on no processor without their instructions', async () => {
  assert.equal(
    (await openDetector(row, graphs(1, 'cuda').opening, { multiplies: true })).eightBits,
    'not tried',
  );
  assert.equal((await openDetector(row, graphs(1).opening, { multiplies: false })).eightBits, 'not tried');
});

const dog: Thing = { class: 'dog', score: 0.7, box: [0.1, 0.1, 0.2, 0.2], colours: [] };

function grey(value: number, spot = value) {
  const data = new Uint8Array(320 * 180 * 3).fill(value);
  for (let y = 90; y < 94; y++) data.fill(spot, (y * 320 + 160) * 3, (y * 320 + 164) * 3);
  return { data, width: 320, height: 180 };
}

/** Each look finds one thing more. */
function looking() {
  let looks = 0;
  return async () => Array.from({ length: ++looks }, () => dog);
}

test('a picture that looks as the one before it shows the same; one that differs in a spot is looked at', async () => {
  const look = looking();
  const first = await sightOf(grey(100), null, look);
  assert.equal(first.things.length, 1);
  const same = await sightOf(grey(105), first, look);
  assert.equal(same, first);
  const spot = await sightOf(grey(100, 140), same, look);
  assert.equal(spot.things.length, 2);
});

test('slow changes add up, and a picture of another size is another one', async () => {
  const look = looking();
  let sight = await sightOf(grey(100), null, look);
  for (let value = 104; value <= 120; value += 4) sight = await sightOf(grey(value), sight, look);
  assert.equal(sight.things.length, 2, '112 is looked at, and 124 would be');
  const upright = { ...grey(120), width: 180, height: 320 };
  assert.equal((await sightOf(upright, sight, look)).things.length, 3);
});
