// The picture graph of starter-visual, assembled from its parts when the model is loaded. All its constants
// are in this folder, so it has the same bytes on every machine.

import { readFileSync } from 'node:fs';
import {
  type EvidenceName,
  evidenceCount,
  evidenceIndex,
  evidenceNames,
  mapChannels,
  materialNames,
  type plainChannels,
} from '../evidence.ts';
import { ways } from '../fitted.ts';
import {
  CELLS,
  COLOUR_SIDE,
  cellLooks,
  centres,
  DIMENSIONS,
  EDGE_DIRECTIONS,
  EDGE_SIDE,
  LIGHT_SIDE,
  named,
  SIMILARITY,
  scales,
} from '../layout.ts';
import {
  directions,
  gradient,
  PICTURE_SIDE,
  planes,
  ramp,
  type StarterPlanes,
  shrink,
  square,
} from '../maps.ts';
import { type Measures, measure } from '../measure.ts';
import { basicColours, shades } from '../palette.ts';
import { RAMP_MAX, RAMP_MIN, RAMPS, type Ramp, type UnitName, unitNames, units } from '../units.ts';
import { GraphBuilder, onnxBytes } from './onnx.ts';

// Third part of the picture graph: the unnamed dimensions by which pictures are compared with pictures: where
// it is light and dark, where which colour lies, how edges run in each part, and the palette.

const USED = LIGHT_SIDE ** 2 + 2 * COLOUR_SIDE ** 2 + EDGE_DIRECTIONS * EDGE_SIDE ** 2;

/**
 * [B, SIMILARITY], of length 1. `palette`: [B, n], shares of n colours. A frame without any structure gets a
 * constant direction, so that flat frames are alike and no frame is short.
 */
export function similarity(b: GraphBuilder, planes: StarterPlanes, palette: string, colours: number): string {
  const light = b.op('Reshape', [shrink(b, planes.quarterLuma, 56 / LIGHT_SIDE), b.ints([0, -1])]);
  const centredLight = b.op('Sub', [light, b.op('ReduceMean', [light], { axes: [1], keepdims: 1 })]);
  const [, red, yellow] = b.ops('Split', [planes.lab, b.ints([1, 1, 1])], 3, { axis: 1 }) as [
    string,
    string,
    string,
  ];
  const colour = shrink(b, b.op('Concat', [red, yellow], { axis: 1 }), 56 / COLOUR_SIDE);
  const byDirection = directions(b, gradient(b, planes.quarterLuma), EDGE_DIRECTIONS, 60);
  const strength = b.op('Reshape', [shrink(b, byDirection, 56 / EDGE_SIDE), b.ints([0, -1])]);
  const edges = b.op('Sqrt', [b.op('Add', [strength, b.scalar(1e-6)])]);
  const centredEdges = b.op('Sub', [edges, b.op('ReduceMean', [edges], { axes: [1], keepdims: 1 })]);
  const shares = b.op('Sqrt', [b.op('Add', [palette, b.scalar(1e-6)])]);
  const centredShares = b.op('Sub', [shares, b.scalar(0.2)]);
  const flat = b.op('Add', [
    b.op('Mul', [b.op('ReduceMean', [light], { axes: [1], keepdims: 1 }), b.scalar(0)]),
    b.scalar(0.15),
  ]);
  const padding = SIMILARITY - USED - colours - 1;
  const parts = [
    weigh(b, centredLight, 0.35, 0.75),
    weigh(b, b.op('Reshape', [colour, b.ints([0, -1])]), 0.15, 0.6),
    weigh(b, centredEdges, 0.25, 0.55),
    weigh(b, centredShares, 0.1, 0.5),
    flat,
  ];
  const joined = b.op('Concat', parts, { axis: 1 });
  const length = b.op('ReduceL2', [joined], { axes: [1], keepdims: 1 });
  return b.op('Pad', [b.op('Div', [joined, length]), b.ints([0, 0, 0, padding])]);
}

