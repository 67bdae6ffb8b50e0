// Recorded footage with a title over it: decoded, read by the published model where it has changed, and
// joined over seconds.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import sharp from 'sharp';
import { Appearances, inOrder } from '../../../../../actors/analysis/stages/text/stage.ts';
import { openSession } from '../../../../../actors/models/session.ts';
import { shownScore, type TextReading } from '../../../../../actors/text-reader/contract.ts';
import { PaddleReader } from '../../../../../actors/text-reader/model.ts';
import { readPicture } from '../../../../../actors/text-reader/reading.ts';
import { writeFilm } from '../../../../../bench/samples/writer/film.ts';
import { createLog } from '../../../../../runtime/log.ts';
import { sharedPath, skipWithout } from '../../../../shared.ts';
import { temporaryFolder } from '../../../../temporary-folder.ts';
import { askFrames } from '../../../decoder/ask-decoder.ts';

const [width, height] = [960, 540];
const shape = { width, height, fit: 'stretch', resample: 'area' } as const;
const footage = 'media/video/car-detection.mp4';
const weights = 'weights/pp-ocr-v4';
const skip = skipWithout(footage, weights);

/** The footage of each second with the title of that second, through a codec. */
async function titled(path: string, titles: readonly (string | null)[]): Promise<void> {
  const moving = await askFrames({ path: sharedPath(footage), shape });
  const pictures = await Promise.all(
    titles.map(async (title, second) => {
      const picture = sharp(moving[second]!.rgb, { raw: { width, height, channels: 3 } });
      const svg = `<svg width="${width}" height="${height}"><rect x="50" y="430" width="520" height="60" fill="#024"/>
        <text x="70" y="472" font-size="34" font-family="DejaVu Sans" fill="#fff">${title}</text></svg>`;
      const shown = title === null ? picture : picture.composite([{ input: Buffer.from(svg) }]);
      return shown.removeAlpha().raw().toBuffer();
    }),
  );
  await writeFilm({
    path,
    picture: {
      ...{ width, height, frames: titles.length, frameRate: { num: 1, den: 1 } },
      ...{ encoder: 'libx264', options: { crf: '26', preset: 'veryfast' } },
      draw: (n, rgb) => void rgb.set(pictures[n]!),
    },
  });
}

test('a title over moving footage is found with its seconds', { skip }, async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'film.mp4');
  await titled(path, [null, 'Greta Assistant', 'Greta Assistant', 'Marco Council', 'Marco Council', null]);
  const file = (name: string) => sharedPath(join(weights, name));
  const log = createLog('test', () => {});
  const reader = await PaddleReader.open(
    {
      detector: file('ch_PP-OCRv4_det_infer.onnx'),
      recognizer: file('ch_PP-OCRv4_rec_infer.onnx'),
      dictionary: file('ppocr_keys_v1.txt'),
    },
    (source) => openSession(source, { device: 'cpu', threads: 1, log }),
    async () => {},
  );
  t.after(() => reader.close());
  const appearances = new Appearances();
  let before: TextReading | null = null;
  for (const [second, { rgb }] of (await askFrames({ path, shape })).entries()) {
    const run = <T>(work: (one: PaddleReader) => Promise<T>) => work(reader);
    const options = { side: 640, before, checkpoint: async () => {}, run };
    const { reading } = await readPicture({ data: rgb, width, height }, options);
    appearances.add(second, reading.lines);
    before = reading;
  }
  const lines = inOrder(appearances.finish()).filter(({ score }) => score >= shownScore);
  assert.deepEqual(
    lines.map(({ text, start, end }) => [text, start, end]),
    [
      ['Greta Assistant', 1, 3],
      ['Marco Council', 3, 5],
    ],
  );
});
