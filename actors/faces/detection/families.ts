// The families of face detectors, by the name that rows give them.
import { type FaceDetectorRow, modelErrors } from '../../models/contract.ts';
import { blazeface } from './blazeface.ts';
import { GridDetector } from './detector.ts';
import type { DetectorFamily, GridFamily } from './family.ts';
import { scrfd } from './scrfd.ts';
import { yunet } from './yunet.ts';

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
