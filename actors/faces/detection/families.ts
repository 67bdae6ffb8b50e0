// The families of face detectors, by the name that rows give them.
import { type FaceDetectorRow, modelErrors } from '../../models/contract.ts';
import { declared, pictureInput, values } from '../ports.ts';
import { blazeface } from './blazeface.ts';
import { GridDetector } from './detector.ts';
import type { Candidate, DetectorFamily, GridFamily } from './family.ts';
import { scrfd } from './scrfd.ts';

// YuNet: one box and five points a cell of 8, 16 and 32 px, scored by a class and by an objectness.

const strides = [8, 16, 32] as const;
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
        const found: Candidate[] = [];
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
            found.push({
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
        return found;
      },
    };
  },
};

const onGrid = (family: GridFamily): DetectorFamily => ({
  open: async (row, graphOf) => {
    const { session, file } = await graphOf('graph');
    return new GridDetector(row, session, family.open(row, session, file));
  },
});

const families: Readonly<Record<string, DetectorFamily>> = {
  yunet: onGrid(yunet),
  scrfd: onGrid(scrfd),
  blazeface,
};

/** Throws MODEL_INVALID, listing the families there are. */
export function detectorFamilyOf({ key, family }: FaceDetectorRow): DetectorFamily {
  const found = Object.hasOwn(families, family) ? families[family] : undefined;
  if (found) return found;
  const names = Object.keys(families).join(', ');
  throw modelErrors.MODEL_INVALID(`The face detector "${key}" is of family "${family}"; there is ${names}`, {
    key,
  });
}
