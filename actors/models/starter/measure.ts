// Second part of the picture graph: from maps to the evidence vector, channel by channel as evidence.ts names
// them.

import {
  MAP_SIDE,
  mapChannels,
  materialNames,
  materials,
  regionNames,
  regions,
  shadeChannels,
} from './evidence.ts';
import type { GraphBuilder } from './graph/onnx.ts';
import {
  blur,
  directions,
  type Gradient,
  gradient,
  ramp,
  repetition,
  type StarterPlanes,
  shrink,
  square,
  type Texture,
  texture,
} from './maps.ts';
import { type BasicColour, basicColours, labOfHex, shades } from './palette.ts';

const POINTS = MAP_SIDE * MAP_SIDE;
/** Lightness counts less than hue and chroma when colours are named. */
const LIGHTNESS_WEIGHT = 0.6;
/** How far from its sample points a shade reaches, in OKLab. */
const REACH = 0.026;

export interface Measures {
  /** [B, 9, colours + shades]: shares in each cell. */
  readonly shares: string;
  /** [B, 9, mapChannels]: means in each cell. */
  readonly means: string;
  /** [B, colours]: share of each colour in the patch of the frame that has most of it. */
  readonly spots: string;
  /** [B, evidenceCount]. */
  readonly evidence: string;
}

export function measure(b: GraphBuilder, planes: StarterPlanes): Measures {
  const cells = b.floats([9, POINTS], cellMasks());
  const points = assign(b, planes.lab);
  const grain = texture(b, planes);
  const fine = gradient(b, planes.halfLuma);
  const coarse = gradient(b, shrink(b, planes.quarterLuma, 2));
  const maps = b.op('Concat', [plainMaps(b, planes, grain, fine, coarse), materialMaps(b, points, grain)], {
    axis: 2,
  });
  const means = b.op('MatMul', [cells, maps]);
  const pooled = b.op('MatMul', [cells, points]);
  const shares = b.op('MatMul', [pooled, b.floats([samples.length, shadeChannels.length], groupWeights())]);
  const all = b.op('Concat', [means, shares], { axis: 2 });
  const weights = regionNames.flatMap((region) => {
    const sum = regions[region].reduce<number>((total, weight) => total + weight, 0);
    return regions[region].map((weight) => weight / sum);
  });
  const byRegion = b.op('MatMul', [b.floats([regionNames.length, 9], weights), all]);
  const flat = b.op('Flatten', [byRegion]);
  return {
    shares,
    means,
    spots: spotsOf(b, points),
    evidence: b.op('Concat', [flat, scalarsOf(b, planes, means)], { axis: 1 }),
  };
}

const samples = shades.flatMap(({ points }, shade) =>
  points.split(' ').map((hex) => ({ shade, lab: labOfHex(hex) })),
);

/** [B, 3136, samples]: how much each point belongs to each colour sample; sums to 1. */
function assign(b: GraphBuilder, lab: string): string {
  // The squared distance to a sample is linear in the point up to a part that is the same for all samples.
  const axes = [LIGHTNESS_WEIGHT ** 2, 1, 1];
  const scale = 1 / (2 * REACH ** 2);
  const rows = axes.map((axis, i) => samples.map((sample) => 2 * scale * axis * sample.lab[i]!));
  const lengths = samples.map(
    ({ lab: at }) => -scale * axes.reduce((sum, axis, i) => sum + axis * at[i]! ** 2, 0),
  );
  const near = b.op('MatMul', [toPoints(b, lab), b.floats([3, samples.length], rows.flat())]);
  return b.op('Softmax', [b.op('Add', [near, b.floats([samples.length], lengths)])], { axis: -1 });
}

/** [samples, colours + shades]. */
function groupWeights(): number[] {
  return samples.flatMap(({ shade }) => [
    ...basicColours.map((colour) => countOf(shade, colour)),
    ...shades.map((_, i) => (i === shade ? 1 : 0)),
  ]);
}

/** Points along one side of a patch: a fourteenth of the frame. */
const PATCH = 4;

