import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leastCosine, openAgreeing } from '../../../actors/models/agreement.ts';
import {
  distanceOf,
  embedderSides,
  epsOf,
  ownEpsOf,
  usualEps,
} from '../../../actors/models/face-distance.ts';
import { faceRows } from '../../../actors/models/rows/faces.ts';
import type { ModelSession, SessionOptions } from '../../../actors/models/session.ts';
import { createLog } from '../../../runtime/log.ts';

const log = createLog('test', () => {});
const sample = () => ({ x: { data: Float32Array.of(1), dims: [1] } });

/** Answers two rows, after some ms of this thread. */
function session(answer: readonly number[], ms = 0) {
  const open = {
    ...{ device: 'cuda' as const, refused: [], inputs: [], outputs: [], released: 0 },
    run: async () => {
      const end = performance.now() + ms;
      while (performance.now() < end);
      return { y: { data: Float32Array.from(answer), dims: [2, 2] } };
    },
    release: async () => void open.released++,
  };
  return open satisfies ModelSession;
}

type Fake = ReturnType<typeof session>;

async function opened({ exact, half, processor }: Record<'exact' | 'half' | 'processor', Fake | string>) {
  const open = async (_: unknown, { device, half: isHalf }: SessionOptions): Promise<ModelSession> => {
    const one = device === 'cpu' ? processor : isHalf ? half : exact;
    if (typeof one === 'string') throw new Error(one);
    return one;
  };
  return openAgreeing(open, 'graph', { device: 'cuda', threads: 1, log }, sample);
}

const right = [1, 2, 3, 4];
const nearly = [1, 2, 3.001, 4];
/** An answer that differs in the second row alone. */
const wrong = [1, 2, 4, -3];

test('half precision is used where it is faster and answers the same', async () => {
  const [exact, half, processor] = [session(right, 20), session(nearly, 2), session(right)];
  assert.equal(await opened({ exact, half, processor }), half);
  assert.deepEqual([exact.released, half.released, processor.released], [1, 0, 1]);
});

test('half precision that is not faster, answers something else or cannot be opened is not used', async () => {
  for (const half of [session(nearly, 300), session(wrong, 0), 'no kernel']) {
    const [exact, processor] = [session(right, 1), session(right)];
    assert.equal(await opened({ exact, half, processor }), exact);
    const freed = typeof half === 'string' ? 1 : half.released;
    assert.deepEqual([exact.released, freed, processor.released], [0, 1, 1]);
  }
});

test('a device that answers something else than the processor is refused, and the processor used', async () => {
  const [exact, half, processor] = [session(wrong), session(right), session(right)];
  const { refused } = await opened({ exact, half, processor });
  assert.equal(refused[0]?.device, 'cuda');
  assert.match(refused[0].reason, /differ from those of the processor \(cosine -?\d/);
  assert.deepEqual([exact.released, processor.released], [1, 0]);
});

test('a graph that runs on no processor, or not on the device, is told', async () => {
  const exact = session(right);
  await assert.rejects(opened({ exact, half: '', processor: 'too large' }), /too large/);
  assert.equal(exact.released, 1);
  await assert.rejects(opened({ exact: 'no driver', half: '', processor: '' }), /no driver/);
});

test('an answer that is missing, of another size or no number agrees with nothing', () => {
  const y = { data: Float32Array.of(1, 0), dims: [1, 2] };
  assert.equal(leastCosine({ y }, { y }), 1);
  assert.ok(Number.isNaN(leastCosine({}, { y })));
  assert.ok(Number.isNaN(leastCosine({ y: { data: Float32Array.of(1), dims: [1, 1] } }, { y })));
  assert.ok(Number.isNaN(leastCosine({ y: { ...y, data: Float32Array.of(1, Number.NaN) } }, { y })));
});

test('what requests ask for is made larger or smaller by what suits the model, and comes back as it was', () => {
  assert.equal(distanceOf(usualEps, 0.26), 0.26);
  assert.equal(distanceOf(0.24, 0.26), 0.13);
  assert.equal(distanceOf(0, 0.26), 0);
  assert.equal(distanceOf(2, 0.6), 2, 'no cosine distance is larger');
  for (const eps of [0.1, 0.3, 0.37, usualEps, 0.52, 1.9])
    for (const own of [0.08, 0.26, 0.4, usualEps]) {
      assert.ok(Math.abs(epsOf(distanceOf(eps, own), own) - eps) < 1e-5, `${eps} by ${own}`);
    }
  for (const eps of [0.123_456_789, 0.37, 1.1])
    assert.equal(distanceOf(eps, usualEps), eps, 'the usual model takes it as it is');
});

test('the row is found by the key of the pair, and a model whose row is gone is a usual one', async () => {
  const models = faceRows.map((row) => ({ row }));
  const library = { list: async () => ({ models, problems: [] }) as never };
  const ownEps = await ownEpsOf(library);
  assert.equal(ownEps('yunet-2026may+dlib-resnet-v1'), 0.26);
  assert.equal(ownEps('yunet-2026may+sface'), usualEps);
  assert.equal(ownEps('yunet-2026may+gone'), usualEps);
  const sideOf = await embedderSides(library);
  assert.equal(sideOf('blazeface-256+dlib-resnet-v1')?.thresholds.same, 0.64);
  assert.equal((await ownEpsOf(null))('a+sface'), usualEps);
});
