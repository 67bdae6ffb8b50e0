// Pictures of colours, light and structure. Every function draws one picture from the dice of its canvas.
import { box, type Canvas, ellipse, hsl, mix, type Rgb, type Shape } from './canvas.ts';

type Range = readonly [from: number, to: number];

/** Hue, saturation and lightness that people give these names to without doubt. */
const ranges: Readonly<Record<string, readonly [Range, Range, Range]>> = {
  black: [
    [0, 360],
    [0, 0.3],
    [0.01, 0.07],
  ],
  white: [
    [0, 360],
    [0, 0.3],
    [0.95, 1],
  ],
  grey: [
    [0, 360],
    [0, 0.04],
    [0.35, 0.65],
  ],
  red: [
    [-8, 5],
    [0.65, 0.95],
    [0.34, 0.5],
  ],
  orange: [
    [22, 36],
    [0.85, 1],
    [0.48, 0.58],
  ],
  yellow: [
    [50, 58],
    [0.75, 1],
    [0.48, 0.65],
  ],
  green: [
    [95, 150],
    [0.35, 0.9],
    [0.22, 0.5],
  ],
  blue: [
    [208, 235],
    [0.5, 0.95],
    [0.3, 0.6],
  ],
  purple: [
    [268, 290],
    [0.4, 0.85],
    [0.28, 0.5],
  ],
  pink: [
    [325, 345],
    [0.6, 0.95],
    [0.7, 0.82],
  ],
  brown: [
    [18, 32],
    [0.35, 0.6],
    [0.2, 0.33],
  ],
  'dark blue': [
    [215, 235],
    [0.6, 0.9],
    [0.1, 0.22],
  ],
  'light blue': [
    [200, 218],
    [0.6, 0.9],
    [0.72, 0.86],
  ],
  'dark green': [
    [105, 150],
    [0.4, 0.8],
    [0.1, 0.2],
  ],
  'light green': [
    [95, 140],
    [0.5, 0.8],
    [0.72, 0.84],
  ],
  'dark red': [
    [-8, 4],
    [0.65, 0.9],
    [0.16, 0.28],
  ],
  turquoise: [
    [170, 182],
    [0.6, 0.9],
    [0.4, 0.6],
  ],
  beige: [
    [32, 45],
    [0.35, 0.6],
    [0.76, 0.88],
  ],
  gold: [
    [40, 48],
    [0.65, 0.9],
    [0.42, 0.52],
  ],
  olive: [
    [56, 70],
    [0.4, 0.7],
    [0.2, 0.32],
  ],
  lavender: [
    [255, 275],
    [0.4, 0.7],
    [0.75, 0.86],
  ],
  magenta: [
    [298, 316],
    [0.75, 1],
    [0.4, 0.55],
  ],
};

export function colour(canvas: Canvas, name: string): Rgb {
  const [hue, saturation, lightness] = ranges[name]!;
  const { dice } = canvas;
  canvas.colours.add(name);
  return hsl(dice.between(...hue), dice.between(...saturation), dice.between(...lightness));
}

const basics = [
  'black',
  'white',
  'grey',
  'red',
  'orange',
  'yellow',
  'green',
  'blue',
  'purple',
  'pink',
  'brown',
];

/** Parts of colour names that a picture of `name` must not show elsewhere. */
function others(name: string): string[] {
  const near: Record<string, string[]> = {
    pink: ['red', 'purple'],
    purple: ['pink'],
    brown: ['orange', 'black'],
    orange: ['brown', 'red', 'yellow'],
    turquoise: ['blue', 'green'],
    beige: ['white', 'brown', 'yellow', 'grey'],
    gold: ['yellow', 'orange', 'brown'],
    olive: ['green', 'brown'],
    lavender: ['purple', 'pink', 'blue'],
    magenta: ['pink', 'purple'],
  };
  const own = name.split(' ').at(-1)!;
  return basics.filter((basic) => basic !== own && !near[own]?.includes(basic));
}

/**
 * A cluttered backdrop of colours other than `name`, then the thing in `name`, in `shape`, slightly shaded.
 */
