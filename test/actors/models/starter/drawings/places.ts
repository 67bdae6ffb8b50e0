// Pictures of simple scenes, drawn after what real frames have: skies that pale towards the horizon, water
// with lying ripples, dark green textured leaves, snow with bluish shade, night with noise and points of
// light.
import { box, type Canvas, ellipse, hsl, mix, type Rgb, scaled } from './canvas.ts';

const white: Rgb = [0.97, 0.97, 0.97];

/** A frame is drawn back to front; every step leaves the canvas for the next. */
export function blueSky(canvas: Canvas, to = 1): Canvas {
  const { dice } = canvas;
  const hue = dice.between(204, 222);
  canvas.gradient(
    [
      hsl(hue, dice.between(0.45, 0.75), dice.between(0.42, 0.6)),
      hsl(hue - 5, dice.between(0.3, 0.6), dice.between(0.72, 0.86)),
    ],
    0,
    to,
  );
  if (dice.chance(0.5)) {
    const cover = canvas.noise(3, 5, 4);
    const threshold = dice.between(0.52, 0.62);
    const copy = canvas.values.slice();
    canvas.paint(
      (x, y) => {
        const at = (Math.floor(y * 224) * 224 + Math.floor(x * 224)) * 3;
        return mix([copy[at]!, copy[at + 1]!, copy[at + 2]!], white, (cover(x, y) - threshold) * 8);
      },
      (_, y) => y < to,
    );
  }
  return canvas;
}

export function overcast(canvas: Canvas, to = 1): Canvas {
  const { dice } = canvas;
  const light = dice.between(0.62, 0.82);
  const cast: Rgb = [light * 0.98, light, light * 1.03];
  const cloud = canvas.noise(3, 4, 3);
  return canvas.paint(
    (x, y) => scaled(cast, 0.85 + 0.3 * cloud(x, y) + 0.05 * y),
    (_, y) => y < to,
  );
}

export function anySky(canvas: Canvas, to: number): Canvas {
  return canvas.dice.chance(0.6) ? blueSky(canvas, to) : overcast(canvas, to);
}

/** Ground of a colour from a ragged horizon down. */
function ground(
  canvas: Canvas,
  horizon: number,
  ragged: number,
  color: Rgb,
  grain: number,
  patches: number,
): Canvas {
  const edge = canvas.noise(6, 1, 4);
  const shape = (x: number, y: number) => y > horizon + (edge(x, 0) - 0.5) * ragged;
  return canvas.paint((_, y) => scaled(color, 0.8 + 0.4 * y), shape).grain(grain, patches, patches, 4, shape);
}

export function skyOverLand(canvas: Canvas): Canvas {
  const { dice } = canvas;
  const horizon = dice.between(0.5, 0.85);
  blueSky(canvas);
  const land = dice.pick([hsl(100, 0.3, 0.25), hsl(30, 0.25, 0.3), hsl(220, 0.05, 0.35), hsl(40, 0.1, 0.2)]);
  return ground(canvas, horizon, dice.between(0.02, 0.2), land, 0.4, 20).sensor(0.01);
}

export function overcastOverLand(canvas: Canvas): Canvas {
  const { dice } = canvas;
  overcast(canvas);
  const land = dice.pick([hsl(100, 0.25, 0.25), hsl(30, 0.2, 0.3), hsl(220, 0.05, 0.3)]);
  return ground(canvas, dice.between(0.55, 0.85), 0.15, land, 0.4, 20).sensor(0.01);
}

export function sea(canvas: Canvas): Canvas {
  const { dice } = canvas;
  const horizon = dice.between(0.2, 0.55);
  anySky(canvas, 1);
  const water = hsl(dice.between(185, 222), dice.between(0.2, 0.65), dice.between(0.25, 0.42));
  canvas.paint(
    (_, y) => mix(mix(water, white, 0.25), water, ((y - horizon) / (1 - horizon)) * 2),
    (_, y) => y > horizon,
  );
  return canvas.grain(dice.between(0.15, 0.4), 7, 45, 3, (_, y) => y > horizon).sensor(0.015);
}