/** [B, colours]: the largest share of each colour in any patch. */
function spotsOf(b: GraphBuilder, points: string): string {
  const weights = samples.flatMap(({ shade }) => basicColours.map((colour) => countOf(shade, colour)));
  const colours = b.op('MatMul', [points, b.floats([samples.length, basicColours.length], weights)]);
  const maps = b.op('Reshape', [
    b.op('Transpose', [colours], { perm: [0, 2, 1] }),
    b.ints([0, basicColours.length, MAP_SIDE, MAP_SIDE]),
  ]);
  return b.op('ReduceMax', [shrink(b, maps, PATCH)], { axes: [2, 3], keepdims: 0 });
}

function countOf(shade: number, colour: BasicColour): number {
  return (shades[shade]!.counts as Partial<Record<BasicColour, number>>)[colour] ?? 0;
}

/** [B, 3136, channels] from [B, channels, 56, 56]. */
function toPoints(b: GraphBuilder, maps: string): string {
  return b.op('Transpose', [b.op('Reshape', [maps, b.ints([0, 0, -1])])], { perm: [0, 2, 1] });
}

/** Nine rows of weights over the points, each summing to 1: cells in thirds whose borders overlap softly. */
function cellMasks(): Float32Array {
  const line = (cell: number) =>
    Array.from({ length: MAP_SIDE }, (_, i) => {
      const distance = Math.abs((i + 0.5) / MAP_SIDE - (cell + 0.5) / 3) * 3;
      return Math.min(1, Math.max(0, (0.65 - distance) / 0.3));
    });
  const masks = new Float32Array(9 * POINTS);
  for (let cell = 0; cell < 9; cell++) {
    const [rows, columns] = [line(Math.floor(cell / 3)), line(cell % 3)];
    const sum = rows.reduce((a, x) => a + x, 0) * columns.reduce((a, x) => a + x, 0);
    for (let at = 0; at < POINTS; at++) {
      masks[cell * POINTS + at] = (rows[Math.floor(at / MAP_SIDE)]! * columns[at % MAP_SIDE]!) / sum;
    }
  }
  return masks;
}

/** [B, 3136, plainChannels]. */
function plainMaps(
  b: GraphBuilder,
  planes: StarterPlanes,
  grain: Texture,
  fine: Gradient,
  coarse: Gradient,
): string {
  const [light, red, yellow] = b.ops('Split', [planes.lab, b.ints([1, 1, 1])], 3, { axis: 1 }) as [
    string,
    string,
    string,
  ];
  const chroma = b.op('Sqrt', [
    b.op('Add', [b.op('Add', [square(b, red), square(b, yellow)]), b.scalar(1e-8)]),
  ]);
  // Warm is towards orange, cool towards azure: the axis on which people agree.
  const axis = b.op('Conv', [planes.lab, b.floats([1, 3, 1, 1], [0, 0.6, 0.8])]);
  const warm = b.op('Relu', [axis]);
  const byDirection = shrink(b, directions(b, fine, 4, 67), 2);
  const [vertical, falling, horizontal, rising] = b.ops('Split', [byDirection, b.ints([1, 1, 1, 1])], 4, {
    axis: 1,
  }) as [string, string, string, string];
  const enlarged = b.op('Resize', [coarse.strength, '', b.floats([4], [1, 1, 2, 2])], {
    mode: 'nearest',
    coordinate_transformation_mode: 'asymmetric',
  });
  const maps = [
    light,
    ramp(b, light, 0.42, 0.25),
    ramp(b, light, 0.22, 0.14),
    ramp(b, light, 0.75, 0.9),
    chroma,
    ramp(b, chroma, 0.09, 0.17),
    ramp(b, chroma, 0.03, 0.07),
    warm,
    b.op('Relu', [b.op('Neg', [axis])]),
    red,
    yellow,
    grain.contrast,
    shrink(b, ramp(b, fine.strength, 0.03, 0.1), 2),
    shrink(b, fine.strength, 2),
    horizontal,
    vertical,
    rising,
    falling,
    grain.detail,
    square(b, enlarged),
    grain.glint,
    b.op('Mul', [grain.glint, ramp(b, axis, 0, 0.06)]),
  ];
  return toPoints(b, b.op('Concat', maps, { axis: 1 }));
}

