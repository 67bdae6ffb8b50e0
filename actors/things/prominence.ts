// How well a frame shows a thing, for the choice of the picture that stands for a whole scene.
import type { Thing } from './contract.ts';

/** Share of the picture from which on a thing is recognized at a glance. */
const large = 0.25;
/** Distance from the edge of the picture, as a share of its side, at which a thing counts as cut off. */
const edge = 0.01;
/** Factor for the prominence of a thing that is cut off. */
const cutOff = 0.5;

/** 0 to 1: of something certain, large and whole it is 1. What fills the picture touches its edges anyway. */
export function prominenceOf({ score, box }: Pick<Thing, 'score' | 'box'>): number {
  const [left, top, width, height] = box;
  const area = width * height;
  const isCut = left < edge || top < edge || left + width > 1 - edge || top + height > 1 - edge;
  return score * Math.min(1, Math.sqrt(area / large)) * (isCut && area < large ? cutOff : 1);
}