export function foliage(canvas: Canvas): Canvas {
  const { dice } = canvas;
  const leaf = hsl(dice.between(75, 125), dice.between(0.25, 0.55), dice.between(0.2, 0.36));
  const light = canvas.noise(5, 5, 4);
  canvas.paint((x, y) =>
    mix(scaled(leaf, 0.3), mix(leaf, hsl(75, 0.5, 0.6), 0.4), (light(x, y) - 0.3) * 2.2),
  );
  return canvas.grain(0.55, 45, 45, 2).sensor(0.02);
}

export function forest(canvas: Canvas): Canvas {
  const { dice } = canvas;
  foliage(canvas);
  for (let i = dice.whole(3, 8); i > 0; i--) {
    const left = dice.between(0, 0.95);
    canvas.paint(
      hsl(25, 0.25, dice.between(0.1, 0.22)),
      box(left, 0.1, left + dice.between(0.015, 0.05), dice.between(0.7, 1)),
    );
  }
  return canvas.grain(0.3, 40, 40, 2);
}

export function grass(canvas: Canvas): Canvas {
  const { dice } = canvas;
  const horizon = dice.chance(0.3) ? -0.1 : dice.between(0.15, 0.5);
  anySky(canvas, 1);
  const blade = hsl(dice.between(72, 115), dice.between(0.3, 0.6), dice.between(0.28, 0.42));
  return ground(canvas, horizon, 0.04, blade, 0.35, 40).sensor(0.015);
}

export function snow(canvas: Canvas): Canvas {
  const { dice } = canvas;
  const horizon = dice.between(0.15, 0.5);
  anySky(canvas, 1);
  const edge = canvas.noise(8, 1, 4);
  const treeLine = (x: number) => horizon - 0.01 - edge(x, 0) * 0.15;
  if (dice.chance(0.7)) canvas.paint(hsl(150, 0.15, 0.15), (x, y) => y > treeLine(x));
  const drift = canvas.noise(4, 6, 4);
  const shade = hsl(dice.between(208, 225), dice.between(0.15, 0.35), dice.between(0.72, 0.82));
  return canvas
    .paint(
      (x, y) => mix(shade, white, drift(x, y) * 2.2 - 0.4),
      (_, y) => y > horizon,
    )
    .sensor(0.01);
}

function sandColour({ dice }: Canvas): Rgb {
  return hsl(dice.between(30, 42), dice.between(0.25, 0.45), dice.between(0.58, 0.74));
}

export function beach(canvas: Canvas): Canvas {
  const { dice } = canvas;
  const [horizon, shore] = [dice.between(0.25, 0.4), dice.between(0.45, 0.6)];
  sea(canvas);
  blueSky(canvas, horizon);
  const water = hsl(dice.between(185, 210), 0.5, 0.45);
  canvas
    .paint(water, (_, y) => y > horizon && y < shore)
    .grain(0.2, 6, 40, 3, (_, y) => y > horizon && y < shore);
  return ground(canvas, shore, 0.1, sandColour(canvas), 0.12, 40).sensor(0.015);
}

export function desert(canvas: Canvas): Canvas {
  const { dice } = canvas;
  blueSky(canvas);
  const sand = sandColour(canvas);
  ground(canvas, dice.between(0.2, 0.4), 0.15, sand, 0.08, 20);
  return ground(canvas, dice.between(0.55, 0.7), 0.3, scaled(sand, dice.between(0.75, 0.9)), 0.08, 30).sensor(
    0.01,
  );
}

export function night(canvas: Canvas): Canvas {
  const { dice } = canvas;
  const dark = hsl(dice.between(200, 260), dice.between(0.1, 0.5), dice.between(0.03, 0.09));
  canvas.gradient([dark, scaled(dark, dice.between(0.4, 1.6))]);
  for (let i = dice.whole(2, 6); i > 0; i--)
    canvas.paint(
      scaled(dark, dice.between(0.3, 2)),
      box(dice.next(), dice.between(0.3, 0.8), dice.next(), 1),
    );
  for (let i = dice.whole(1, 6); i > 0; i--) lamp(canvas, dice.between(0.008, 0.02));
  return canvas.sensor(dice.between(0.02, 0.05));
}

function lamp(canvas: Canvas, size: number): void {
  const { dice } = canvas;
  const glow = hsl(dice.pick([35, 42, 48, 210]), dice.between(0.4, 0.9), dice.between(0.7, 0.92));
  canvas.paint(glow, ellipse(dice.next(), dice.between(0.3, 1), size, size));
}

