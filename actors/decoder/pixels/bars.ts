// Black bars around a picture: what a film of one shape has when it is stored in another.
//
// A bar is black but for little (a subtitle, a logo) and ends in a straight edge: along most of it, black
// turns into picture at the same line. That edge is what tells a bar from a dark scene, where nothing ends
// so. Bars may be of different height. Only black counts: white margins are as often a page, snow or a
// product before a wall, and belong to the picture.

/** Shares of the picture, of its width at the sides and of its height above and below; as shown, upright. */
export interface Bars {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** How bright each pixel is, in rows: the brightest of its channels, since dark blue is not black. */
export interface Levels {
  readonly levels: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/**
 * Brightest level, of 255, of a bar: black of a broadcast that was not expanded, with a little light from a
 * scan.
 */
const brightestBar = 40;
/** A pixel this much above the level of its bar is not bar any more, by noise of coding. */
const tolerance = 16;
/** A pixel this much above the level of the bar is picture. */
const step = 26;
/** Share of the edge along which black turns into picture. */
const leastEdge = 0.5;
/** Share of the outermost lines, and of the whole bar, that is black. */
const [blackOutside, blackWithin] = [0.97, 0.85];
/** Shares of an axis: less is no bar, and more leaves no picture. */
const [leastBar, mostBars] = [0.01, 0.7];
/** A wide one beside one that is so much narrower, or none, is a stripe, the ground, or a thing on black. */
const [mostAlone, mostTimes] = [0.15, 4];
/** Lines within which an edge that coding has blurred turns into picture, as a share of the axis. */
const edgeWidth = 0.012;

/** `rgb`: width×height×3 bytes. */
export function levelsOf(rgb: Uint8Array, width: number, height: number): Levels {
  const levels = new Uint8Array(width * height);
  for (let i = 0, at = 0; i < levels.length; i++, at += 3) {
    levels[i] = Math.max(rgb[at]!, rgb[at + 1]!, rgb[at + 2]!);
  }
  return { levels, width, height };
}

/**
 * Share of the pictures of a film that may be brighter than what counts: subtitles are not everywhere in all
 * of them.
 */
const brighterShare = 0.2;

/** Combines at least one picture of one size: each pixel is one of the brightest at its place. */
export function together(pictures: readonly Levels[]): Levels {
  const [{ levels: first, width, height }] = pictures as [Levels];
  const rank = pictures.length - 1 - Math.floor(pictures.length * brighterShare);
  const here = new Uint8Array(pictures.length);
  const levels = first.map((_, at) => {
    for (let i = 0; i < here.length; i++) here[i] = pictures[i]!.levels[at]!;
    return here.sort()[rank]!;
  });
  return { levels, width, height };
}

/** Null where there are none. */
export function barsOf({ levels, width, height }: Levels): Bars | null {
  let [top, bottom] = axis(upright(levels, width, height, { from: 0, to: width }));
  const [left, right] = axis(sideways(levels, width, { from: top, to: height - bottom }));
  // With bars all around, the edges above and below may be too short until those at the sides are known.
  if (left + right > 0 && top + bottom === 0) {
    [top, bottom] = axis(upright(levels, width, height, { from: left, to: width - right }));
  }
  if (top + bottom + left + right === 0) return null;
  return { left: left / width, top: top / height, right: right / width, bottom: bottom / height };
}

/** True when the picture reaches all four borders: then it has no bars, and neither has the film it is of. */
export function fillsFrame({ levels, width, height }: Levels): boolean {
  const isLit = (x: number, y: number) => levels[y * width + x]! > brightestBar + step;
  const most = (count: number, lit: (i: number) => boolean) => {
    let litCount = 0;
    for (let i = 0; i < count; i++) if (lit(i)) litCount++;
    return litCount >= count * leastEdge;
  };
  return (
    most(width, (x) => isLit(x, 0)) &&
    most(width, (x) => isLit(x, height - 1)) &&
    most(height, (y) => isLit(0, y)) &&
    most(height, (y) => isLit(width - 1, y))
  );
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Lines of one axis: `at(line, place)` is a level. */
interface Lines {
  readonly count: number;
  readonly places: Span;
  at(line: number, place: number): number;
}

function upright(levels: Uint8Array, width: number, height: number, places: Span): Lines {
  return { count: height, places, at: (line, place) => levels[line * width + place]! };
}

function sideways(levels: Uint8Array, width: number, places: Span): Lines {
  return { count: width, places, at: (line, place) => levels[place * width + line]! };
}

/** Lines of the bars before and behind the picture; none of either where no picture would be left. */
function axis(lines: Lines): [before: number, behind: number] {
  const reversed = { ...lines, at: (line: number, place: number) => lines.at(lines.count - 1 - line, place) };
  const [before, behind] = [barBefore(lines), barBefore(reversed)];
  const wider = Math.max(before, behind);
  const isUneven = wider > mostTimes * Math.min(before, behind) && wider > lines.count * mostAlone;
  return isUneven || before + behind > lines.count * mostBars ? [0, 0] : [before, behind];
}

/** Lines from the first one on that are a bar, its blurred edge included; 0 for none. */
function barBefore(lines: Lines): number {
  const { count, places } = lines;
  const level = median(lines, 0);
  if (level > brightestBar) return 0;
  const least = Math.max(2, Math.ceil(count * leastBar));
  const edge = Math.max(2, Math.round(count * edgeWidth));
  const across = places.to - places.from;
  let black = 0;
  for (let line = 0; line < count * mostBars; line++) {
    if (line >= least && black >= line * across * blackWithin) {
      const turned = turnedInto(lines, line, edge, level);
      if (turned >= leastEdge * across) return behindEdge(lines, line, edge, level + step, turned / 2);
    }
    let blackCount = 0;
    for (let place = places.from; place < places.to; place++) {
      if (lines.at(line, place) <= level + tolerance) blackCount++;
    }
    if (line < least && blackCount < across * blackOutside) return 0;
    black += blackCount;
  }
  return 0;
}

/** Places at which the lines before `line` are black and the lines behind it are picture. */
function turnedInto({ places, count, at }: Lines, line: number, edge: number, level: number): number {
  let turned = 0;
  const end = Math.min(count, line + edge);
  for (let place = places.from; place < places.to; place++) {
    if (at(line - 1, place) > level + tolerance || at(line - 2, place) > level + tolerance) continue;
    for (let behind = line; behind < end; behind++) {
      if (at(behind, place) <= level + step) continue;
      turned++;
      break;
    }
  }
  return turned;
}

/**
 * The line behind the first one from `line` on of which `least` places are picture: the edge itself is
 * blurred.
 */
function behindEdge({ places, count, at }: Lines, line: number, edge: number, above: number, least: number) {
  for (let candidate = line; candidate < line + edge; candidate++) {
    let lit = 0;
    for (let place = places.from; place < places.to; place++) if (at(candidate, place) > above) lit++;
    if (lit >= least) return Math.min(count - 1, candidate + 1);
  }
  return Math.min(count - 1, line + edge);
}

function median({ places, at }: Lines, line: number): number {
  const values = Uint8Array.from({ length: places.to - places.from }, (_, i) => at(line, places.from + i));
  return values.sort()[values.length >> 1] ?? 0;
}
