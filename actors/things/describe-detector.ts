// In which precision the downloaded detector computes on this machine.
import { createLog } from '../../runtime/log.ts';
import type { DeviceChoice } from '../models/device.ts';
import { chooseObjectDetector, fileOf } from '../models/registry.ts';
import { openSession } from '../models/session.ts';
import { thingsErrors } from './contract.ts';
import { type OpenedDetector, openDetector } from './detector.ts';

const precisions: Readonly<Record<OpenedDetector['eightBits'], string>> = {
  used: 'in eight bits',
  refused: 'in single precision, because eight bits give other results here',
  'not tried': 'in single precision',
};

/** Null where none is downloaded. Opens it; throws what opening throws. */
export async function describeDetector(modelsDir: string, device: DeviceChoice): Promise<string | null> {
  const row = await chooseObjectDetector(modelsDir).catch((error) => {
    if (thingsErrors.NO_OBJECT_DETECTOR.is(error)) return null;
    throw error;
  });
  if (row === null) return null;
  const options = { device, threads: 1, log: createLog('things', () => {}), convolutional: true };
  const { detector, eightBits } = await openDetector((ranges) =>
    openSession(fileOf(modelsDir, row, 'graph'), { ...options, ...(ranges && { ranges }) }),
  );
  await detector.close();
  return `${row.key} ${precisions[eightBits]}`;
}
