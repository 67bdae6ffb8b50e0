// The work of a graphics card for the product: decoding, graphs and whole analyses, each beside the processor
// in the same run. Without a card nothing is measured. FRAMEHOUND_DEVICE names where models run (default:
// auto), FRAMEHOUND_GPU_PARTS some of the parts.
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pictureFeed } from '../actors/embedder/prepare.ts';
import { openAgreeing } from '../actors/models/agreement.ts';
import type { DeviceChoice } from '../actors/models/device.ts';
import { graphicsHere } from '../actors/models/machine.ts';
import { pictureBytes } from '../actors/models/rewriting/picture-bytes.ts';
import { openSession, type SampleInputs } from '../actors/models/session.ts';
import { onnxBytes } from '../actors/models/starter/graph/onnx.ts';
import { mostOnDevice } from '../actors/start.ts';
import { createLog } from '../runtime/log.ts';
import { type DecodeOptions, type Decoder, drain, startBench } from './actors.ts';
import { type Footage, footage, kinds } from './footage.ts';
import { type Graph, graphs, sideOf } from './gpu-graphs.ts';
import { copies, ingestAll, startedEngine } from './ingest.ts';
import { alternate, type Question, type Row } from './row.ts';
import { sized } from './size.ts';
import { vitB16, vitKey, vitModel, writeVit } from './vit.ts';

type Say = Parameters<Question>[0];

const question = 'gpu';
const cores = availableParallelism();
const device = (process.env['FRAMEHOUND_DEVICE'] ?? 'auto') as DeviceChoice;
const shape = { width: vitB16.side, height: vitB16.side, fit: 'stretch', resample: 'bilinear' } as const;
const options: DecodeOptions = { shape, preview: { max_side: 640, quality: 80 }, mode: 'exact' };
/** The films, with their lengths in seconds: a card that is lent is lent for minutes. */
const films = {
  h264: { ...kinds.h264Gop60, seconds: sized(10, 2) },
  hevc: { ...kinds.hevcGop60, seconds: sized(10, 2) },
  h2644k: { ...kinds.h2644k, seconds: sized(2, 1) },
};

export const gpu: Question = async (say) => {
  if (!graphicsHere().any) {
    say('there is no graphics device here');
    return [];
  }
  const parts = { precision, graphs: graphsThere, decoding, whole };
  const partNames = process.env['FRAMEHOUND_GPU_PARTS']?.split(',') ?? Object.keys(parts);
  const rows: Row[] = [];
  for (const name of partNames) rows.push(...(await parts[name as keyof typeof parts](say)));
  return rows;
};

const grey: [number, number, number] = [0.5, 0.5, 0.5];

/** How the product opens a picture graph: what it says of the precisions. */
async function precision(say: Say): Promise<Row[]> {
  const { side } = vitB16;
  const rows: Row[] = [];
  for (const count of sized([8, 32], [1])) {
    const log = createLog('bench', ({ message, fields }) => say(`${message} ${JSON.stringify(fields)}`));
    const slots = Array.from({ length: count }, (_, n) =>
      Uint8Array.from({ length: side * side * 3 }, (_, at) => (at * (2 * n + 1)) & 255),
    );
    const visual = { shape: { ...shape }, mean: grey, std: grey };
    const sample: SampleInputs = ({ inputs }) =>
      pictureFeed(visual, count, inputs[0]?.name === pictureBytes)(slots);
    const pictures = { name: 'pixel_values', mean: visual.mean, std: visual.std };
    const graph = onnxBytes(vitModel(vitB16));
    const start = performance.now();
    const session = await openAgreeing(openSession, graph, { device, threads: cores, log, pictures }, sample);
    say(`opened on ${session.device} in ${(performance.now() - start).toFixed(0)} ms`);
    const feeds = sample(session);
    const { ms } = await alternate(5, {
      ms: async () => {
        const at = performance.now();
        await session.run(feeds);
        return performance.now() - at;
      },
    });
    await session.release();
    const name = `ViT-B/16, ${count} pictures of ${side} px as bytes on ${session.device}, as the product runs it`;
    rows.push({ question, name, value: ms, unit: 'ms', against: null, ratio: null, goal: null });
  }
  return rows;
}

async function graphsThere(say: Say): Promise<Row[]> {
  const rows: Row[] = [];
  for (const graph of graphs()) rows.push(...(await graphThere(graph, say)));
  return rows;
}

/** One graph on the device and on the processor: how long both take, and how far they agree. */
async function graphThere(graph: Graph, say: Say): Promise<Row[]> {
  const [there, here] = [await sideOf(graph, device), await sideOf(graph, 'cpu')];
  try {
    say(`${graph.name} on ${there.device}${there.why ? ` (${there.why})` : ''}`);
    if (there.device === 'cpu') return [];
    const cosine = await there.cosine(here);
    const ms = await alternate(5, { there: there.ms, here: here.ms });
    const name = `${graph.name} on ${there.device}`;
    return [
      {
        ...{ question, name, value: ms.there, unit: 'ms' },
        against: { name: `${cores} threads`, value: ms.here },
        ratio: ms.here / ms.there,
        goal: null,
      },
      {
        ...{ question, name: `${name}: cosine with the processor, least`, value: cosine, unit: '' },
        ...{ against: null, ratio: null },
        goal: { of: 'value', at: 'least', than: 0.999 },
      },
    ];
  } finally {
    await there.release();
    await here.release();
  }
}