/**
 * Scales a part to a length below `weight`; lengths well under `knee` stay small, so that noise is not
 * amplified.
 */
function weigh(b: GraphBuilder, part: string, knee: number, weight: number): string {
  const squares = b.op('ReduceSum', [square(b, part), b.ints([1])], { keepdims: 1 });
  const length = b.op('Sqrt', [b.op('Add', [squares, b.scalar(knee * knee)])]);
  return b.op('Mul', [b.op('Div', [part, length]), b.scalar(weight)]);
}

/** Most of the squared length of a vector that named features may take; similarity fills it up to 1. */
const NAMED_LIMIT = 0.75;
/** Added to a fit before its logarithm is taken. */
const FIT_MIN = 0.02;
/**
 * To which powers the rule and the fit of a unit are taken: what the rule denies outright counts for less.
 */
const powers = { rule: [1, 0], both: [0.5, 0.5], fit: [0.15, 1] } as const;

/**
 * The .onnx file. Input `pixels`: uint8 [batch, 224, 224, 3], RGB. Outputs: `vector` float [batch, 512], of
 * length 1; `evidence` float [batch, evidenceCount], the measures, for tests and for explaining a result.
 */
export function buildStarterVisual(): Uint8Array {
  const b = new GraphBuilder('starter-visual');
  const pixels = b.input('pixels', 'uint8', ['batch', PICTURE_SIDE, PICTURE_SIDE, 3]);
  const image = planes(b, pixels);
  const measures = measure(b, image);
  const features = b.op(
    'Concat',
    [...colourFeatures(b, measures), ...cellFeatures(b, measures), unitFeatures(b, measures)],
    { axis: 1 },
  );
  const centred = b.op('Sub', [features, b.floats([named.length], centres)]);
  const namedPart = limit(b, b.op('Mul', [centred, b.floats([named.length], scales)]));
  const [colours] = wholeShares(b, measures);
  const unnamedPart = similarity(b, image, colours, basicColours.length);
  const remaining = b.op('Sub', [
    b.scalar(1),
    b.op('ReduceSum', [square(b, namedPart), b.ints([1])], { keepdims: 1 }),
  ]);
  const neutral = b.op('Mul', [remaining, b.scalar(0)]);
  const vector = b.op('Concat', [namedPart, b.op('Mul', [unnamedPart, b.op('Sqrt', [remaining])]), neutral], {
    axis: 1,
  });
  b.output(vector, 'vector', 'float', ['batch', DIMENSIONS]);
  b.output(measures.evidence, 'evidence', 'float', ['batch', evidenceCount]);
  return onnxBytes(b.model());
}

const shareSizes = [basicColours.length, shades.length];

/** Shares of the whole frame: [B, colours] and [B, shades]. */
function wholeShares(b: GraphBuilder, { shares }: Measures): [colours: string, shades: string] {
  const mean = b.op('ReduceMean', [shares], { axes: [1], keepdims: 0 });
  return b.ops('Split', [mean, b.ints(shareSizes)], 2, { axis: 1 }) as [string, string];
}

/** 1 - exp(-(share - threshold)/knee), 0 below the threshold: tiny shares are noise. */
function saturate(b: GraphBuilder, share: string, threshold: number, knee: number): string {
  const above = b.op('Relu', [b.op('Sub', [share, b.scalar(threshold)])]);
  return b.op('Sub', [b.scalar(1), b.op('Exp', [b.op('Mul', [above, b.scalar(-1 / knee)])])]);
}

function colourFeatures(b: GraphBuilder, measures: Measures): string[] {
  const [colours, tones] = wholeShares(b, measures);
  const [inCells] = b.ops('Split', [measures.shares, b.ints(shareSizes)], 2, { axis: 2 }) as [string, string];
  return [
    saturate(b, colours, 0.01, 0.06),
    colours,
    ramp(b, colours, 0.3, 0.75),
    ramp(b, measures.spots, 0.3, 0.9),
    saturate(b, tones, 0.008, 0.06),
    b.op('Flatten', [saturate(b, inCells, 0.02, 0.3)]),
  ];
}

