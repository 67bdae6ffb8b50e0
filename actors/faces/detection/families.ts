// The families of face detectors, by the name that rows give them.
import { type FaceDetectorRow, modelErrors } from '../../models/contract.ts';
import type { GraphPort } from '../../models/session.ts';
import { declared, described, pictureInput, values } from '../ports.ts';
import { blazeface } from './blazeface.ts';
import { GridDetector } from './detector.ts';
import type { Candidate, FaceDetectorFamily, GridFamily } from './family.ts';

// SCRFD: two anchors a cell of 8, 16 and 32 px. Its outputs are numbered, so they are known by their order
// and their width: three times scores, three times distances to the sides of a box, three times points.

/** Sides of a cell, px, of both families. */
const strides = [8, 16, 32] as const;
const anchors = 2;
/** Scores, boxes, points. */
const widths = [1, 4, 10] as const;

export const scrfd: GridFamily = {
  open(row, session, file) {
    const input = pictureInput(session, row.detector.fixed_side, file);
    checkOutputs(session.outputs, file);
    const names = session.outputs.map(({ name }) => name);
    const { score: least } = row.detector;
    return {
      input,
      read: (outputs, { width, height }) => {
        const candidates: Candidate[] = [];
        strides.forEach((stride, at) => {
          const columns = width / stride;
          const count = columns * (height / stride) * anchors;
          const [scores, sides, points] = widths.map((size, part) =>
            values(outputs, names[part * strides.length + at]!, count * size, file),
          ) as [Float32Array, Float32Array, Float32Array];
          for (let anchor = 0; anchor < count; anchor++) {
            const score = scores[anchor]!;
            // Not the other way round: a score that is no number is none.
            if (!(score >= least)) continue;
            const cell = Math.floor(anchor / anchors);
            const x = (cell % columns) * stride;
            const y = Math.floor(cell / columns) * stride;
            const side = (n: number) => sides[anchor * 4 + n]! * stride;
            candidates.push({
              score: Math.min(1, score),
              left: x - side(0),
              top: y - side(1),
              width: side(0) + side(2),
              height: side(1) + side(3),
              landmarks: Float64Array.from(
                points.subarray(anchor * 10, anchor * 10 + 10),
                (value, n) => value * stride + (n % 2 === 0 ? x : y),
              ),
            });
          }
        });
        return candidates;
      },
    };
  },
};

function checkOutputs(outputs: readonly GraphPort[], file: string): void {
  const expected = widths.flatMap((width) => strides.map(() => width));
  const fits = ({ shape }: GraphPort, at: number) =>
    typeof shape.at(-1) !== 'number' || shape.at(-1) === expected[at];
  if (outputs.length === expected.length && outputs.every(fits)) return;
  throw modelErrors.MODEL_LOAD_FAILED(
    `${file}: expected nine outputs, three each of width 1, 4 and 10, found ${described(outputs)}`,
    { file },
  );
}

// YuNet: one box and five points a cell of 8, 16 and 32 px, scored by a class and by an objectness.

const parts = ['cls', 'obj', 'bbox', 'kps'] as const;
const sizes = { cls: 1, obj: 1, bbox: 4, kps: 10 } as const;

const share = (value: number) => Math.min(1, Math.max(0, value));

const yunet: GridFamily = {
  open(row, session, file) {
    const input = pictureInput(session, row.detector.fixed_side, file);
    const names = strides.flatMap((stride) => parts.map((part) => `${part}_${stride}`));
    declared(session.outputs, names, file);
    const { score: least } = row.detector;
    return {
      input,
      read: (outputs, { width, height }) => {
        const candidates: Candidate[] = [];
        for (const stride of strides) {
          const columns = width / stride;
          const cells = columns * (height / stride);
          const [classes, objects, boxes, points] = parts.map((part) =>
            values(outputs, `${part}_${stride}`, cells * sizes[part], file),
          ) as [Float32Array, Float32Array, Float32Array, Float32Array];
          for (let cell = 0; cell < cells; cell++) {
            // Most cells end here. Not the other way round: a score that is no number is none.
            if (!(classes[cell]! * objects[cell]! >= least * least)) continue;
            const score = Math.sqrt(share(classes[cell]!) * share(objects[cell]!));
            if (score < least) continue;
            const column = cell % columns;
            const line = Math.floor(cell / columns);
            const [x, y, w, h] = boxes.subarray(cell * 4, cell * 4 + 4) as unknown as number[];
            const across = Math.exp(w!) * stride;
            const down = Math.exp(h!) * stride;
            candidates.push({
              score,
              left: (column + x!) * stride - across / 2,
              top: (line + y!) * stride - down / 2,
              width: across,
              height: down,
              landmarks: Float64Array.from(
                points.subarray(cell * 10, cell * 10 + 10),
                (value, at) => (value + (at % 2 === 0 ? column : line)) * stride,
              ),
            });
          }
        }
        return candidates;
      },
    };
  },
};

const onGrid = (family: GridFamily): FaceDetectorFamily => ({
  open: async (row, graphOf) => {
    const { session, file } = await graphOf('graph');
    return new GridDetector(row, session, family.open(row, session, file));
  },
});

const families: Readonly<Record<string, FaceDetectorFamily>> = {
  yunet: onGrid(yunet),
  scrfd: onGrid(scrfd),
  blazeface,
};

/** Throws MODEL_INVALID, listing the families there are. */
export function detectorFamilyOf({ key, family }: FaceDetectorRow): FaceDetectorFamily {
  const match = Object.hasOwn(families, family) ? families[family] : undefined;
  if (match) return match;
  const names = Object.keys(families).join(', ');
  throw modelErrors.MODEL_INVALID(`The face detector "${key}" is of family "${family}"; there is ${names}`, {
    key,
  });
}