/** [B, 3136, materials]: belonging by colour times belonging by texture. */
function materialMaps(b: GraphBuilder, points: string, grain: Texture): string {
  const table = materialNames.map((name) => ({ texture: undefined, ...materials[name] }));
  const weights = samples.flatMap(({ shade }) =>
    table.map(({ colours }) => (colours as Partial<Record<string, number>>)[shades[shade]!.name] ?? 0),
  );
  const byColour = b.op('MatMul', [points, b.floats([samples.length, table.length], weights)]);
  const slopes = table.map(({ texture: bounds }) => (bounds ? 1 / (bounds[1] - bounds[0]) : 0));
  const starts = table.map(({ texture: bounds }, i) => (bounds ? -bounds[0] * slopes[i]! : 1));
  const line = b.op('MatMul', [toPoints(b, grain.contrast), b.floats([1, table.length], slopes)]);
  const byTexture = b.op('Clip', [
    b.op('Add', [line, b.floats([table.length], starts)]),
    b.scalar(0),
    b.scalar(1),
  ]);
  return b.op('Mul', [byColour, byTexture]);
}

/** [B, scalars], in the order of evidence.ts. */
function scalarsOf(b: GraphBuilder, planes: StarterPlanes, means: string): string {
  const whole = b.op('ReduceMean', [means], { axes: [1], keepdims: 0 });
  const channel = (name: (typeof mapChannels)[number]) =>
    b.op('Gather', [whole, b.ints([mapChannels.indexOf(name)])], { axis: 1 });
  const deviations = b.op('Sqrt', [b.op('Add', [variance(b, planes.lab), b.scalar(1e-8)])]);
  const [light, red, yellow] = b.ops('Split', [deviations, b.ints([1, 1, 1])], 3, { axis: 1 }) as [
    string,
    string,
    string,
  ];
  const patches = b.op('Reshape', [shrink(b, planes.quarterLuma, 4), b.ints([0, -1])]);
  const lightest = b.op('ReduceMax', [patches], { axes: [1], keepdims: 1 });
  const darkest = b.op('ReduceMin', [patches], { axes: [1], keepdims: 1 });
  const small = b.op('Reshape', [planes.quarterLuma, b.ints([0, -1])]);
  const strength = b.op('Add', [channel('gradient'), b.scalar(0.002)]);
  const share = (name: 'horizontal' | 'vertical' | 'rising' | 'falling') =>
    b.op('Div', [channel(name), strength]);
  const sharpness = b.op('Sqrt', [
    b.op('Div', [channel('detail'), b.op('Add', [channel('coarse'), b.scalar(0.00002)])]),
  ]);
  // Details smaller than a quarter of the frame.
  const detail = b.op('Sub', [planes.halfLuma, blur(b, planes.halfLuma, 31)]);
  const meanColour = b.op('Add', [square(b, channel('red shift')), square(b, channel('yellow shift'))]);
  return b.op(
    'Concat',
    [
      light,
      b.op('Sqrt', [b.op('Add', [square(b, red), square(b, yellow)])]),
      b.op('Sub', [lightest, darkest]),
      b.op('ReduceMax', [small], { axes: [1], keepdims: 1 }),
      share('horizontal'),
      share('vertical'),
      b.op('Max', [share('rising'), share('falling')]),
      spread(b, means),
      pattern(b, detail, 3),
      pattern(b, detail, 2),
      sharpness,
      symmetry(b, planes.quarterLuma),
      b.op('Div', [b.op('Sqrt', [meanColour]), b.op('Add', [channel('chroma'), b.scalar(0.004)])]),
      ramp(b, light, 0.08, 0.01),
      ...repetition(b, detail),
      flatness(b, planes),
      flatBands(b, planes),
    ],
    { axis: 1 },
  );
}

