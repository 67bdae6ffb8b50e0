// Where a graph runs: which devices to try, in which order, and why others are refused.

export const devices = ['cpu', 'cuda', 'tensorrt', 'webgpu', 'dml', 'coreml'] as const;
export type Device = (typeof devices)[number];
/** Choices that can have several cards. */
export const numbered = ['auto', 'cuda', 'tensorrt', 'dml'] as const;
/** With a number, a card as the interface counts them; without one, its first. */
export type DeviceChoice = Device | 'auto' | `${(typeof numbered)[number]}:${number}`;

export function partsOf(choice: DeviceChoice): { readonly device: Device | 'auto'; readonly card: number } {
  const [device, card = '0'] = choice.split(':') as [Device | 'auto', string?];
  return { device, card: Number(card) };
}

/** A device with the number of a card, where it has cards. */
export function onCard(device: Device, card: number): DeviceChoice {
  return card > 0 && (device === 'cuda' || device === 'tensorrt' || device === 'dml')
    ? `${device}:${card}`
    : device;
}

/** Execution provider of ONNX Runtime, as far as its binding passes it on. */
export type Provider =
  | Device
  | { readonly name: 'coreml'; readonly coreMlFlags: number }
  | { readonly name: 'cuda' | 'tensorrt' | 'dml'; readonly deviceId: number };

/** Core ML's current format of models: the older one, the default, knows few operators. */
const mlProgram = 0x010;

/** How the runtime is asked for a device. */
export function providerOf(device: Device, card: number): Provider {
  if (device === 'coreml') return { name: device, coreMlFlags: mlProgram };
  if (onCard(device, card) === device) return device;
  return { name: device as 'cuda' | 'tensorrt' | 'dml', deviceId: card };
}

interface Refusal {
  readonly device: Device;
  readonly reason: string;
}

export interface RunsOn {
  readonly device: Device;
  /** Devices that were tried before, and why each was not taken. */
  readonly refused: readonly Refusal[];
}

/** State of work that needs no graph. */
export const onProcessor: RunsOn = { device: 'cpu', refused: [] };

/** Graphics devices that a machine shows without a trial. */
export interface Graphics {
  /** One of any maker; where only trying tells, it is taken for there. */
  readonly any: boolean;
  readonly nvidia: boolean;
}

/**
 * Best first. Two are used only when they are named: TensorRT builds an engine for minutes, and WebGPU ends
 * the process when two threads run graphs at once (microsoft/onnxruntime#27592, #31627, #32561), so that its
 * runs wait for each other here.
 */
const preference: readonly Device[] = ['cuda', 'dml', 'coreml'];

interface DevicePlan {
  readonly card: number;
  /** To be tried in this order; the last one is always cpu. */
  readonly order: readonly Device[];
  /** Refused before any try. */
  readonly refused: readonly Refusal[];
}

/** `available`: the names the runtime knows on this platform. Whatever is chosen, cpu is the last resort. */
export function devicesToTry(
  choice: DeviceChoice,
  available: readonly string[],
  graphics: Graphics,
): DevicePlan {
  const { device: named, card } = partsOf(choice);
  const candidates = named === 'auto' ? preference.filter((device) => available.includes(device)) : [named];
  const plan = { card, order: [] as Device[], refused: [] as Refusal[] };
  for (const device of candidates) {
    const reason = refusalOf(device, available, graphics);
    if (reason === null) plan.order.push(device);
    else plan.refused.push({ device, reason });
  }
  if (!plan.order.includes('cpu')) plan.order.push('cpu');
  return plan;
}

function refusalOf(device: Device, available: readonly string[], graphics: Graphics): string | null {
  if (device === 'cpu') return null;
  if (!available.includes(device))
    return `not available on this platform; available: ${available.join(', ')}`;
  if (device !== 'cuda' && device !== 'tensorrt') return graphics.any ? null : 'no graphics device found';
  return graphics.nvidia ? null : 'no NVIDIA device found';
}

/** True if models may run on another device than the processor. */
export function mayUseGraphics(choice: DeviceChoice, { any, nvidia }: Graphics): boolean {
  const { device } = partsOf(choice);
  return device !== 'cpu' && (device === 'webgpu' ? any : nvidia);
}

const words: Readonly<Record<string, string>> = {
  cpu: 'the processor',
  cuda: 'CUDA',
  tensorrt: 'TensorRT',
  webgpu: 'WebGPU',
  dml: 'DirectML',
  coreml: 'Core ML',
};

/** A device as a person calls it. */
export const deviceText = (device: string) => words[device] ?? device;

/** Why no better device is used; null where none was refused. */
export function refusalText(refused: readonly Refusal[]): string | null {
  if (refused.length === 0) return null;
  return refused.map(({ device, reason }) => `${deviceText(device)}: ${reason}`).join('; ');
}
