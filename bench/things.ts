// Are things found that people have marked, and what does a frame cost beside the bare run of the graph?
// Pictures with annotations of PASCAL VOC (an .xml of the same name beside each .jpg) are read from the
// folder that FRAMEHOUND_BENCH_LABELLED names; the detector from the folder that
// FRAMEHOUND_BENCH_THINGS_MODEL names.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { multipliesBytes } from '../actors/models/machine.ts';
import { openSession } from '../actors/models/session.ts';
import { detectorSide, type Thing } from '../actors/things/contract.ts';
import { Detector } from '../actors/things/detector.ts';
import { ranges } from '../actors/things/ranges.ts';
import { createLog } from '../runtime/log.ts';
import type { Picture } from '../runtime/picture.ts';
import { processorSeconds, type Question, type Row } from './row.ts';
import { sized } from './size.ts';

/** Classes that VOC calls otherwise. */
const vocNames: Readonly<Record<string, Thing['class']>> = {
  aeroplane: 'airplane',
  diningtable: 'dining table',
  motorbike: 'motorcycle',
  pottedplant: 'potted plant',
  sofa: 'couch',
  tvmonitor: 'tv',
};
/**
 * The classes that are marked in these pictures: others may be seen, and nobody says whether they are there.
 */
const marked = new Set<string>([
  ...['airplane', 'bicycle', 'bird', 'boat', 'bottle', 'bus', 'car', 'cat', 'chair', 'cow', 'dining table'],
  ...['dog', 'horse', 'motorcycle', 'person', 'potted plant', 'sheep', 'couch', 'train', 'tv'],
]);
const cuts = [0.4, 0.5, 0.6] as const;
const most = sized(Number.POSITIVE_INFINITY, 6);

interface Labelled {
  readonly picture: Picture;
  readonly classes: ReadonlySet<string>;
}

export const things: Question = async (say) => {
  const graph = join(process.env['FRAMEHOUND_BENCH_THINGS_MODEL'] ?? '', 'nanodet-416.onnx');
  const folder = process.env['FRAMEHOUND_BENCH_LABELLED'] ?? '';
  if (!existsSync(graph) || folder === '') {
    say('needs FRAMEHOUND_BENCH_THINGS_MODEL with nanodet-416.onnx and FRAMEHOUND_BENCH_LABELLED');
    return [];
  }
  const pictures: Labelled[] = [];
  for (const path of globSync('**/*.xml', { cwd: folder }).sort().slice(0, most))
    pictures.push(await labelled(join(folder, path)));
  say(`${pictures.length} pictures`);
  const published = await openSession(graph, options);
  const own = new Detector(await openSession(graph, { ...options, convolutional: true }));
  const bytes = multipliesBytes() && (await openSession(graph, { ...options, convolutional: true, ranges }));
  const detectors = [
    { name: '', detector: own },
    ...(bytes ? [{ name: ', in eight bits', detector: new Detector(bytes) }] : []),
  ];
  try {
    const rows: Row[] = [];
    for (const { name, detector } of detectors) {
      const seen: Thing[][] = [];
      // Neighbours, as others may use the machine meanwhile.
      const floor = await milliseconds(pictures.length, () => published.run(bare));
      const value = await milliseconds(pictures.length, async (i) => {
        seen[i] = await detector.look(pictures[i]!.picture);
      });
      rows.push(...cuts.flatMap((cut) => rowsOf(cut, pictures, seen, name)), {
        question: 'things',
        name: `processor time a frame${name}`,
        ...{ value, unit: 'ms', against: { name: 'the published graph alone', value: floor } },
        ratio: floor / value,
        goal: { of: 'value', at: 'most', than: 45 },
      });
    }
    return rows;
  } finally {
    await published.release();
    for (const { detector } of detectors) await detector.close();
  }
};

const options = { device: 'cpu', threads: 1, log: createLog('bench', () => {}) } as const;
const bare = {
  input_1: { data: new Float32Array(3 * detectorSide ** 2), dims: [1, 3, detectorSide, detectorSide] },
};

async function labelled(xml: string): Promise<Labelled> {
  const names = [...readFileSync(xml, 'utf8').matchAll(/<object>\s*<name>([^<]+)<\/name>/g)].map(
    ([, name = '']) => name,
  );
  const { data, info } = await sharp(xml.replace(/xml$/, 'jpg'))
    .rotate()
    .removeAlpha()
    .resize(detectorSide, detectorSide, { fit: 'inside' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  return { picture: { data, width, height }, classes: new Set(names.map((name) => vocNames[name] ?? name)) };
}

async function milliseconds(count: number, run: (i: number) => Promise<unknown>): Promise<number> {
  await run(0);
  const all = async () => {
    for (let i = 0; i < count; i++) await run(i);
  };
  return ((await processorSeconds(all)) / count) * 1000;
}

/** A tag is a class that a picture shows, however often. */
function rowsOf(
  cut: number,
  pictures: readonly Labelled[],
  seen: readonly (readonly Thing[])[],
  how: string,
): Row[] {
  let [right, told, there] = [0, 0, 0];
  for (const [i, { classes }] of pictures.entries()) {
    const all = seen[i]!.filter(({ score, class: name }) => score >= cut && marked.has(name));
    const tags = new Set<string>(all.map(({ class: name }) => name));
    told += tags.size;
    there += classes.size;
    right += [...tags].filter((tag) => classes.has(tag)).length;
  }
  const row = (name: string, value: number): Row => {
    return {
      question: 'things',
      name: `${name} from ${cut} on${how}`,
      value,
      unit: '',
      against: null,
      ratio: null,
      goal: null,
    };
  };
  return [row('tags that are right', right / told), row('tags that are found', right / there)];
}
