import assert from 'node:assert/strict';
import test from 'node:test';
import { leastCosine, openAgreeing } from '../../../actors/models/agreement.ts';
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
/** Of the second row alone. */
const wrong = [1, 2, 4, -3];

test('half precision is used where it is faster and answers the same', async () => {
  const [exact, half, processor] = [session(right, 20), session(nearly, 2), session(right)];
  assert.equal(await opened({ exact, half, processor }), half);
  assert.deepEqual([exact.released, half.released, processor.released], [1, 0, 1]);
});

test('half precision that is not faster, answers something else or cannot be opened is not used', async () => {
  for (const half of [session(nearly, 20), session(wrong, 0), 'no kernel']) {
    const [exact, processor] = [session(right, 10), session(right)];
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