export function cityLights(canvas: Canvas): Canvas {
  const { dice } = canvas;
  night(canvas);
  for (let i = dice.whole(40, 120); i > 0; i--) lamp(canvas, dice.between(0.004, 0.012));
  return canvas.sensor(0.02);
}

export function sunset(canvas: Canvas): Canvas {
  const { dice } = canvas;
  const horizon = dice.between(0.55, 0.85);
  const top = dice.pick([hsl(225, 0.35, 0.3), hsl(260, 0.25, 0.35), hsl(20, 0.5, 0.35), hsl(205, 0.35, 0.5)]);
  const low = hsl(dice.between(18, 40), dice.between(0.75, 0.95), dice.between(0.5, 0.62));
  canvas.gradient([top, mix(top, hsl(dice.between(0, 25), 0.6, 0.55), 0.7), low], 0, horizon + 0.05);
  if (dice.chance(0.6))
    canvas.paint(hsl(45, 1, 0.85), ellipse(dice.between(0.2, 0.8), horizon - 0.06, 0.045, 0.045));
  if (dice.chance(0.6)) canvas.grain(0.2, 3, 14, 3, (_, y) => y < horizon);
  return ground(
    canvas,
    horizon,
    dice.between(0.01, 0.15),
    hsl(20, 0.3, dice.between(0.04, 0.12)),
    0.3,
    20,
  ).sensor(0.015);
}

export function fire(canvas: Canvas): Canvas {
  const { dice } = canvas;
  const dark = hsl(20, 0.4, dice.between(0.02, 0.08));
  const tongues = canvas.noise(7, 3, 4);
  const [middle, width, height] = [dice.between(0.3, 0.7), dice.between(0.2, 0.45), dice.between(0.4, 0.75)];
  canvas.paint((x, y) => {
    const across = Math.abs(x - middle) / width;
    const heat = (y - (1 - height)) / height - across + (tongues(x, y) - 0.5) * 1.6;
    if (heat < 0) return scaled(mix(dark, [0.4, 0.12, 0.02], heat + 0.5), 1);
    return heat < 0.4
      ? mix([0.75, 0.2, 0.02], [1, 0.55, 0.08], heat / 0.4)
      : mix([1, 0.55, 0.08], [1, 0.9, 0.45], (heat - 0.4) * 2);
  });
  return canvas.sensor(0.02);
}

export function face(canvas: Canvas): Canvas {
  const { dice } = canvas;
  canvas.gradient([
    hsl(dice.between(0, 360), 0.2, dice.between(0.2, 0.7)),
    hsl(dice.between(0, 360), 0.2, dice.between(0.2, 0.6)),
  ]);
  const skin = dice.pick([
    hsl(22, 0.5, 0.78),
    hsl(22, 0.45, 0.68),
    hsl(20, 0.42, 0.55),
    hsl(20, 0.4, 0.42),
    hsl(18, 0.4, 0.3),
  ]);
  const [cx, cy, r] = [dice.between(0.42, 0.58), dice.between(0.48, 0.58), dice.between(0.26, 0.4)];
  canvas.paint(hsl(25, 0.35, dice.between(0.06, 0.3)), ellipse(cx, cy - r * 0.4, r * 1.12, r * 1.25));
  canvas.paint(
    (x, y) => scaled(skin, 1.06 - 0.5 * Math.abs(x - cx) - 0.2 * Math.abs(y - cy)),
    ellipse(cx, cy, r, r * 1.3),
  );
  for (const side of [-1, 1]) {
    canvas.paint([0.92, 0.9, 0.88], ellipse(cx + side * r * 0.4, cy - r * 0.2, r * 0.15, r * 0.08));
    canvas.paint(hsl(25, 0.4, 0.12), ellipse(cx + side * r * 0.4, cy - r * 0.2, r * 0.07, r * 0.08));
    canvas.paint(
      hsl(25, 0.4, 0.15),
      box(cx + side * r * 0.4 - r * 0.18, cy - r * 0.42, cx + side * r * 0.4 + r * 0.18, cy - r * 0.36),
    );
  }
  canvas.paint(mix(skin, [0.65, 0.2, 0.2], 0.6), ellipse(cx, cy + r * 0.65, r * 0.3, r * 0.09));
  return canvas.blur(1).sensor(0.012);
}

