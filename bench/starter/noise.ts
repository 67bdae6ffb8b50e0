// Pieces of scenes out of fractal noise: skies, water, ground.
import type { Random } from '../diarization/random.ts';
import { type Drawing, SIDE } from './picture.ts';
import { clouds, type Grain, gradient, grain, hsl, lower } from './svg.ts';

export type Draw = (random: Random) => Drawing;
export type Tone = readonly [number, number, number];
export const scene = (svg: string, tags: readonly string[], maybe: readonly string[] = []): Drawing => ({
  svg,
  tags,
  maybe,
});
export const shifted = (tone: Tone, by: number): Tone => [tone[0] + by, tone[1] + by, tone[2] + by];
export const near = (random: Random, tone: Tone, by = 14): Tone => {
  const light = random.between(-by, by);
  return [tone[0] + light + random.between(-6, 6), tone[1] + light, tone[2] + light + random.between(-6, 6)];
};
export const soft = (tone: Tone, by: number): readonly Tone[] => [
  shifted(tone, -by),
  tone,
  shifted(tone, by),
];

export const day = (random: Random, cover = random.between(0, 0.5)) =>
  gradient([
    hsl(random.between(206, 220), random.between(45, 70), random.between(38, 56)),
    hsl(208, 50, random.between(72, 86)),
  ]) + clouds(random, SIDE, cover);
export const rough = (
  random: Random,
  outline: string,
  tone: Tone,
  by: number,
  options: Partial<Grain> = {},
) => grain(random, outline, { across: 0.05, down: 0.08, octaves: 4, colours: soft(tone, by), ...options });
export const water = (random: Random, y: number, tone: Tone) =>
  rough(random, lower(y), tone, 45, { across: 0.015, down: 0.13, octaves: 4, bumps: random.between(1, 3) });
export const seaTone = (random: Random): Tone =>
  near(random, random.below(2) ? [40, 92, 128] : [52, 104, 112], 10);