/** [B, 1]: share of points of the map around which the luma hardly varies. */
function flatness(b: GraphBuilder, { halfLuma }: StarterPlanes): string {
  const off = square(b, b.op('Sub', [halfLuma, blur(b, halfLuma, 3)]));
  const flat = ramp(b, blur(b, off, 3), 0.0000012, 0.0000003);
  return b.op('ReduceMean', [b.op('Reshape', [flat, b.ints([0, -1])])], { axes: [1], keepdims: 1 });
}

/** [B, 1]: share of the rows, or of the columns, whose points all have one luma; of which there are more. */
function flatBands(b: GraphBuilder, { quarterLuma }: StarterPlanes): string {
  const [rows, columns] = [3, 2].map((axis) => {
    const off = b.op('Sub', [quarterLuma, b.op('ReduceMean', [quarterLuma], { axes: [axis], keepdims: 1 })]);
    const spread = b.op('ReduceMean', [square(b, off)], { axes: [axis], keepdims: 0 });
    return b.op('ReduceMean', [ramp(b, spread, 0.00002, 0.000005)], { axes: [1, 2], keepdims: 0 });
  }) as [string, string];
  return b.op('Reshape', [b.op('Max', [rows, columns]), b.ints([0, 1])]);
}

/** [B, channels]: variance of each channel over the points of [B, channels, h, w]. */
function variance(b: GraphBuilder, maps: string): string {
  const flat = b.op('Reshape', [maps, b.ints([0, 0, -1])]);
  const off = b.op('Sub', [flat, b.op('ReduceMean', [flat], { axes: [2], keepdims: 1 })]);
  return b.op('ReduceMean', [square(b, off)], { axes: [2], keepdims: 0 });
}

/** [B, 1]: geometric over arithmetic mean of the edge strength of the cells. */
function spread(b: GraphBuilder, means: string): string {
  const edges = b.op('Gather', [means, b.ints([mapChannels.indexOf('gradient')])], { axis: 2 });
  const strength = b.op('Add', [b.op('Reshape', [edges, b.ints([0, -1])]), b.scalar(0.0005)]);
  const logs = b.op('ReduceMean', [b.op('Log', [strength])], { axes: [1], keepdims: 1 });
  return b.op('Div', [b.op('Exp', [logs]), b.op('ReduceMean', [strength], { axes: [1], keepdims: 1 })]);
}

/** [B, 1]: share of the variation that stays when [B, 1, h, w] is averaged along one side. */
function pattern(b: GraphBuilder, detail: string, axis: 2 | 3): string {
  const profile = b.op('ReduceMean', [detail], { axes: [axis], keepdims: 1 });
  const profileEnergy = b.op('ReduceMean', [square(b, profile)], { axes: [1, 2, 3], keepdims: 0 });
  const all = b.op('ReduceMean', [square(b, detail)], { axes: [1, 2, 3], keepdims: 0 });
  return b.op('Reshape', [
    b.op('Div', [profileEnergy, b.op('Add', [all, b.scalar(0.0004)])]),
    b.ints([0, 1]),
  ]);
}

/** [B, 1]: correlation of what differs along the rows with its mirror picture. */
function symmetry(b: GraphBuilder, luma: string): string {
  const small = shrink(b, luma, 4);
  const off = b.op('Sub', [small, b.op('ReduceMean', [small], { axes: [3], keepdims: 1 })]);
  const mirrored = b.op('Slice', [off, b.ints([-1]), b.ints([-1000]), b.ints([3]), b.ints([-1])]);
  const both = b.op('ReduceMean', [b.op('Mul', [off, mirrored])], { axes: [2, 3], keepdims: 0 });
  const energy = b.op('ReduceMean', [square(b, off)], { axes: [2, 3], keepdims: 0 });
  return b.op('Div', [both, b.op('Add', [energy, b.scalar(0.001)])]);
}
