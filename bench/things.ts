// Are things found that people have marked, and what does a frame cost beside the bare run of the graph?
// Every object detector that is downloaded is measured. Pictures with annotations of PASCAL VOC (an .xml of
// the same name beside each .jpg) are read from the folder that FRAMEHOUND_BENCH_LABELLED names, models from
// the folder that FRAMEHOUND_BENCH_MODELS names, or from that of the home folder.
import { globSync, readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import sharp from 'sharp';
import type { ModelRow } from '../actors/models/contract.ts';
import { createModelLibrary } from '../actors/models/library.ts';
import { fileOf } from '../actors/models/registry.ts';
import { openSession } from '../actors/models/session.ts';
import type { Thing } from '../actors/things/contract.ts';
import { openDetector } from '../actors/things/detector.ts';
import { createLog } from '../runtime/log.ts';
import type { Picture } from '../runtime/picture.ts';
import { folders, settings } from '../settings.ts';
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
  readonly path: string;
  readonly classes: ReadonlySet<string>;
}

const log = createLog('bench', () => {});
const options = { device: 'cpu', threads: 1, log } as const;

export const things: Question = async (say) => {
  const modelsDir = resolve(
    process.env['FRAMEHOUND_BENCH_MODELS'] ?? folders({ home: settings.home.fallback, cache_dir: '' }).models,
  );
  const { models } = await createModelLibrary(modelsDir, { memoryBytes: totalmem(), graphics: false }).list();
  const rows = models.filter(({ row, downloaded }) => row.kind === 'object-detection' && downloaded);
  const folder = process.env['FRAMEHOUND_BENCH_LABELLED'] ?? '';
  if (rows.length === 0 || folder === '') {
    say(`needs an object detector in ${modelsDir}, and FRAMEHOUND_BENCH_LABELLED`);
    return [];
  }
  const pictures = globSync('**/*.xml', { cwd: folder })
    .sort()
    .slice(0, most)
    .map((path) => labelled(join(folder, path)));
  say(`${pictures.length} pictures`);
  const measured: Row[] = [];
  for (const { row } of rows) {
    say(row.key);
    measured.push(...(await measure(row, fileOf(modelsDir, row, 'graph'), pictures)));
  }
  return measured;
};

/** The names of rows say which detector only where it is not the usual one. */
async function measure(row: ModelRow, file: string, labels: readonly Labelled[]): Promise<Row[]> {
  const which = row.key === 'nanodet-416' ? '' : `, ${row.key}`;
  const published = await openSession(file, options);
  const open = (more: object) => openSession(file, { ...options, ...more });
  const exact = await openDetector(row, open, { multiplies: false, file });
  const quick = await openDetector(row, open, { file });
  const { side, fit } = exact.detector.family;
  const pictures: Picture[] = [];
  for (const { path } of labels) pictures.push(await pictureOf(path, side, fit));
  const input = { data: new Float32Array(3 * side ** 2), dims: [1, 3, side, side] };
  const bare = { [published.inputs[0]!.name]: input };
  const detectors = [
    { name: which, detector: exact.detector },
    ...(quick.eightBits === 'used' ? [{ name: `${which}, in eight bits`, detector: quick.detector }] : []),
  ];
  try {
    const rows: Row[] = [];
    for (const { name, detector } of detectors) {
      const detections: Thing[][] = [];
      // Neighbours, as others may use the machine meanwhile.
      const floor = await milliseconds(pictures.length, () => published.run(bare));
      const value = await milliseconds(pictures.length, async (i) => {
        detections[i] = await detector.look(pictures[i]!);
      });
      rows.push(...cuts.flatMap((cut) => rowsOf(cut, labels, detections, name)), {
        question: 'things',
        name: `processor time a frame${name}`,
        ...{ value, unit: 'ms', against: { name: 'the published graph alone', value: floor } },
        ratio: floor / value,
        goal: which === '' ? { of: 'value', at: 'most', than: 45 } : null,
      });
    }
    return rows;
  } finally {
    await published.release();
    for (const { detector } of [exact, quick]) await detector.close();
  }
}

function labelled(xml: string): Labelled {
  const names = [...readFileSync(xml, 'utf8').matchAll(/<object>\s*<name>([^<]+)<\/name>/g)].map(
    ([, name = '']) => name,
  );
  const classes = new Set(names.map((name) => vocNames[name] ?? name));
  return { path: xml.replace(/xml$/, 'jpg'), classes };
}

/** The picture as the analysis hands it to a detector. */
async function pictureOf(path: string, side: number, fit: 'inside' | 'stretch'): Promise<Picture> {
  const { data, info } = await sharp(path)
    .rotate()
    .removeAlpha()
    .resize(side, side, fit === 'stretch' ? { fit: 'fill', kernel: 'linear' } : { fit })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
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
  detections: readonly (readonly Thing[])[],
  how: string,
): Row[] {
  let [right, told, there] = [0, 0, 0];
  for (const [i, { classes }] of pictures.entries()) {
    const all = detections[i]!.filter(({ score, class: name }) => score >= cut && marked.has(name));
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
  return [row('tags that are right', told && right / told), row('tags that are found', right / there)];
}
