// How near are the vectors of stored previews to those of the films and stills that they were made of? The
// way of the product, with the model that needs no download: samples, recorded media where they are, and the
// folder that FRAMEHOUND_BENCH_FOOTAGE names.
import { existsSync, globSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { isMediaName } from '../actors/decoder/media-names.ts';
import { defaultModelKey } from '../actors/models/rows/list.ts';
import { sharedPath } from '../test/shared.ts';
import { type Bench, type Decoder, startBench } from './actors.ts';
import { median, type Question, type Row } from './row.ts';
import { sized } from './size.ts';

const model_key = defaultModelKey;
/** Previews as the settings make them. */
const preview = { max_side: 640, quality: 80 };
/** Pictures by which black bars are told, and pictures of one message. */
const [barPictures, page] = [12, 16];
const most = sized(Number.POSITIVE_INFINITY, 4);

export const previewVectors: Question = async (say) => {
  const bench = startBench(16, 512 * 512 * 3);
  try {
    const compare = await comparison(bench);
    const all: number[] = [];
    for (const path of media().slice(0, most)) {
      const cosines = await compare(path).catch((error: Error) => {
        say(`${basename(path)}: ${error.message}`);
        return [];
      });
      if (cosines.length === 0) continue;
      say(`${basename(path)}: ${cosines.length}, least ${Math.min(...cosines).toFixed(4)}`);
      all.push(...cosines);
    }
    const row = (name: string, value: number): Row => {
      const alone = { against: null, ratio: null, goal: null };
      return {
        question: 'preview-vectors',
        name: `${name} of ${all.length} pictures`,
        value,
        unit: '',
        ...alone,
      };
    };
    return [row('least cosine', Math.min(...all)), row('median cosine', median(all))];
  } finally {
    await bench.stop();
  }
};

function media(): string[] {
  const samples = join(import.meta.dirname, '../actors/samples/media');
  const recorded = ['video', 'faces', 'images', 'odd'].map((name) => sharedPath(`media/${name}`));
  const ownFootage = process.env['FRAMEHOUND_BENCH_FOOTAGE'];
  const folders = [samples, ...recorded, ...(ownFootage ? [ownFootage] : [])].filter((folder) =>
    existsSync(folder),
  );
  return folders
    .flatMap((folder) => globSync('**/*', { cwd: folder }).map((name) => join(folder, name)))
    .filter(isMediaName);
}

/** The cosines of one file, a picture each. */
async function comparison(bench: Bench): Promise<(path: string) => Promise<number[]>> {
  const [decoder] = (await bench.decoders(1)) as [Decoder];
  const settings = { modelsDir: tmpdir(), device: 'cpu', threads: 1, defaultModel: model_key };
  const embedder = await bench.embedder(settings);
  const { shape } = await embedder.ask('load', { model_key });
  const credit = { credit: 2 };
  return async (path) => {
    const pictureVectors: Float32Array[] = [];
    const frames: { frame_index: number; jpeg: Uint8Array<ArrayBuffer> }[] = [];
    const request = { path, shape, preview, mode: 'exact', from_frame: 0 } as const;
    for await (const frame of decoder.feed('frames', request, credit)) {
      const slots = [frame.picture];
      pictureVectors.push(
        (await embedder.ask('pictures', { model_key, pictures: slots }, { slots })).vectors.slice(),
      );
      frames.push({ frame_index: frame.frame_index, jpeg: new Uint8Array(frame.preview!) });
    }
    const count = Math.min(barPictures, frames.length);
    const spread = Array.from({ length: count }, (_, i) => Math.floor(((i + 0.5) * frames.length) / count));
    const jpegs = spread.map((at) => frames[at]!.jpeg);
    const bars = frames.length > 1 ? await decoder.ask('stored_bars', { jpegs }) : {};
    const cosines: number[] = [];
    for (let at = 0; at < frames.length; at += page) {
      const stored = { frames: frames.slice(at, at + page), shape, preview: false, ...bars };
      for await (const { picture } of decoder.feed('stored_frames', stored, credit)) {
        const slots = [picture];
        const { vectors } = await embedder.ask('pictures', { model_key, pictures: slots }, { slots });
        cosines.push(cosine(pictureVectors[cosines.length]!, vectors));
      }
    }
    return cosines;
  };
}

/** Cosine of two vectors of length 1. */
function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0);
}
