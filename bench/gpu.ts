// What a graphics card does for the product: decoding, graphs and whole analyses, each beside the processor
// in the same run. Without a card nothing is measured. FRAMEHOUND_DEVICE names where models run (default:
// auto), FRAMEHOUND_GPU_PARTS some of the parts.
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DeviceChoice } from '../actors/models/device.ts';
import { graphicsHere } from '../actors/models/machine.ts';
import { mostOnDevice } from '../actors/start.ts';
import { type DecodeOptions, type Decoder, drain, startBench } from './actors.ts';
import { type Footage, footage, kinds } from './footage.ts';
import { type Graph, graphs, sideOf } from './gpu-graphs.ts';
import { copies, ingestAll, startedEngine } from './ingest.ts';
import { alternate, type Question, type Row } from './row.ts';
import { sized } from './size.ts';
import { vitB16, vitKey, writeVit } from './vit.ts';

type Say = Parameters<Question>[0];

const question = 'gpu';
const cores = availableParallelism();
const device = (process.env['FRAMEHOUND_DEVICE'] ?? 'auto') as DeviceChoice;
const shape = { width: vitB16.side, height: vitB16.side, fit: 'stretch', resample: 'bilinear' } as const;
const options: DecodeOptions = { shape, preview: { max_side: 640, quality: 80 }, mode: 'exact' };
/** Of each film, in seconds: a card that is lent is lent for minutes. */
const films = {
  h264: { ...kinds.h264Gop60, seconds: sized(10, 2) },
  hevc: { ...kinds.hevcGop60, seconds: sized(10, 2) },
  h2644k: { ...kinds.h2644k, seconds: sized(4, 1) },
};

export const gpu: Question = async (say) => {
  if (!graphicsHere().any) {
    say('there is no graphics device here');
    return [];
  }
  const parts = { graphs: graphsThere, decoding, whole };
  const asked = process.env['FRAMEHOUND_GPU_PARTS']?.split(',') ?? Object.keys(parts);
  const rows: Row[] = [];
  for (const name of asked) rows.push(...(await parts[name as keyof typeof parts](say)));
  return rows;
};

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
  const onDevice = await bench.decoders(mostOnDevice, 'auto');
  const mixed = [...onDevice, ...software.slice(mostOnDevice)];
  const rows: Row[] = [];
  for (const kind of Object.values(films)) {
    const film = await footage(kind, say);
    const apart = await difference(onDevice[0]!, software[0]!, film, bench.pool);
    say(`${film.name}: frames differ by ${apart.mean.toFixed(3)} in the mean, ${apart.most} at most`);
    const speed = await alternate(2, {
      one: () => queued([software[0]!], film, 1),
      oneThere: () => queued([onDevice[0]!], film, 2),
      allThere: () => queued(onDevice, film, 4 * mostOnDevice),
      all: () => queued(software, film, 2 * cores),
      mixed: () => queued(mixed, film, 3 * cores),
    });
    const row = (name: string, value: number, against: readonly [string, number]): Row => ({
      ...{ question, name: `${film.name}: ${name}`, value, unit: '× real time' },
      against: { name: against[0], value: against[1] },
      ratio: value / against[1],
      goal: null,
    });
    rows.push(
      row('one decoder on the device', speed.oneThere, ['one in software', speed.one]),
      row(`${mostOnDevice} decoders on the device`, speed.allThere, ['one there', speed.oneThere]),
      {
        ...row(`${cores} decoders, ${mostOnDevice} of them on the device`, speed.mixed, [
          'all in software',
          speed.all,
        ]),
        goal: { of: 'ratio', at: 'least', than: 1 },
      },
    );
  }
  await bench.stop();
  return rows;
}

/** Films out of one queue, as the product hands them to decoders; seconds of film in a second. */
async function queued(decoders: readonly Decoder[], { path, seconds }: Footage, count: number) {
  let left = count;
  const start = performance.now();
  const work = async (decoder: Decoder) => {
    while (left-- > 0) await drain(decoder, path, options);
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
    const sources = copies(film.path, home, 2 * cores);
    await writeVit(join(home, 'models'), 8, vitB16);
    const seconds = sources.length * film.seconds;
    const speeds: Record<string, number> = {};
    const ways = {
      device: { device, hardware_decoding: 'auto' },
      softwareDecoding: { device, hardware_decoding: 'off' },
      processor: { device: 'cpu', hardware_decoding: 'off' },
    } as const;
    for (const [name, values] of Object.entries(ways)) {
      const engine = await startedEngine(home, vitKey, values);
      // The first film loads the model and warms the device up.
      await ingestAll(engine, home, sources.slice(0, 1));
      const some = name === 'processor' ? sources.slice(0, 4) : sources;
      const start = performance.now();
      await ingestAll(engine, home, some);
      const took = (performance.now() - start) / 1000;
      speeds[name] = ((seconds / sources.length) * some.length) / took;
      say(`${name}: ${speeds[name]!.toFixed(1)} seconds of film in a second`);
      await engine.stop();
    }
    const row = (name: string, value: number, against: readonly [string, number]): Row => ({
      ...{ question, name, value, unit: '× real time' },
      against: { name: against[0], value: against[1] },
      ratio: value / against[1],
      goal: null,
    });
    return [
      row('whole ingest, H.264 1080p, ViT-B/16', speeds['device']!, ['the processor', speeds['processor']!]),
      row('whole ingest, H.264 1080p, ViT-B/16', speeds['device']!, [
        'decoding in software',
        speeds['softwareDecoding']!,
      ]),
    ];
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