export function document(canvas: Canvas): Canvas {
  const { dice } = canvas;
  const paper = mix(white, hsl(42, 0.4, 0.8), dice.between(0, 0.4));
  const ink = hsl(230, 0.1, dice.between(0.05, 0.25));
  canvas.gradient([paper, scaled(paper, dice.between(0.85, 1))]);
  const [margin, step] = [dice.between(0.04, 0.12), dice.between(0.035, 0.06)];
  for (let y = margin; y < 1 - margin; y += step) {
    if (dice.chance(0.1)) continue;
    writeLine(canvas, ink, margin, dice.chance(0.2) ? dice.between(0.4, 0.8) : 1 - margin, y, step * 0.5);
  }
  return canvas.sensor(0.01);
}

/** Strokes that stand and lie, with gaps as between letters and words. */
function writeLine(canvas: Canvas, ink: Rgb, from: number, to: number, y: number, height: number): void {
  const { dice } = canvas;
  for (let x = from; x < to; x += height * dice.between(0.5, 0.8)) {
    if (dice.chance(0.16)) continue;
    const w = height * 0.16;
    canvas.paint(ink, box(x, y, x + w, y + height));
    if (dice.chance(0.6))
      canvas.paint(
        ink,
        box(
          x,
          y + height * dice.pick([0, 0.4, 0.85]),
          x + height * 0.45,
          y + height * dice.pick([0.12, 0.5, 1]),
        ),
      );
  }
}

export function title(canvas: Canvas): Canvas {
  const { dice } = canvas;
  canvas.gradient([
    hsl(dice.between(0, 360), 0.3, 0.08),
    hsl(dice.between(0, 360), 0.3, dice.between(0.05, 0.2)),
  ]);
  for (let i = dice.whole(2, 5), y = dice.between(0.15, 0.3); i > 0; i--, y += 0.14)
    writeLine(canvas, white, dice.between(0.08, 0.2), dice.between(0.75, 0.92), y, 0.07);
  return canvas.sensor(0.01);
}

export function fog(canvas: Canvas): Canvas {
  const { dice } = canvas;
  const grey = dice.between(0.62, 0.82);
  const air: Rgb = [grey * 0.99, grey, grey * 1.01];
  canvas.gradient([air, scaled(air, dice.between(0.85, 1))]);
  const edge = canvas.noise(7, 1, 4);
  canvas.paint(
    (_, y) => scaled(air, 0.92 - 0.1 * y),
    (x, y) => y > 0.45 + edge(x, 0) * 0.3,
  );
  return canvas.blur(2).sensor(0.01);
}

export function room(canvas: Canvas): Canvas {
  const { dice } = canvas;
  const wall = hsl(dice.between(25, 60), dice.between(0.05, 0.25), dice.between(0.6, 0.85));
  canvas.gradient([wall, scaled(wall, 0.85)]);
  canvas.paint(
    hsl(28, dice.between(0.2, 0.5), dice.between(0.25, 0.5)),
    (_, y) => y > dice.between(0.72, 0.74),
  );
  for (let i = dice.whole(3, 7); i > 0; i--) {
    const [x, y, w] = [dice.between(0, 0.8), dice.between(0.2, 0.7), dice.between(0.08, 0.3)];
    canvas.paint(
      hsl(dice.between(0, 360), dice.between(0.1, 0.6), dice.between(0.15, 0.7)),
      box(x, y, x + w, y + dice.between(0.1, 0.4)),
    );
  }
  return canvas.grain(0.08, 15, 15, 3).sensor(0.015);
}

export function street(canvas: Canvas): Canvas {
  const { dice } = canvas;
  overcast(canvas);
  for (let x = -0.05; x < 1; ) {
    const width = dice.between(0.15, 0.35);
    const top = dice.between(0.05, 0.4);
    canvas.paint(
      hsl(dice.between(10, 50), dice.between(0.05, 0.3), dice.between(0.3, 0.6)),
      box(x, top, x + width, 0.8),
    );
    for (let wy = top + 0.04; wy < 0.7; wy += 0.09) {
      for (let wx = x + 0.03; wx < x + width - 0.05; wx += 0.07)
        canvas.paint([0.15, 0.17, 0.2], box(wx, wy, wx + 0.035, wy + 0.05));
    }
    x += width;
  }
  canvas.paint([0.3, 0.3, 0.31], (_, y) => y > 0.78);
  return canvas.grain(0.12, 25, 25, 3).sensor(0.015);
}
