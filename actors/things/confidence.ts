// How sure a detection is. A score means something else for each class: at .5 nearly every car is a car, and
// most laptops are pages of text. So each class has a bar of its own, calibrated on pictures and films of
// public repositories. How they were chosen, and how often they were right elsewhere, is in
// docs/measurements.md.
import type { ClassName } from './contract.ts';

/** Score from which four of five detections of the class are right. */
const bars = {
  person: 0.5,
  bicycle: 0.5,
  car: 0.5,
  bottle: 0.5,
  cup: 0.51,
  motorcycle: 0.53,
  'potted plant': 0.53,
  bus: 0.54,
  orange: 0.54,
  apple: 0.55,
  banana: 0.56,
  'dining table': 0.56,
  dog: 0.56,
  horse: 0.56,
  tie: 0.56,
  'sports ball': 0.57,
  'traffic light': 0.58,
  bed: 0.59,
  cake: 0.59,
  cat: 0.59,
  chair: 0.59,
  couch: 0.59,
  backpack: 0.6,
  bear: 0.6,
  bowl: 0.6,
  train: 0.6,
  'tennis racket': 0.63,
  'stop sign': 0.65,
  tv: 0.65,
  vase: 0.65,
  'cell phone': 0.66,
  truck: 0.66,
  suitcase: 0.67,
  bench: 0.68,
  scissors: 0.68,
  book: 0.69,
  clock: 0.69,
  laptop: 0.71,
  refrigerator: 0.71,
  frisbee: 0.72,
  bird: 0.72,
  airplane: 0.73,
  cow: 0.73,
  kite: 0.75,
} as const satisfies Partial<Record<ClassName, number>>;

/** Bar of a class of which fewer detections were judged. */
const otherBar = 0.65;
/** Added for a thing that stays for less than `shortStay` seconds of a film: more of those are wrong. */
const glimpsed = 0.1;
const shortStay = 3;
/** Added for what is claimed without reservation: 19 of 20 were right. */
const claimed = 0.13;

export interface ThingSighting {
  readonly class: ClassName;
  /** Best score over its frames, 0 to 1. */
  readonly score: number;
  /** Grid frames `[start, end)`, one for each second. */
  readonly start: number;
  readonly end: number;
}

/** A `weak` detection is shown only if somebody asks for weaker matches. */
export type DetectionConfidence = 'strong' | 'likely' | 'weak';

/** `gridFrames`: number of grid frames of the whole file; 1 for a still. */
export function confidenceOf(
  { class: name, score, start, end }: ThingSighting,
  gridFrames: number,
): DetectionConfidence {
  const bar = isMeasured(name) ? bars[name] : otherBar;
  const above = score - bar - (end - start < Math.min(shortStay, gridFrames) ? glimpsed : 0);
  if (above < 0) return 'weak';
  return above >= claimed && isMeasured(name) ? 'strong' : 'likely';
}

export function isSure(sighting: ThingSighting, gridFrames: number): boolean {
  return confidenceOf(sighting, gridFrames) !== 'weak';
}

/** At least three detections of the class were judged. */
export function isMeasured(name: ClassName): name is keyof typeof bars {
  return Object.hasOwn(bars, name);
}