/** Light, busyness and sharpness in each cell, [B, 9] each, in the order of cellLooks. */
function cellFeatures(b: GraphBuilder, { means }: Measures): string[] {
  const channel = (name: (typeof plainChannels)[number]) =>
    b.op('Reshape', [
      b.op('Gather', [means, b.ints([mapChannels.indexOf(name)])], { axis: 2 }),
      b.ints([0, CELLS]),
    ]);
  const features: Record<(typeof cellLooks)[number], string> = {
    light: channel('lightness'),
    busy: ramp(b, channel('texture'), 0.005, 0.08),
    sharp: ramp(b, b.op('Sqrt', [channel('detail')]), 0.004, 0.03),
  };
  return cellLooks.map((look) => features[look]);
}

/** Each unit by its rule, by its fit, or as the geometric mean of the two. */
function unitFeatures(b: GraphBuilder, { evidence }: Measures): string {
  const logs = ruleLogs(b, evidence);
  const fits = readFits();
  const ways = unitNames.map((name) => fits.units.get(name)?.with ?? 'rule');
  const ofRules = ways.map((way) => powers[way][0]);
  const ofFits = ways.map((way) => powers[way][1]);
  const fitLogs = b.op('Log', [
    b.op('Add', [fitted(b, fits, evidence, b.op('Exp', [logs])), b.scalar(FIT_MIN)]),
  ]);
  const parts = [
    b.op('Mul', [logs, b.floats([ways.length], ofRules)]),
    b.op('Mul', [fitLogs, b.floats([ways.length], ofFits)]),
  ];
  return b.op('Exp', [b.op('Add', parts)]);
}

/**
 * Logarithm of every rule: the product of its ramps to the power of 1/√n, so that several half-true
 * conditions still count.
 */
function ruleLogs(b: GraphBuilder, evidence: string): string {
  const rows = unitNames.map((name): readonly Ramp[] => units[name]);
  const padded = rows.map((row) => Array.from({ length: RAMPS }, (_, i) => row[i]));
  const places = padded.flat().map((ramp) => (ramp ? evidenceIndex(ramp[0]) : 0));
  const slopes = padded.flat().map((ramp) => (ramp ? 1 / (ramp[2] - ramp[1]) : 0));
  const starts = padded.flat().map((ramp, i) => (ramp ? -ramp[1] * slopes[i]! : 1));
  const picked = b.op('Gather', [evidence, b.ints(places)], { axis: 1 });
  const line = b.op('Add', [
    b.op('Mul', [picked, b.floats([places.length], slopes)]),
    b.floats([places.length], starts),
  ]);
  const ramps = b.op('Clip', [line, b.scalar(RAMP_MIN), b.scalar(RAMP_MAX)]);
  const logs = b.op('Reshape', [b.op('Log', [ramps]), b.ints([0, rows.length, RAMPS])]);
  const sums = b.op('ReduceSum', [logs, b.ints([2])], { keepdims: 0 });
  const roots = rows.map((row) => 1 / Math.sqrt(row.length));
  return b.op('Mul', [sums, b.floats([rows.length], roots)]);
}