async function decoding(say: Say): Promise<Row[]> {
  const bench = startBench(cores * 10, 256 * 256 * 3);
  const software = await bench.decoders(cores);
  const onDevice = await bench.decoders(cores, 'auto');
  const rows: Row[] = [];
  for (const kind of Object.values(films)) {
    const film = await footage(kind, say);
    const apart = await difference(onDevice[0]!, software[0]!, film, bench.pool);
    say(`${film.name}: frames differ by ${apart.mean.toFixed(3)} in the mean, ${apart.most} at most`);
    const mixed = (count: number) => () =>
      queued([...onDevice.slice(0, count), ...software.slice(count)], film, 2 * cores);
    const speed = await alternate(1, {
      one: () => queued([software[0]!], film, 1),
      oneThere: () => queued([onDevice[0]!], film, 2),
      fourThere: () => queued(onDevice.slice(0, mostOnDevice), film, 4 * mostOnDevice),
      all: mixed(0),
      mixed: mixed(mostOnDevice),
      half: mixed(cores / 2),
      allThere: mixed(cores),
    });
    say(JSON.stringify(speed));
    const row = (name: string, value: number, peer: string, peerValue: number): Row => ({
      ...{ question, name: `${film.name}: ${name}`, value, unit: '× real time' },
      ...{ against: { name: peer, value: peerValue }, ratio: value / peerValue, goal: null },
    });
    const of = (count: number) => `${cores} decoders, ${count} of them on the device`;
    rows.push(
      row('one decoder on the device', speed.oneThere, 'one in software', speed.one),
      row(`${mostOnDevice} decoders on the device`, speed.fourThere, 'one there', speed.oneThere),
      row(of(mostOnDevice), speed.mixed, 'all in software', speed.all),
      row(of(cores / 2), speed.half, 'all in software', speed.all),
      row(of(cores), speed.allThere, 'all in software', speed.all),
    );
  }
  await bench.stop();
  return rows;
}

/** Films out of one queue, as the product hands them to decoders; seconds of film in a second. */
async function queued(decoders: readonly Decoder[], { path, seconds }: Footage, count: number) {
  let remainingRuns = count;
  const start = performance.now();
  const work = async (decoder: Decoder) => {
    while (remainingRuns-- > 0) await drain(decoder, path, options);
  };
  await Promise.all(decoders.map(work));
  return (count * seconds) / ((performance.now() - start) / 1000);
}

/** How far the pictures of a device are from those of software, in levels of 255. */
async function difference(
  there: Decoder,
  here: Decoder,
  { path }: Footage,
  pool: ReturnType<typeof startBench>['pool'],
): Promise<{ mean: number; most: number }> {
  const pictures = async (decoder: Decoder) => {
    const all: { seconds: number; bytes: Uint8Array }[] = [];
    for await (const frame of decoder.feed('frames', { path, ...options, from_frame: 0 }, { credit: 1 }))
      all.push({ seconds: frame.seconds, bytes: pool.view(frame.picture).slice() });
    return all;
  };
  const [theirs, own] = [await pictures(there), await pictures(here)];
  if (theirs.map(({ seconds }) => seconds).join() !== own.map(({ seconds }) => seconds).join())
    throw new Error(
      `${path}: ${theirs.length} pictures on the device and ${own.length} in software differ in time`,
    );
  let [sum, count, most] = [0, 0, 0];
  for (const [n, { bytes }] of own.entries()) {
    for (const [at, value] of bytes.entries()) {
      const apart = Math.abs(value - theirs[n]!.bytes[at]!);
      sum += apart;
      count += 1;
      if (apart > most) most = apart;
    }
  }
  return { mean: sum / count, most };
}

/** Whole analyses with a model of the size of SigLIP 2 B/16. */
async function whole(say: Say): Promise<Row[]> {
  const home = mkdtempSync(join(tmpdir(), 'framehound-gpu-'));
  try {
    const film = await footage(films.h264, say);
    const sources = copies(film.path, home, sized(6, 1) * cores);
    await writeVit(join(home, 'models'), 8, vitB16);
    const speedOf = async (hardware_decoding: 'auto' | 'off', on: DeviceChoice, count: number) => {
      const engine = await startedEngine(home, vitKey, { device: on, hardware_decoding });
      // The first film loads the model and warms the device up.
      await ingestAll(engine, home, sources.slice(0, 1));
      const start = performance.now();
      await ingestAll(engine, home, sources.slice(0, count));
      const speed = (count * film.seconds) / ((performance.now() - start) / 1000);
      say(`models on ${on}, hardware decoding ${hardware_decoding}: ${speed.toFixed(1)} × real time`);
      await engine.stop();
      return speed;
    };
    const there = await speedOf('auto', device, sources.length);
    const software = await speedOf('off', device, sources.length);
    const processor = await speedOf('off', 'cpu', Math.min(4, sources.length));
    const row = (peer: string, peerValue: number): Row => ({
      ...{ question, name: 'whole ingest, H.264 1080p, ViT-B/16', value: there, unit: '× real time' },
      ...{ against: { name: peer, value: peerValue }, ratio: there / peerValue, goal: null },
    });
    return [row('the processor', processor), row('decoding in software', software)];
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
