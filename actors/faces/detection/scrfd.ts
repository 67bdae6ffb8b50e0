// SCRFD: two anchors a cell of 8, 16 and 32 px. Its outputs are numbered, so they are known by their order
// and their width: three times scores, three times distances to the sides of a box, three times points.
import { modelErrors } from '../../models/contract.ts';
import type { Port } from '../../models/session.ts';
import { described, pictureInput, values } from '../ports.ts';
import type { Candidate, GridFamily } from './family.ts';

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
        const found: Candidate[] = [];
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
            found.push({
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
        return found;
      },
    };
  },
};

function checkOutputs(outputs: readonly Port[], file: string): void {
  const expected = widths.flatMap((width) => strides.map(() => width));
  const fits = ({ shape }: Port, at: number) =>
    typeof shape.at(-1) !== 'number' || shape.at(-1) === expected[at];
  if (outputs.length === expected.length && outputs.every(fits)) return;
  throw modelErrors.MODEL_LOAD_FAILED(
    `${file}: expected nine outputs, three each of width 1, 4 and 10, found ${described(outputs)}`,
    { file },
  );
}
