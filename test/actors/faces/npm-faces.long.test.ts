// The face models of the npm registry as they are fetched and converted: values that their own runtimes give
// for the same picture, and people of recorded footage.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { modelErrors } from '../../../actors/models/contract.ts';
import { createModelLibrary } from '../../../actors/models/library.ts';
import { openSession, type TensorOut } from '../../../actors/models/session.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { createLog } from '../../../runtime/log.ts';
import { skipWithout } from '../../shared.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { clip, signers, signersFolder, startFaces, still } from './start.ts';

const folder = temporaryFolder();
const files = {
  'blazeface-256': ['blazeface-256.onnx', 'facemesh-192.onnx'],
  'dlib-resnet-v1': ['dlib-resnet-v1.onnx'],
};
/** Why there are none; null where there are. */
let absent: string | null = null;

before(async () => {
  const { signal } = new AbortController();
  const library = createModelLibrary(folder, { memoryBytes: 8e9, graphics: false });
  try {
    for (const key of Object.keys(files)) await library.pull(key, { signal, clock: systemClock, tries: 1 });
  } catch (error) {
    if (!modelErrors.DOWNLOAD_FAILED.is(error)) throw error;
    absent = `a package cannot be fetched: ${error.message}`;
  }
});

const near = (value: number, expected: number, what: string) =>
  assert.ok(Math.abs(value - expected) <= 1e-3 * Math.max(1, Math.abs(expected)), `${what}: ${value}`);
const sum = (values: Iterable<number>) => [...values].reduce((all, value) => all + value, 0);

/** Of p(x, y, c) = (7x + 13y + 29c) mod 256 in red, green and blue. */
async function results(
  key: string,
  name: string,
  side: number,
  planes: boolean,
  scaled: (value: number) => number,
) {
  const session = await openSession(join(folder, key, name), {
    device: 'cpu',
    threads: 1,
    log: createLog('test', () => {}),
  });
  const data = new Float32Array(3 * side * side);
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++)
      for (let c = 0; c < 3; c++)
        data[planes ? (c * side + y) * side + x : (y * side + x) * 3 + c] = scaled(
          (7 * x + 13 * y + 29 * c) % 256,
        );
  const dims = planes ? [1, 3, side, side] : [1, side, side, 3];
  const found: Record<string, TensorOut> = await session.run({ [session.inputs[0]!.name]: { data, dims } });
  await session.release();
  return (output: string) => found[output]!.data as Float32Array;
}

test('of the packages only the pinned graphs are kept', (t) => {
  if (absent) return t.skip(absent);
  for (const [key, names] of Object.entries(files))
    assert.deepEqual(readdirSync(join(folder, key)).sort(), names);
});

test('the network of dlib computes as in its package', async (t) => {
  if (absent) return t.skip(absent);
  const of = await results('dlib-resnet-v1', 'dlib-resnet-v1.onnx', 150, true, (value) => value);
  const vector = of('vector');
  assert.equal(vector.length, 128);
  near(sum(vector), -0.4779639, 'sum');
  near(sum(vector.map(Math.abs)), 11.10482, 'sum of absolutes');
  for (const [i, value] of [-0.0468898, 0.128861, 0.0612397].entries()) near(vector[i]!, value, `value ${i}`);
});

test('BlazeFace and the face mesh compute as in TensorFlow.js', async (t) => {
  if (absent) return t.skip(absent);
  const look = await results('blazeface-256', 'blazeface-256.onnx', 256, false, (value) => value / 127.5 - 1);
  near(sum(look('Identity')), -6701.259, 'scores of the finer grid');
  near(look('Identity')[0]!, -4.253458, 'first score');
  near(sum(look('Identity_1')), -3822.061, 'scores of the other grid');
  near(sum(look('Identity_2').map(Math.abs)), 55_030.53, 'boxes of the finer grid');
  near(sum(look('Identity_3').map(Math.abs)), 158_664.6, 'boxes of the other grid');
  const mesh = await results('blazeface-256', 'facemesh-192.onnx', 192, false, (value) => value / 255);
  near(mesh('Identity_1')[0]!, 0.0000838, 'likelihood');
  near(sum(mesh('Identity_2').map(Math.abs)), 93_416.25, 'points');
  for (const [i, value] of [100.1913, 112.7916, -11.1424].entries())
    near(mesh('Identity_2')[i]!, value, `value ${i} of the points`);
});

test('a portrait has one face, and a cat, a cup and a rocket have none', async (t) => {
  const why = absent ?? skipWithout('media/images', 'media/faces/portraits');
  if (why) return t.skip(why);
  const { find } = await startFaces(t, folder);
  const counts = async (names: readonly string[]) => {
    const found: number[] = [];
    for (const name of names) found.push((await find(await still(name))).faces.length);
    return found;
  };
  const portraits = [
    'images/astronaut.png',
    'faces/portraits/obama-2012.jpg',
    'faces/portraits/biden-2013.jpg',
  ];
  assert.deepEqual(await counts(portraits), [1, 1, 1]);
  assert.deepEqual(await counts(['images/chelsea.png', 'images/coffee.png', 'images/rocket.jpg']), [0, 0, 0]);
});

test('the people of recorded clips are four clusters by the eps of the row, each of its own clips', async (t) => {
  const why = absent ?? skipWithout(signersFolder);
  if (why) return t.skip(why);
  const { faces, find } = await startFaces(t, folder);
  const { dimensions, eps } = await faces.ask('load', {});
  const vectors: Float32Array[] = [];
  const who: string[] = [];
  for (const [name, person] of Object.entries(signers)) {
    for (const picture of await clip(name)) {
      const found = await find(picture);
      for (let i = 0; i < found.faces.length; i++) {
        vectors.push(found.vectors.slice(i * dimensions, (i + 1) * dimensions));
        who.push(person);
      }
    }
  }
  assert.ok(who.length >= 20, `${who.length} faces`);
  const { clustering } = await faces.ask('cluster_open', { dimensions, own_eps: eps, before: null });
  const all = Float32Array.from(vectors.flatMap((vector) => [...vector]));
  await faces.ask('cluster_add', { clustering, vectors: all, weak: new Uint8Array(who.length) });
  for (let done = false; !done; )
    ({ done } = await faces.ask('cluster_step', { clustering, eps, min_samples: 2 }));
  const { labels, clusters } = await faces.ask('cluster_labels', { clustering });
  const people = Map.groupBy(who.keys(), (i) => labels[i]!);
  people.delete(-1);
  const mixed = [...people.values()].filter((own) => new Set(own.map((i) => who[i])).size > 1);
  assert.deepEqual([clusters, mixed.length], [4, 0], who.map((one, i) => `${one}${labels[i]}`).join(' '));
  const alone = labels.filter((label) => label === -1).length;
  assert.ok(alone <= 2, `${alone} of ${who.length} faces are in no cluster`);
});