export function thing(canvas: Canvas, name: string, shape: Shape): Uint8Array {
  const { dice } = canvas;
  const around = others(name);
  canvas.gradient([colour(canvas, dice.pick(around)), colour(canvas, dice.pick(around))]);
  for (let i = dice.whole(0, 3); i > 0; i--)
    canvas.paint(colour(canvas, dice.pick(around)), anyShape(canvas, 0.05, 0.2));
  const body = colour(canvas, name);
  return canvas
    .paint(body, shape)
    .grain(dice.between(0.02, 0.1), 12, 12, 3)
    .sensor(dice.between(0.005, 0.03))
    .bytes();
}

export function anyShape(canvas: Canvas, least: number, most: number): Shape {
  const { dice } = canvas;
  const [rx, ry] = [dice.between(least, most), dice.between(least, most)];
  const [cx, cy] = [dice.between(rx, 1 - rx), dice.between(ry, 1 - ry)];
  return dice.chance(0.5) ? ellipse(cx, cy, rx, ry) : box(cx - rx, cy - ry, cx + rx, cy + ry);
}

/** Shapes and surfaces of mixed colours and light: what is left when nothing is asked for. */
export function clutter(canvas: Canvas, shapes: number, levels: Range, saturation: number): Canvas {
  const { dice } = canvas;
  const tone = () => hsl(dice.between(0, 360), dice.between(0, saturation), dice.between(...levels));
  canvas.gradient([tone(), tone()]);
  for (let i = 0; i < shapes; i++) canvas.paint(tone(), anyShape(canvas, 0.03, 0.25));
  return canvas.grain(0.15, 10, 10, 4).sensor(0.02);
}

export function stripes(canvas: Canvas, angle: number): Uint8Array {
  const { dice } = canvas;
  const [a, b] = [
    hsl(dice.between(0, 360), 0.4, dice.between(0.15, 0.35)),
    hsl(dice.between(0, 360), 0.4, dice.between(0.6, 0.85)),
  ];
  const turns = dice.between(5, 14);
  const turned = ((angle + dice.between(-4, 4)) * Math.PI) / 180;
  const share = dice.between(-0.4, 0.4);
  const [dx, dy, shift] = [-Math.sin(turned), Math.cos(turned), dice.next()];
  return canvas
    .paint((x, y) => (Math.sin(2 * Math.PI * (turns * (x * dx + y * dy) + shift)) > share ? a : b))
    .grain(0.1, 8, 8, 3)
    .sensor(0.02)
    .bytes();
}

export function checker(canvas: Canvas): Uint8Array {
  const { dice } = canvas;
  const [a, b] = [
    hsl(dice.between(0, 360), 0.3, dice.between(0.05, 0.35)),
    hsl(dice.between(0, 360), 0.3, dice.between(0.65, 0.95)),
  ];
  const [nx, ny] = [dice.whole(5, 12), dice.whole(5, 12)];
  return canvas
    .paint((x, y) => ((Math.floor(x * nx) + Math.floor(y * ny)) % 2 === 0 ? a : b))
    .grain(0.1, 8, 8, 3)
    .sensor(0.02)
    .bytes();
}

export function symmetrical(canvas: Canvas): Uint8Array {
  const { dice } = canvas;
  clutter(canvas, 9, [0.1, 0.9], 0.6).change((value) => value);
  const { values } = canvas;
  for (let row = 0; row < 224; row++) {
    for (let column = 0; column < 112; column++) {
      const [from, to] = [(row * 224 + column) * 3, (row * 224 + 223 - column) * 3];
      values.copyWithin(to, from, from + 3);
    }
  }
  return canvas.sensor(dice.between(0.01, 0.03)).bytes();
}

export function plain(canvas: Canvas): Uint8Array {
  const { dice } = canvas;
  const base = hsl(dice.between(0, 360), dice.between(0, 0.6), dice.between(0.15, 0.85));
  return canvas
    .gradient([base, mix(base, [0.5, 0.5, 0.5], dice.between(0, 0.25))])
    .sensor(dice.between(0, 0.015))
    .bytes();
}

/** Turns a picture into shades of one tint. */
export function tinted(canvas: Canvas, tint: Rgb): Uint8Array {
  const { values } = canvas;
  for (let at = 0; at < values.length; at += 3) {
    const luma = 0.3 * values[at]! + 0.59 * values[at + 1]! + 0.11 * values[at + 2]!;
    for (let part = 0; part < 3; part++) values[at + part] = luma * tint[part]!;
  }
  return canvas.bytes();
}
