// In which seconds of a film the things are seen that a question names, and how sure that is. Pure.
import { type Box, overlap } from '../../../runtime/picture.ts';
import { confidenceOf, type DetectionConfidence } from '../../things/confidence.ts';
import { prominenceOf } from '../../things/prominence.ts';
import type { ThingTrack } from '../../things/tracks.ts';
import type { ThingTerm } from './contract.ts';
import type { SizedShot } from './stored-shots.ts';

/** Grid frames `[start, end)` in which all is as it was asked for. */
export interface ThingMoment {
  readonly start: number;
  readonly end: number;
  /** Score of the weakest term, 0 to 1. */
  readonly score: number;
  /** The frame that shows it best. */
  readonly best: number;
  /** How well that frame shows it, to be compared with others. */
  readonly prominence: number;
}

/** The part of a moment. Where its best frame is not in it, nobody knows how well another one shows it. */
export function partOf<M extends ThingMoment>(moment: M, start: number, end: number): M {
  const best = Math.min(end - 1, Math.max(start, moment.best));
  const prominence = best === moment.best ? moment.prominence : moment.prominence / 2;
  return { ...moment, start, end, best, prominence };
}

export interface SureMoment extends ThingMoment {
  readonly confidence: DetectionConfidence;
}

/** Facts about a film beside the tracks of the detector. */
interface OtherSights {
  readonly shots?: readonly SizedShot[];
  /** Somebody was recognized. */
  readonly people?: readonly ThingMoment[];
}

/** A colour that is less of a thing than this is not what a person calls it by. */
const leastColour = 0.2;
/** Shares of the picture's area: a thing this large is close, one this small is far away. */
const [close, far] = [0.35, 0.03];

/** Grid frames of the film, and how sure it is that they are as asked for. */
export function sureMomentsOf(
  tracks: readonly ThingTrack[],
  terms: readonly ThingTerm[],
  frames: number,
  sights: OtherSights = {},
): SureMoment[] {
  const confidences = new Map(tracks.map((track) => [track, confidenceOf(track, frames)]));
  const ofAtLeast = (least: readonly DetectionConfidence[]) => {
    const sure = tracks.filter((track) => least.includes(confidences.get(track)!));
    return momentsOf(sure, terms, frames, { ...sights, isSure: true });
  };
  const all = momentsOf(tracks, terms, frames, sights);
  if (all.length === 0) return [];
  // Less certain detections must not contradict it: a possible third dog, or a cat that was excluded.
  const likely = both(all, ofAtLeast(['likely', 'strong']));
  const strong = both(likely, ofAtLeast(['strong']));
  const as = (confidence: DetectionConfidence) => (moment: ThingMoment) => ({ ...moment, confidence });
  return [
    ...strong.map(as('strong')),
    ...without(likely, strong).map(as('likely')),
    ...without(all, likely).map(as('weak')),
  ].sort((a, b) => a.start - b.start);
}

/**
 * `frames`: of the film. Ascending; what is asked for is wanted of each, and nothing of a question without
 * terms.
 */
export function momentsOf(
  tracks: readonly ThingTrack[],
  terms: readonly ThingTerm[],
  frames: number,
  { shots = [], people = [], isSure = false }: OtherSights & { readonly isSure?: boolean } = {},
): ThingMoment[] {
  if (terms.length === 0) return [];
  const prominence = Number.POSITIVE_INFINITY;
  let moments: ThingMoment[] = [{ start: 0, end: frames, score: 1, best: 0, prominence }];
  for (const term of terms) {
    if (moments.length === 0) return [];
    const shown = momentsOfTerm(tracks, term, { shots, people, isSure });
    moments = term.negated ? without(moments, shown) : both(moments, shown);
  }
  return moments;
}

function momentsOfTerm(
  tracks: readonly ThingTrack[],
  term: ThingTerm,
  { shots, people, isSure }: Required<OtherSights> & { readonly isSure: boolean },
): ThingMoment[] {
  const suitable = () => tracks.filter((track) => suits(track, term));
  const sightings = () => {
    if (!isCounted(term)) return shownBy(suitable(), term.count);
    return shownBy(
      isSure && term.count.most !== null ? suitable().filter(isCountable) : suitable(),
      term.count,
      {
        mostShared: isSure ? mostShared : 1,
      },
    );
  };
  if (term.shot === null) {
    const all = sightings();
    // Somebody who was recognized is a person, whether the detector saw one or not.
    const others = isPlain(term) && term.classes.includes('person') ? without(people, all) : [];
    return others.length === 0 ? all : [...all, ...others].sort((a, b) => a.start - b.start);
  }
  const sized = shots.flatMap(({ size, ...moment }) =>
    size === term.shot ? [{ ...moment, prominence: moment.score }] : [],
  );
  // A face that fills the picture is a person, whether the detector of things saw one or not.
  return isPlain(term) ? sized : both(sized, sightings());
}

const isCounted = ({ count }: ThingTerm) => count.least > 1 || count.most !== null;

/**
 * An exact number is believed of things that are surely seen and not small: of 17 such pictures with two or
 * three, none had fewer and 13 exactly as many; of all with two or three boxes 22 of 39.
 */
function isCountable({ score, box }: ThingTrack): boolean {
  return score >= 0.6 && box[2] * box[3] >= 0.05;
}

/** A box that lies in another one by so much of its area shows the same thing: a face and its body. */
const sameThing = 0.6;
/** Boxes that share more may be one thing or two. */
const mostShared = 0.45;

/** Area that both share, as a part of the smaller one. */
function sharedPart(a: Box, b: Box): number {
  const [areaA, areaB] = [a[2] * a[3], b[2] * b[3]];
  const union = overlap(a, b);
  return Math.min(1, ((union / (1 + union)) * (areaA + areaB)) / Math.min(areaA, areaB));
}

