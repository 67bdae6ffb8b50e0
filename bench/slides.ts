// How much faster a film of slides goes in than one whose picture is never the same: ten minutes of 20 slides
// against the same slides under grain, with a graph of the size of ViT-B/32; and slides that the encoder
// refines and codes anew with a keyframe every two seconds, with `reuse: near` against `off`. Processor time
// of the whole process, since it hardly depends on what else the machine does.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Reuse } from '../actors/analysis/stages/picture/kind.ts';
import { ingestAll, startedEngine } from './ingest.ts';
import { processorSeconds, type Question, type Row } from './row.ts';
import { writeFilm } from './samples/writer/film.ts';
import { sized } from './size.ts';
import { seeded } from './vectors.ts';
import { vitKey, writeVit } from './vit.ts';

const slides = 20;
const seconds = sized(600, 40);
const fps = 5;
const [width, height] = [640, 360];

export const slidesIngest: Question = async (say, home) => {
  const models = join(home, 'models');
  mkdirSync(models);
  await writeVit(models);
  const plain = await film(home, 'slides');
  const grainy = await film(home, 'grain', { grain: 12 });
  const refined = await film(home, 'refined', { keyframe: 2, preset: 'medium' });
  const engine = await startedEngine(home);
  try {
    say(`${seconds} s of ${slides} slides, the same under grain, and with more keyframes`);
    // Loads the model.
    await ingestAll(engine, home, [plain]);
    const taken = async (path: string, reuse: Reuse): Promise<Taken> => {
      let reused = 0;
      const cost = await processorSeconds(async () => {
        const [result] = await ingestAll(engine, home, [path], vitKey, reuse);
        reused = Number(result?.facts['frames_reused'] ?? 0);
      });
      return { cost, reused };
    };
    const [grain, same] = [await taken(grainy, 'exact'), await taken(plain, 'exact')];
    const [off, near] = [await taken(refined, 'off'), await taken(refined, 'near')];
    const exact = await taken(refined, 'exact');
    return [
      ...rows('slides', same, 'under grain', grain),
      ...rows('refined slides by near', near, 'off', off),
      share('refined slides by near', near, 'exact', exact),
    ];
  } finally {
    await engine.stop();
  }
};

interface Coding {
  /** Strength of the grain, levels of 255. */
  readonly grain?: number;
  /** Seconds from one to the next. */
  readonly keyframe?: number;
  readonly preset?: string;
}

/** Slides of bars of text, each for the same time. */
async function film(folder: string, name: string, coding: Coding = {}): Promise<string> {
  const { grain = 0, keyframe = 10, preset = 'veryfast' } = coding;
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
  const options = { preset, crf: '23', g: String(keyframe * fps) };
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

const of = { question: 'slides', goal: null } as const;

function rows(name: string, value: Taken, against: string, peer: Taken): Row[] {
  const cost: Row = {
    ...of,
    name: `processor time of ${seconds} s of ${name}`,
    value: value.cost,
    unit: 's',
    against: { name: against, value: peer.cost },
    ratio: peer.cost / value.cost,
  };
  return [cost, share(name, value, against, peer)];
}

function share(name: string, value: Taken, against: string, peer: Taken): Row {
  return {
    ...of,
    name: `share of frames that are not embedded again, ${name}`,
    value: value.reused / seconds,
    unit: '',
    against: { name: against, value: peer.reused / seconds },
    ratio: null,
  };
}
