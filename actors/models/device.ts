// Where a graph runs: which devices to try, in which order, and why others are refused.

export const devices = ['cpu', 'cuda', 'tensorrt', 'webgpu', 'dml', 'coreml'] as const;
export type Device = (typeof devices)[number];
export type DeviceChoice = Device | 'auto';

/** A device that is not used, and why. */
export interface Refusal {
  readonly device: Device;
  readonly reason: string;
}

/** Best first. TensorRT is left out: it builds an engine for minutes, so it is used only when it is named. */
const preference: readonly Device[] = ['cuda', 'dml', 'coreml', 'webgpu'];

export interface DevicePlan {
  /** To be tried in this order; the last one is always cpu. */
  readonly order: readonly Device[];
  /** Refused before any try, because the runtime on this platform does not know the device. */
  readonly refused: readonly Refusal[];
}

/**
 * `available`: the names the runtime knows on this platform; `gpu`: whether the machine shows a graphics device at all.
 * Whatever is chosen, cpu is the last resort.
 */
export function devicesToTry(choice: DeviceChoice, available: readonly string[], gpu: boolean): DevicePlan {
  const wanted = choice === 'auto' ? preference.filter((device) => available.includes(device)) : [choice];
  const plan: { order: Device[]; refused: Refusal[] } = { order: [], refused: [] };
  for (const device of wanted) {
    const reason = refusalOf(device, available, gpu);
    if (reason === null) plan.order.push(device);
    else plan.refused.push({ device, reason });
  }
  if (!plan.order.includes('cpu')) plan.order.push('cpu');
  return plan;
}

function refusalOf(device: Device, available: readonly string[], gpu: boolean): string | null {
  if (device === 'cpu') return null;
  if (!available.includes(device)) return `not offered on this platform; there is ${available.join(', ')}`;
  return gpu ? null : 'the machine has no graphics device';
}

export function isDeviceChoice(text: string): text is DeviceChoice {
  return text === 'auto' || (devices as readonly string[]).includes(text);
}