/** [B, units]: the logistic regression of every unit that has one. `rules`: what the rules say. */
function fitted(
  b: GraphBuilder,
  { means, spreads, units: all }: Fits,
  evidence: string,
  rules: string,
): string {
  const roots = b.op('Sqrt', [b.op('Relu', [evidence])]);
  const rootMask = evidenceNames.map((name) => (isRooted(name) ? 1 : 0));
  const parts = [
    b.op('Mul', [roots, b.floats([evidenceCount], rootMask)]),
    b.op('Mul', [
      evidence,
      b.floats(
        [evidenceCount],
        rootMask.map((is) => 1 - is),
      ),
    ]),
  ];
  const centred = b.op('Sub', [b.op('Add', parts), b.floats([evidenceCount], means)]);
  const off = b.op('Div', [centred, b.floats([evidenceCount], spreads)]);
  const deviations = b.op('Clip', [off, b.scalar(-MOST_SPREADS), b.scalar(MOST_SPREADS)]);
  const fits = unitNames.map((name) => all.get(name));
  const weights = evidenceNames.flatMap((_, i) => fits.map((fit) => fit?.weights[i] ?? 0));
  const ofUnits = (values: readonly number[]) => b.floats([unitNames.length], values);
  const sums = [
    b.op('MatMul', [deviations, b.floats([evidenceCount, unitNames.length], weights)]),
    b.op('Mul', [rules, ofUnits(fits.map((fit) => fit?.rule ?? 0))]),
  ];
  const biases = ofUnits(fits.map((fit) => fit?.bias ?? 0));
  return b.op('Sigmoid', [b.op('Add', [b.op('Add', sums), biases])]);
}

/** Shortens a vector to the limit where it is longer. */
function limit(b: GraphBuilder, vector: string): string {
  const squares = b.op('ReduceSum', [square(b, vector), b.ints([1])], { keepdims: 1 });
  const over = b.op('Max', [b.op('Div', [squares, b.scalar(NAMED_LIMIT)]), b.scalar(1)]);
  return b.op('Div', [vector, b.op('Sqrt', [over])]);
}

// How units are recognised beyond their rules: for each a logistic regression over all that the graph
// measures. The weights lie in fits.bin, which bench/starter-fit.ts writes; docs/decisions/0029 names what
// they are fitted on and has the figures.

/** How a unit is made: of its fit alone, or as the geometric mean of its rule and its fit. */
type Way = NonNullable<(typeof ways)[UnitName]>;

export interface StarterFit {
  readonly with: Way;
  readonly bias: number;
  /** Weight of what the unit's own rule says, 0..1. */
  readonly rule: number;
  /** Weight of each piece of evidence, in spreads from its usual value. */
  readonly weights: Float32Array;
}

export interface Fits {
  /** Mean of each measurement over the pictures that units are fitted on, of its root if it is rooted. */
  readonly means: Float32Array;
  readonly spreads: Float32Array;
  readonly units: ReadonlyMap<UnitName, StarterFit>;
}

/** Evidence counts as at most this many spreads from usual. */
export const MOST_SPREADS = 3;

const shares: readonly string[] = [
  ...materialNames,
  ...['texture', 'edge', 'gradient', 'horizontal', 'vertical', 'rising', 'falling', 'detail', 'coarse'],
  ...['glint', 'warm glint'],
];

/** Shares and strengths are mostly small: their roots tell little from nothing. */
export function isRooted(name: EvidenceName): boolean {
  const channel = name.slice(name.indexOf(' ') + 1);
  return /^(colour|shade) /.test(channel) || shares.includes(channel);
}

/** Numbers of a unit in the file: bias, weight of the rule, weights of the evidence. */
const unitNumbers = 2 + evidenceCount;

/** Reads a file of little-endian floats: means, spreads, then the units in the order of `ways`. */
export function readFits(bytes: Buffer = readFileSync(new URL('../fits.bin', import.meta.url))): Fits {
  const entries = Object.entries(ways) as [UnitName, Way][];
  const count = 2 * evidenceCount + entries.length * unitNumbers;
  if (bytes.byteLength !== 4 * count) throw new Error(`fits.bin has ${bytes.byteLength} bytes`);
  const numbers = Float32Array.from({ length: count }, (_, i) => bytes.readFloatLE(4 * i));
  const units = entries.map(([name, way], i): [UnitName, StarterFit] => {
    const at = 2 * evidenceCount + i * unitNumbers;
    const weights = numbers.slice(at + 2, at + unitNumbers);
    return [name, { with: way, bias: numbers[at]!, rule: numbers[at + 1]!, weights }];
  });
  return {
    means: numbers.slice(0, evidenceCount),
    spreads: numbers.slice(evidenceCount, 2 * evidenceCount),
    units: new Map(units),
  };
}
