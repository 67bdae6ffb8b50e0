// How sure a match is: bands by how far its scores stand out from the library's own background.
//
// A score of words is strong when it is far above the usual score of the library (`above`) and more usual
// distances from it than the largest of so many scores would be by chance: the largest of n normal values
// lies near √(2 ln n) deviations. So a library of 360,000 frames asks for more than one of 400, and one of
// few frames, or of frames all alike, has no strong ones. What a library is mostly of does not stand out of
// it.
//
// Where a query asks for several things, each has to be there by itself, and what is not to be there must not
// be: the sum of both may as well be one of them alone. What is excluded takes from every part what it takes
// from the score. A word that is not understood may be the one that matters, and one that was measured to
// find other things too often claims nothing, so a query with such a word has only weak matches.
import type { TextPart } from '../../embedder/contract.ts';
import type { Background, Standing } from '../../index/visual/contract.ts';
import { type Band, type Explanation, bandOrder as order } from './contract.ts';

interface Bar {
  /** Least distance of a score above the background. */
  readonly above: number;
  /** The same in deviations of the background, beyond chance for `strong`. */
  readonly deviations: number;
}

/** Bars of texts: a score has no scale of its own, so its position among the others counts. */
interface TextBars {
  readonly strong: Bar;
  readonly likely: Bar;
}

/**
 * Bars of pictures: 1 is the same picture, so the score itself counts, and its distance `above` the
 * background.
 */
export interface PictureBars {
  readonly strong: number;
  readonly likely: number;
  readonly above: number;
}

interface ModelBars {
  readonly text: TextBars;
  readonly picture: PictureBars;
  /** Upper bound above the background for content that must be absent. */
  readonly absent: number;
}

export const alike: PictureBars = { strong: 0.9, likely: 0.8, above: 0.2 };

/** Chosen on half of the material, measured on the other: `npm run bench -- explain`, decision 35. */
const measured: Readonly<Record<string, ModelBars>> = {
  'starter-visual-3': {
    text: { strong: { above: 0.13, deviations: 4 }, likely: { above: 0.1, deviations: 1 } },
    picture: alike,
    absent: 0.06,
  },
};

/** Not measured: chosen so that few are strong. */
const others: ModelBars = {
  text: { strong: { above: 0.05, deviations: 4 }, likely: { above: 0.02, deviations: 3 } },
  picture: alike,
  absent: 0.02,
};

/** With fewer frames nobody knows what is usual. */
export const fewFrames = 64;
/** Below this, frames are alike, and distances of it are noise. */
const leastDeviation = 0.01;

export interface Explained {
  readonly model_key: string;
  readonly words: {
    readonly parts: readonly Omit<TextPart, 'vector'>[];
    readonly unknown: readonly string[];
    readonly weak: readonly string[];
    readonly understoodExcluded: readonly boolean[];
  };
  readonly exclude: readonly string[];
  /** Null where the query names no things. */
  readonly things: {
    /** For each match how sure it is that it shows them; null where no detector has seen them in it. */
    readonly bands: readonly (Band | null)[];
    /** The visual model knows no things: what no detector has seen is not there. */
    readonly isLimited: boolean;
  } | null;
}

type Scores = NonNullable<Standing['scores'][number]>;

/** For each match that was asked for; nothing is known of one that is null. */
export function explanations(explained: Explained, standing: Standing): Explanation[] {
  const { things } = explained;
  return standing.scores.map((scores, i) => {
    const visual = explanation(explained, standing, scores);
    return things === null ? visual : withThings(visual, things.bands[i] ?? null, things.isLimited);
  });
}

function withThings({ band, parts }: Explanation, things: Band | null, isLimited: boolean): Explanation {
  const allParts: Explanation['parts'] = [{ part: 'things', band: things ?? 'weak' }, ...parts];
  if (!isLimited) return { band: things === null ? band : highest(band, things), parts: allParts };
  const isAlone = parts.every(({ part }) => part === 'exclude');
  return { band: isAlone ? (things ?? 'weak') : lowest([band, things ?? 'weak']), parts: allParts };
}

function explanation(explained: Explained, standing: Standing, scores: Scores | null): Explanation {
  const excluded = excludedParts(explained, scores?.lowered ?? []);
  if (scores === null) return { band: 'weak', parts: [...textPart(notUnderstood(explained)), ...excluded] };
  const text = textBand(explained, standing, scores, 0);
  const picture = pictureBand(explained, standing, scores, 0);
  const lowered = [textBand, pictureBand].flatMap((of) => of(explained, standing, scores, scores.lost) ?? []);
  return {
    band: lowest(lowered),
    parts: [
      ...textPart(text),
      ...(picture ? [{ part: 'picture' as const, band: picture }] : []),
      ...excluded,
    ],
  };
}

