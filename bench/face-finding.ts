import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { definition } from '../actors/faces/actor.ts';
import { facesContract } from '../actors/faces/contract.ts';
import { InputFiller } from '../actors/faces/detection/detector.ts';
import { quartered } from '../actors/faces/picture.ts';
import { openSession, type TensorIn } from '../actors/models/session.ts';
import { GraphBuilder, onnxBytes } from '../actors/models/starter/graph/onnx.ts';
import { systemClock } from '../runtime/clock.ts';
import { createLog } from '../runtime/log.ts';
import type { Picture } from '../runtime/picture.ts';
import { createSlotPool } from '../runtime/slots.ts';
import { createSupervisor } from '../runtime/supervisor.ts';
import { weights } from '../test/actors/embedder/graphs.ts';
import {
  facesModels,
  standInRow,
  writeFaceModel,
  yunetRow,
  yunetWeights,
} from '../test/actors/faces/stand-in-embedder.ts';
import { startInMemory } from '../test/runtime/memory.ts';
import { sharedPath, skipWithout } from '../test/shared.ts';
import { beside, processorSeconds, type Question, type Row } from './row.ts';
import { sized } from './size.ts';

const threads = availableParallelism();
const log = createLog('bench', () => {});
const portrait = 'media/images/astronaut.png';
const [width, height] = [1280, 720];
/** Pictures that are on their way to the actor at once. */
const TOGETHER = 3;
const PICTURES = sized(6, 3);
const ROUNDS = 21;

export const faceFinding: Question = async (say, modelsDir) => {
  const missing = skipWithout(yunetWeights, portrait);
  if (missing) {
    say(missing);
    return [];
  }
  await facesModels(modelsDir);
  await writeFaceModel(modelsDir, standInRow, embedderGraph());
  return await measure(modelsDir, say);
};

/** data [1,3,112,112] -> fc1 [1,128] in about 460 million multiplications. */
function embedderGraph(): Uint8Array {
  const graph = new GraphBuilder('faces');
  let value = graph.input('data', 'float', [1, 3, 112, 112]);
  const widths = [3, 64, 64, 128, 128, 256, 256, 512, 512];
  for (let at = 1; at < widths.length; at++) {
    const [from, to] = [widths[at - 1]!, widths[at]!];
    const stride = 1 + (at % 2);
    const kernel = weights(to * from * 9, at).map((weight) => weight / Math.sqrt(from * 3));
    const filters = graph.tensor('float', [to, from, 3, 3], kernel);
    const attributes = { kernel_shape: [3, 3], strides: [stride, stride], pads: [1, 1, 1, 1] };
    value = graph.op('Relu', [graph.op('Conv', [value, filters], attributes)]);
  }
  const flat = graph.op('Reshape', [value, graph.ints([1, 512 * 49])]);
  const matrix = graph.tensor('float', [512 * 49, 128], weights(512 * 49 * 128, 9));
  graph.output(graph.op('MatMul', [flat, matrix]), 'fc1', 'float', [1, 128]);
  return onnxBytes(graph.model());
}

/** A frame with the portrait `count` times, side by side; the faces have a height of about 60 px. */
async function frame(count: number): Promise<Picture> {
  const portraitPixels = await sharp(sharedPath(portrait)).removeAlpha().resize(200, 200).toBuffer();
  const places = Array.from({ length: count }, (_, at) => ({
    input: portraitPixels,
    left: 20 + (at % 6) * 205,
    top: 20 + Math.floor(at / 6) * 210,
  }));
  const canvas = sharp({ create: { width, height, channels: 3, background: '#667788' } });
  return { data: await canvas.composite(places).removeAlpha().raw().toBuffer(), width, height };
}

async function measure(modelsDir: string, say: (text: string) => void): Promise<Row[]> {
  const options = { device: 'cpu', threads, log } as const;
  const detector = await openSession(join(modelsDir, yunetRow.key, 'graph.onnx'), options);
  const embedder = await openSession(join(modelsDir, standInRow.key, 'graph.onnx'), options);
  const pool = createSlotPool(TOGETHER, width * height * 3);
  const supervisor = createSupervisor({ clock: systemClock, log, pool });
  const settings = { modelsDir, device: 'cpu', threads };
  const actor = await supervisor.add({
    name: 'faces',
    contract: facesContract,
    capacity: 8,
    turnLimitMs: 600_000,
    start: () => startInMemory(definition, { settings, log, memory: pool.memory }),
  });
  const { model_key } = await actor.ask('load', {});
  const handles = await Promise.all(Array.from({ length: TOGETHER }, () => pool.acquire(pool.holder())));
  const rows: Row[] = [];
  for (const count of [0, 2, 12]) {
    say(`${width}×${height} with ${count} faces, ${threads} threads`);
    const picture = await frame(count);
    for (const handle of handles) pool.view(handle).set(picture.data);
    const inputs = levels(picture);
    const face: TensorIn = { data: new Float32Array(3 * 112 * 112).fill(90), dims: [1, 3, 112, 112] };
    const find = async (at: number) => {
      const result = await actor.ask('find', { model_key, picture: handles[at % TOGETHER]!, width, height });
      if (result.faces.length !== count) throw new Error(`${result.faces.length} faces, there are ${count}`);
    };
    const bare = async () => {
      for (const input of inputs) await detector.run({ input });
      for (let n = 0; n < count; n++) await embedder.run({ data: face });
    };
    const { wall, processor } = await beside(
      ROUNDS,
      () => pictureTimes(TOGETHER, find),
      () => pictureTimes(1, bare),
    );
    const row = {
      question: 'faces',
      unit: 'ms a picture',
      goal: { of: 'ratio', at: 'least', than: 0.9 },
    } as const;
    const peer = (value: number) => ({ name: 'bare loops over both graphs', value });
    const name = `frames of ${width}×${height} with ${count} faces`;
    rows.push(
      { ...row, name, value: wall.value, against: peer(wall.peer), ratio: 1 / wall.ratio },
      {
        ...row,
        name: `${name}, time of processors`,
        value: processor.value,
        against: peer(processor.peer),
        ratio: 1 / processor.ratio,
      },
    );
  }
  await detector.release();
  await embedder.release();
  await supervisor.stop();
  return rows;
}

/** Inputs of the detector for a picture: itself and its quarter, as the actor looks at them. */
function levels(picture: Picture): TensorIn[] {
  return [picture, quartered(picture)].map((level) => {
    const input = new InputFiller(yunetRow.detector).fill(level);
    return { data: input.data.slice(), dims: [1, 3, input.height, input.width] };
  });
}

/** ms a picture, `together` at a time, each begun when one before it has ended. */
async function pictureTimes(together: number, work: (at: number) => Promise<void>) {
  const start = performance.now();
  let next = 0;
  const findFaces = async (at: number) => {
    while (next++ < PICTURES) await work(at);
  };
  const all = () => Promise.all(Array.from({ length: together }, (_, at) => findFaces(at)));
  const processor = (await processorSeconds(all)) * 1000;
  return { wall: (performance.now() - start) / PICTURES, processor: processor / PICTURES };
}
