import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import sharp from 'sharp';
import type { PictureShape } from '../../../../actors/decoder/contract.ts';
import { filmBars } from '../../../../actors/decoder/frames/film-bars.ts';
import { writeFilm } from '../../../../bench/samples/writer/film.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { askFrames, askPicture, turnFor } from '../ask-decoder.ts';

const [width, height, fps, seconds] = [192, 144, 10, 12];
/** Lines of the bars above and below. */
const [above, below] = [24, 30];
const whole: PictureShape = { width: 96, height: 64, fit: 'stretch', resample: 'area' };
const shape: PictureShape = { ...whole, trim_bars: true };
const folder = temporaryFolder();

type Scene = (x: number, y: number) => readonly [number, number, number];
const waves =
  (shift: number): Scene =>
  (x, y) => [
    130 + 70 * Math.sin(x * 9 + shift),
    120 + 60 * Math.sin(y * 7 + shift),
    110 + 50 * Math.sin((x + y) * 5),
  ];
const night: Scene = (x, y) => (Math.hypot(x - 0.6, y - 0.4) < 0.12 ? [240, 220, 120] : [3, 3, 4]);
const black: Scene = () => [0, 0, 0];
const scenes: readonly Scene[] = [night, waves(0), waves(2), black, waves(4), night];

/** Two seconds each; `letters`: a subtitle in the lower bar of the third. */
async function film(name: string, shown: readonly Scene[], bars = true, letters = true): Promise<string> {
  const path = join(folder, name);
  const [top, bottom] = bars ? [above, below] : [0, 0];
  await writeFilm({
    path,
    picture: {
      width,
      height,
      frames: seconds * fps,
      frameRate: { num: fps, den: 1 },
      encoder: 'libx264',
      options: { preset: 'veryfast', crf: '16', g: '20', bf: '2' },
      draw: (n, rgb) => {
        const at = Math.floor(n / fps / 2) % shown.length;
        for (let y = 0; y < height; y++) {
          for (let x = 0; x < width; x++) {
            const inside = y >= top && y < height - bottom;
            const isLetter =
              letters && bars && at === 2 && y > height - 20 && y < height - 8 && x > 50 && x < 140;
            const [r, g, b] = inside
              ? shown[at]!(x / width, (y - top) / (height - top - bottom))
              : isLetter && x % 6 < 3
                ? [235, 235, 235]
                : [0, 0, 0];
            rgb.set([r!, g!, b!], (y * width + x) * 3);
          }
        }
      },
    },
  });
  return path;
}

function pictureOf(scene: Scene): Uint8Array {
  const rgb = new Uint8Array(whole.width * whole.height * 3);
  for (let y = 0; y < whole.height; y++) {
    for (let x = 0; x < whole.width; x++) {
      rgb.set(scene((x + 0.5) / whole.width, (y + 0.5) / whole.height), (y * whole.width + x) * 3);
    }
  }
  return rgb;
}

function difference(one: Uint8Array, other: Uint8Array): number {
  return one.reduce((sum, level, i) => sum + Math.abs(level - other[i]!), 0) / one.length;
}

test('every picture of a film loses the bars of the film, a dark scene too, and nothing else of it', async () => {
  const path = await film('bars.mp4', scenes);
  const got = await askFrames({ path, shape, further: [whole] });
  assert.equal(got.length, seconds);
  for (const { second, rgb, further } of got) {
    const scene = scenes[Math.floor(second / 2)]!;
    assert.ok(
      difference(rgb, pictureOf(scene)) < 9,
      `second ${second}: ${difference(rgb, pictureOf(scene))}`,
    );
    const rows = further[0]!.subarray(0, whole.width * 3 * 6);
    assert.ok(Math.max(...rows) < 20, 'a shape that does not ask for it keeps the bars');
  }
});

test('a pass from the middle on, key pictures and a single moment lose the same', async () => {
  const path = await film('bars.mp4', scenes);
  const all = await askFrames({ path, shape });
  const later = await askFrames({ path, shape, from: 7 });
  assert.deepEqual(
    later.map(({ rgb }) => rgb),
    all.slice(7).map(({ rgb }) => rgb),
  );
  const keys = await askFrames({ path, shape, mode: 'keyframes' });
  // There is a key picture every two seconds.
  for (const second of [0, 2, 4, 6]) assert.deepEqual(keys[second]!.rgb, all[second]!.rgb);
  const moment = await askPicture(path, 4, shape);
  assert.deepEqual(moment.rgb, all[4]!.rgb);
  assert.equal(moment.trimmed, true);
  const preview = await sharp(moment.preview!).metadata();
  assert.deepEqual([preview.width, preview.height], [width, height], 'a preview is the whole picture');
});

test('a film without bars, or black all through, has the same pictures as ever', async () => {
  const plain = await film('plain.mp4', scenes, false);
  const dark = await film('dark.mp4', [black, night], false);
  for (const path of [plain, dark]) {
    assert.equal(await filmBars(path, turnFor()), null);
    const [asked, kept] = [await askFrames({ path, shape }), await askFrames({ path, shape: whole })];
    assert.deepEqual(
      asked.map(({ rgb }) => rgb),
      kept.map(({ rgb }) => rgb),
    );
    assert.equal((await askPicture(path, 2, shape)).trimmed, false);
  }
});

test('what is wrong with a film is told by the pass, and a cancel ends the look for bars', async () => {
  const path = join(folder, 'no-film.mp4');
  await sharp({ create: { width: 8, height: 8, channels: 3, background: '#fff' } })
    .png()
    .toFile(`${path}.png`);
  assert.equal(await filmBars(join(folder, 'gone.mp4'), turnFor()), null);
  await assert.rejects(askFrames({ path: join(folder, 'gone.mp4'), shape }), /file not found/i);
  const turn = turnFor();
  turn.cancel();
  await assert.rejects(filmBars(await film('bars.mp4', scenes), turn), engineErrors.CANCELLED.is);
});

test('a still loses its own bars, in slots and as a stored preview, and says so', async () => {
  const rgb = pictureOf(waves(1));
  const raw = { width: whole.width, height: whole.height, channels: 3 } as const;
  const picture = sharp(await sharp(rgb, { raw }).resize(480, 320, { kernel: 'cubic' }).png().toBuffer());
  const path = join(folder, 'still.png');
  await picture.extend({ top: 60, bottom: 60, background: '#000' }).png().toFile(path);
  for (const fit of ['stretch', 'cover'] as const) {
    const got = await askPicture(path, 0, { ...shape, fit });
    assert.equal(got.trimmed, true);
    assert.ok(difference(got.rgb, rgb) < 6, `${fit}: ${difference(got.rgb, rgb)}`);
  }
  const kept = await askPicture(path, 0, whole);
  assert.equal(kept.trimmed, false);
  assert.ok(difference(kept.rgb, rgb) > 20);
});