function distinct(tracks: readonly ThingTrack[]): ThingTrack[] {
  const distinctTracks: ThingTrack[] = [];
  for (const track of tracks.toSorted((a, b) => b.score - a.score))
    if (distinctTracks.every(({ box }) => sharedPart(box, track.box) < sameThing)) distinctTracks.push(track);
  return distinctTracks;
}

/** Nothing is asked of what it names but that it is there. */
function isPlain({ colours, place, size, count }: ThingTerm): boolean {
  return colours.length === 0 && place === null && size === null && count.least === 1 && count.most === null;
}

/** Tracks in a frame that a wanted term is about, best first. */
export function seenAt(
  tracks: readonly ThingTrack[],
  terms: readonly ThingTerm[],
  frame: number,
): ThingTrack[] {
  const positiveTerms = terms.filter(({ negated }) => !negated);
  const here = tracks.filter(({ start, end }) => start <= frame && frame < end);
  return here
    .filter((track) => positiveTerms.some((term) => suits(track, term)))
    .sort((a, b) => b.score - a.score);
}

function suits(track: ThingTrack, { classes, colours, place, size }: ThingTerm): boolean {
  const isClass = classes.includes(track.class);
  const isColoured =
    colours.length === 0 ||
    track.colours.some((entry) => entry.share >= leastColour && colours.includes(entry.colour));
  return (
    isClass && isColoured && (place === null || isAt(track, place)) && (size === null || isOf(track, size))
  );
}

function isAt(
  { box: [left, top, width, height] }: ThingTrack,
  place: NonNullable<ThingTerm['place']>,
): boolean {
  const [x, y] = [left + width / 2, top + height / 2];
  const at = { left: x < 0.45, right: x > 0.55, top: y < 0.45, bottom: y > 0.55 };
  return place === 'centre' ? Math.abs(x - 0.5) < 0.2 && Math.abs(y - 0.5) < 0.25 : at[place];
}

function isOf({ box }: ThingTrack, size: NonNullable<ThingTerm['size']>): boolean {
  const area = box[2] * box[3];
  return size === 'close' ? area >= close : area <= far;
}

/**
 * When at least and at most as many of the tracks are seen at once. `mostShared`: of two boxes that are
 * counted.
 */
function shownBy(
  tracks: readonly ThingTrack[],
  { least, most }: ThingTerm['count'],
  counted: { readonly mostShared: number } | null = null,
): ThingMoment[] {
  const times = [...new Set(tracks.flatMap(({ start, end }) => [start, end]))].sort((a, b) => a - b);
  const moments: ThingMoment[] = [];
  const coming = tracks.toSorted((a, b) => a.start - b.start);
  let [next, here]: [number, ThingTrack[]] = [0, []];
  for (let i = 0; i + 1 < times.length; i++) {
    const [start, end] = [times[i]!, times[i + 1]!];
    // A film may have thousands, of which few are seen at once.
    here = here.filter((track) => track.end > start);
    for (; coming[next] && coming[next]!.start <= start; next++) here.push(coming[next]!);
    const visibleTracks = counted === null ? here : distinct(here);
    if (visibleTracks.length < Math.max(1, least) || (most !== null && visibleTracks.length > most)) continue;
    if (counted !== null && share(visibleTracks, counted.mostShared)) continue;
    // The weakest of the things that are asked for decides.
    const weakest = visibleTracks.toSorted((a, b) => b.score - a.score)[Math.max(1, least) - 1]!;
    const sights = (least > 1 ? [weakest] : visibleTracks).map((track) => sightOf(track, start, end));
    const sight = sights.reduce((a, b) => (b.prominence > a.prominence ? b : a));
    moments.push({ ...sight, score: weakest.score });
  }
  return moments;
}

function sightOf(track: ThingTrack, start: number, end: number): ThingMoment {
  const { score, best } = track;
  return partOf({ start, end, score, best, prominence: prominenceOf(track) }, start, end);
}

/** True if two of the boxes share more than `most` of the smaller one. */
function share(tracks: readonly ThingTrack[], most: number): boolean {
  return tracks.some(({ box }, i) =>
    tracks.some((otherTrack, j) => j < i && sharedPart(box, otherTrack.box) > most),
  );
}

function both(some: readonly ThingMoment[], others: readonly ThingMoment[]): ThingMoment[] {
  const moments: ThingMoment[] = [];
  for (const a of some) {
    for (const b of others) {
      const [start, end] = [Math.max(a.start, b.start), Math.min(a.end, b.end)];
      if (start >= end) continue;
      const [partOfA, partOfB] = [partOf(a, start, end), partOf(b, start, end)];
      // The less prominent one decides, since the other one is in more frames.
      const sight = partOfA.prominence < partOfB.prominence ? partOfA : partOfB;
      moments.push({ ...sight, score: Math.min(a.score, b.score) });
    }
  }
  return moments.sort((a, b) => a.start - b.start);
}

/** Both ascend, and what is in one of them does not overlap. */
function without(some: readonly ThingMoment[], others: readonly ThingMoment[]): ThingMoment[] {
  const moments: ThingMoment[] = [];
  let first = 0;
  for (const moment of some) {
    while (first < others.length && others[first]!.end <= moment.start) first++;
    let from = moment.start;
    const add = (start: number, end: number) => {
      if (start < end) moments.push(partOf(moment, start, end));
    };
    for (let at = first; at < others.length && others[at]!.start < moment.end; at++) {
      add(from, others[at]!.start);
      from = Math.max(from, others[at]!.end);
    }
    add(from, moment.end);
  }
  return moments;
}
