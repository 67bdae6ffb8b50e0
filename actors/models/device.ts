// Where a graph runs: which devices to try, in which order, and what is said about those that did not work.

export const devices = ['cpu', 'cuda', 'tensorrt', 'webgpu', 'dml', 'coreml'] as const;
export type Device = (typeof devices)[number];
export type DeviceChoice = Device | 'auto';

/** A device that was not taken, and why. */
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

/** `available`: the names the runtime knows on this platform. Whatever is chosen, cpu is the last resort. */
export function devicesToTry(choice: DeviceChoice, available: readonly string[]): DevicePlan {
  if (choice === 'cpu') return { order: ['cpu'], refused: [] };
  if (choice === 'auto') {
    const present = preference.filter((device) => available.includes(device));
    return { order: [...present, 'cpu'], refused: [] };
  }
  if (available.includes(choice)) return { order: [choice, 'cpu'], refused: [] };
  const reason = `not offered on this platform; there is ${available.join(', ')}`;
  return { order: ['cpu'], refused: [{ device: choice, reason }] };
}

export function isDeviceChoice(text: string): text is DeviceChoice {
  return text === 'auto' || (devices as readonly string[]).includes(text);
}
