// Finds out which devices really run a graph here, each in a process of its own: a driver may crash or hang.
import type { Clock } from '../../runtime/clock.ts';
import { askIsolated } from '../../runtime/process/isolated.ts';
import { moduleUrl } from '../../runtime/process/program.ts';
import { type Device, type DeviceChoice, devicesToTry, type Graphics, onCard } from './device.ts';

export interface ProbeOrder {
  readonly device: Device;
  /** The device, on the card that is asked about. */
  readonly choice: DeviceChoice;
}

/** `reason`: why it does not run there; null when it does. */
export interface ProbeAnswer {
  readonly reason: string | null;
}

export interface ProbedDevice extends ProbeAnswer {
  readonly device: Device;
  /** False where the machine shows no such device, so that nothing was tried. */
  readonly tried: boolean;
}

export interface ProbeOptions {
  readonly card?: number;
  readonly available: readonly Device[];
  readonly graphics: Graphics;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Ms for one device. TensorRT takes long to start. */
  readonly limitMs?: number;
  readonly program?: URL;
}

const probeProgram = moduleUrl('./device-probe-process', import.meta.url);

/** One after the other: they share memory of the device. Rejects only with CANCELLED. */
export async function probeDevices({
  available,
  graphics,
  card = 0,
  signal,
  clock,
  limitMs = 120_000,
  program = probeProgram,
}: ProbeOptions): Promise<ProbedDevice[]> {
  const probed: ProbedDevice[] = [];
  for (const device of available) {
    const [refused] = devicesToTry(device, available, graphics).refused;
    if (refused) {
      probed.push({ ...refused, tried: false });
      continue;
    }
    const order: ProbeOrder = { device, choice: onCard(device, card) };
    const answer = await askIsolated<ProbeAnswer>(program, order, { signal, clock, limitMs });
    const reason = 'answer' in answer ? answer.answer.reason : `the process that tried it ${answer.failure}`;
    probed.push({ device, reason, tried: true });
  }
  return probed;
}