function textPart(band: Band | null): Explanation['parts'] {
  return band ? [{ part: 'text', band }] : [];
}

/** Null where every word is. */
function notUnderstood({ words }: Pick<Explained, 'words'>): Band | null {
  return words.unknown.length > 0 ? 'weak' : null;
}

/** `lowered`: by each of those that are understood. */
function excludedParts({ words, exclude }: Explained, lowered: readonly boolean[]): Explanation['parts'] {
  let at = 0;
  return exclude.map((text, i) => {
    const isLowered = words.understoodExcluded[i] === true && lowered[at++] === true;
    return { part: 'exclude', text, effect: isLowered ? 'lowered' : 'none' };
  });
}

/** `lost`: taken from each score. */
function textBand(
  explained: Explained,
  { frames, background }: Standing,
  scores: Scores,
  lost: number,
): Band | null {
  const { model_key, words } = explained;
  const unread = notUnderstood(explained);
  if (unread) return unread;
  if (scores.text === null || background.text === null) return null;
  const { text: bars, absent } = barsOf(model_key);
  const { parts } = words;
  if (parts.some(({ negated, is_weak }) => is_weak && !negated)) return 'weak';
  const band = (score: number, usual: Background) => bandOfWords(score - lost, usual, bars, frames);
  const each = parts.flatMap(({ negated }, i) => {
    const [score, usual] = [scores.words[i]!, background.words[i]!];
    if (!negated) return [band(score, usual)];
    return score - usual.centre < absent ? [] : ['likely' as const];
  });
  const areNegated = parts.every(({ negated }) => negated);
  // A detection is as sure as its score, unless the picture shows excluded content.
  if (areNegated && explained.things?.isLimited) {
    const isUnwanted = (_: unknown, i: number) =>
      bandOfWords(scores.words[i]!, background.words[i]!, bars, frames) !== 'weak';
    return lowest(parts.some(isUnwanted) ? ['weak'] : each);
  }
  const isOne = areNegated || parts.length === 1;
  const isSure = words.weak.length === 0 && parts.every(({ is_sure }) => is_sure);
  const isWanted = parts.length === 0 || parts.some(({ negated }) => !negated);
  return lowest([
    ...(isOne
      ? [
          believed(
            band(scores.text, background.text),
            parts.every(({ negated, is_sure }) => negated || is_sure),
          ),
        ]
      : each),
    ...(isSure && isWanted ? [] : ['likely' as const]),
  ]);
}

/** A word that was not measured is one step less sure. */
function believed(band: Band, isSure: boolean): Band {
  if (isSure) return band;
  return band === 'strong' ? 'likely' : 'weak';
}

function pictureBand(
  { model_key }: Explained,
  { frames, background }: Standing,
  scores: Scores,
  lost: number,
): Band | null {
  if (scores.picture === null || background.picture === null) return null;
  const { strong, likely, above } = barsOf(model_key).picture;
  const score = scores.picture - lost;
  if (score < likely || score - background.picture.centre < above) return 'weak';
  return score >= strong && frames >= fewFrames ? 'strong' : 'likely';
}

function barsOf(model_key: string): ModelBars {
  return Object.hasOwn(measured, model_key) ? measured[model_key]! : others;
}

function bandOfWords(score: number, { centre, deviation }: Background, bars: TextBars, frames: number): Band {
  const above = score - centre;
  const deviations = above / Math.max(leastDeviation, deviation);
  const reaches = (bar: Bar, chance: number) => above >= bar.above && deviations >= bar.deviations + chance;
  if (frames >= fewFrames && reaches(bars.strong, largestByChance(frames))) return 'strong';
  return reaches(bars.likely, 0) ? 'likely' : 'weak';
}

/** Deviations of the largest of so many values, when they are normal. */
function largestByChance(count: number): number {
  return Math.sqrt(2 * Math.log(Math.max(1, count)));
}

/** Strong of none. */
function lowest(bands: readonly Band[]): Band {
  return order[Math.min(order.length - 1, ...bands.map((band) => order.indexOf(band)))]!;
}

function highest(a: Band, b: Band): Band {
  return order.indexOf(a) > order.indexOf(b) ? a : b;
}
