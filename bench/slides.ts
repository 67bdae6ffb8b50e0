// How much faster a film of slides goes in than one whose picture is never the same: ten minutes of 20 slides
// against the same slides under grain, with a graph of the size of ViT-B/32. Processor time of the whole
// process, since it hardly depends on what else the machine does.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ingestAll, startedEngine } from './ingest.ts';
import { processorSeconds, type Question, type Row } from './row.ts';
import { writeFilm } from './samples/writer/film.ts';
import { sized } from './size.ts';
import { seeded } from './vectors.ts';
import { writeVit } from './vit.ts';

const slides = 20;
const seconds = sized(600, 40);
const fps = 5;
const [width, height] = [640, 360];

export const slidesIngest: Question = async (say, home) => {
  const models = join(home, 'models');
  mkdirSync(models);
  await writeVit(models);
  const plain = await film(home, 'slides', 0);
  const grainy = await film(home, 'grain', 12);
  const engine = await startedEngine(home);
  try {
    say(`${seconds} s of ${slides} slides, and the same under grain`);
    // Loads the model.
    await ingestAll(engine, home, [plain]);
    const taken: Record<string, { cost: number; reused: number }> = {};
    for (const path of [grainy, plain]) {
      let reused = 0;
      const cost = await processorSeconds(async () => {
        const [result] = await ingestAll(engine, home, [path]);
        reused = Number(result?.facts['frames_reused'] ?? 0);
      });
      taken[path] = { cost, reused };
    }
    return rows(taken[plain]!, taken[grainy]!);
  } finally {
    await engine.stop();
  }
};

/** Slides of bars of text, each for the same time; a keyframe every ten seconds. */
async function film(folder: string, name: string, grain: number): Promise<string> {
  const path = join(folder, `${name}.mp4`);
  const [layout, noise] = [seeded(7), seeded(8)];
  const frames = seconds * fps;
  const shown = new Uint8Array(width * height * 3);
  const draw = (n: number, rgb: Uint8Array) => {
    if (n % (frames / slides) === 0) drawSlide(shown, layout);
    rgb.set(shown);
    if (grain === 0) return;
    for (let at = 0; at < rgb.length; at++) rgb[at] = rgb[at]! + noise() * grain;
  };
  const frameRate = { num: fps, den: 1 };
  const options = { preset: 'veryfast', crf: '23', g: String(10 * fps) };
  const picture = { width, height, frames, frameRate, encoder: 'libx264', options, draw };
  await writeFilm({ path, picture });
  return path;
}

/** `random`: −0.5 to 0.5. */
function drawSlide(rgb: Uint8Array, random: () => number): void {
  rgb.fill(235);
  const line = height / 12;
  for (let row = 1; row < 11; row++) {
    const [from, length] = [0.08 * width, (0.5 + random() * 0.7) * width * 0.8];
    const colour = [0, 0, 0].map(() => 80 + random() * 120);
    for (let y = Math.round(row * line); y < (row + 0.6) * line; y++) {
      for (let x = Math.round(from); x < from + length; x++) {
        if (((x >> 3) + row) % 5 > 0) rgb.set(colour, (y * width + x) * 3);
      }
    }
  }
}

type Taken = Readonly<Record<'cost' | 'reused', number>>;

function rows(plain: Taken, grainy: Taken): Row[] {
  const question = 'slides';
  const of = { question, goal: null } as const;
  const share = (reused: number) => reused / seconds;
  return [
    {
      ...of,
      name: `processor time of ${seconds} s of slides`,
      value: plain.cost,
      unit: 's',
      against: { name: 'under grain', value: grainy.cost },
      ratio: grainy.cost / plain.cost,
    },
    {
      ...of,
      name: 'share of frames that are not embedded again',
      value: share(plain.reused),
      unit: '',
      against: { name: 'under grain', value: share(grainy.reused) },
      ratio: null,
    },
  ];
}
