// The only importer of onnxruntime: opens a graph on the best device that works and runs it.
// On the main thread of a program without an entry of ours; a worker comes too late.
import '../../runtime/process/no-telemetry.ts';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import type { Log } from '../../runtime/log.ts';
import { modelErrors } from './contract.ts';
import {
  type Device,
  type DeviceChoice,
  devices,
  devicesToTry,
  type Provider,
  providerOf,
  type RunsOn,
} from './device.ts';
import { cudaFault, graphicsHere, multipliesBytes } from './machine.ts';
import { forProcessor, type Ranges } from './rewriting/for-processor.ts';
import { inHalfPrecision } from './rewriting/half-precision.ts';
import { type PictureInput, takingBytes } from './rewriting/picture-bytes.ts';
import { productsInBytes } from './rewriting/products.ts';
import { accessTo, type DeviceAccess } from './webgpu-lock.ts';

type Runtime = typeof import('onnxruntime-node');

/** Loaded with the first graph: the included model turns texts into vectors without one. */
async function loadRuntime(): Promise<Runtime> {
  const runtime = await import('onnxruntime-node');
  // Failures are thrown as errors; the runtime does not print them as well.
  runtime.env.logLevel = 'fatal';
  return runtime;
}

export type TensorData =
  | Float32Array
  | Float64Array
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int32Array
  | BigInt64Array;

/** A dense array in row order. `data` is *borrowed until the run ends*. */
export interface TensorIn {
  readonly data: TensorData;
  readonly dims: readonly number[];
  /** Only where the array alone does not say it: Uint8Array as bool, Uint16Array as float16. */
  readonly type?: 'bool' | 'float16';
}

/** `data` is *owned by the caller*. */
export interface TensorOut {
  readonly data: TensorData;
  readonly dims: readonly number[];
}

export interface GraphPort {
  readonly name: string;
  /** Element type; empty for values that are not tensors. */
  readonly type: string;
  /** Fixed sides as numbers, free ones by name. */
  readonly shape: readonly (number | string)[];
}

export interface ModelSession extends RunsOn {
  readonly inputs: readonly GraphPort[];
  readonly outputs: readonly GraphPort[];
  /**
   * Runs once; feeds that the graph does not declare are left out. `into`: arrays of the shapes of outputs,
   * which are written instead of new ones. Blocks this thread. Throws MODEL_RUN_FAILED, and CANCELLED when
   * the actor stops before its turn on the device.
   */
  run(
    feeds: Readonly<Record<string, TensorIn>>,
    fetch?: readonly string[],
    into?: Readonly<Record<string, TensorIn>>,
  ): Promise<Record<string, TensorOut>>;
  /** Frees the graph; a second call does nothing. Never while a run is under way. */
  release(): Promise<void>;
}

export interface SessionOptions {
  readonly device: DeviceChoice;
  /** Threads inside one operator; 0 leaves it to the runtime. */
  readonly threads: number;
  readonly log: Log;
  /**
   * A graph of convolutions: on the processor it is run as one that answers the same in less time
   * (rewriting/).
   */
  readonly convolutional?: boolean;
  /**
   * Ranges of the values of such a graph. A processor that multiplies bytes fast computes with bytes, with
   * nearly the same results.
   */
  readonly ranges?: Ranges;
  /** An input that another device than the processor takes as bytes, where the graph lets it (rewriting/). */
  readonly pictures?: PictureInput;
  /**
   * Matrix products with weights that the graph holds in bytes. A processor that multiplies bytes fast
   * computes them in bytes, and answers nearly the same; any other converts the weights once, when the graph
   * is opened, and not in every run. For graphs that run often on few values: a decoder that ties its output
   * to the embedding of its tokens converts all of it for every token.
   */
  readonly hasByteProducts?: boolean;
  /** In half precision on a device that is not the processor, or not at all. */
  readonly half?: boolean;
  /** Aborted when the actor stops: ends the wait for a device that one thread uses at a time. */
  readonly stopping?: AbortSignal;
  /** Asked before each device is tried, which can take seconds; what it throws ends the opening. */
  checkpoint?(): Promise<void>;
}

/** Devices that the runtime knows on this platform. One of them can still fail to load. */
export async function offeredDevices(): Promise<Device[]> {
  const { listSupportedBackends } = await loadRuntime();
  const backends = new Set(listSupportedBackends().map(({ name }) => name));
  return devices.filter((device) => backends.has(device));
}

/**
 * Opens a graph. `source`: a path (external data lies beside it) or the bytes of a graph without external
 * data. A device that does not work is logged and answered in `refused`, and the next one is tried. Throws
 * MODEL_LOAD_FAILED, naming the file and what the processor refuses.
 */
export async function openSession(
  source: string | Uint8Array,
  options: SessionOptions,
): Promise<ModelSession> {
  const name = typeof source === 'string' ? source : `a graph of ${source.byteLength} bytes`;
  if (typeof source === 'string' && !existsSync(source)) {
    throw modelErrors.MODEL_LOAD_FAILED(`${name}: there is no such file`, { file: name });
  }
  const plan = devicesToTry(options.device, await offeredDevices(), graphicsHere());
  const refused = [...plan.refused];
  for (const device of plan.order) {
    if (options.half && device === 'cpu') break;
    await options.checkpoint?.();
    const access = accessTo(device, options.stopping);
    const graph = await rewritten(source, name, device, options);
    const opened = await access(() => attempt(create(graph, providerOf(device, plan.card), options)));
    if ('session' in opened) {
      for (const { device: refusedDevice, reason } of refused) {
        const level = options.device === 'auto' ? 'info' : 'warn';
        options.log[level]('device not used', { model: name, device: refusedDevice, reason, used: device });
      }
      return wrap(await loadRuntime(), opened.session, name, { device, refused }, access);
    }
    const fault = device === 'cuda' || device === 'tensorrt' ? cudaFault(device) : null;
    refused.push({ device, reason: fault ?? reasonOf(opened.error) });
  }
  // If the processor refuses the graph, the graph is wrong, and a missing device is irrelevant.
  const last = refused.at(-1);
  const reasons =
    last?.device === 'cpu'
      ? last.reason
      : refused.map(({ device, reason }) => `${device}: ${reason}`).join('; ');
  throw modelErrors.MODEL_LOAD_FAILED(`${name}: ${reasons}`, { file: name });
}

/** The graph as the device runs it: itself where there is nothing to gain, or something is not understood. */
async function rewritten(
  source: string | Uint8Array,
  name: string,
  device: Device,
  { log, ranges, convolutional, hasByteProducts, pictures, half }: SessionOptions,
): Promise<string | Uint8Array> {
  const onProcessor = device === 'cpu';
  const inBytes = hasByteProducts && multipliesBytes();
  if (onProcessor ? !convolutional && !inBytes : !pictures && !half) return source;
  try {
    const onnx = typeof source === 'string' ? await readFile(source) : source;
    if (onProcessor && inBytes) return productsInBytes(onnx);
    if (onProcessor) return forProcessor(onnx, multipliesBytes() ? ranges : undefined);
    const computed = half ? inHalfPrecision(onnx) : onnx;
    return pictures ? takingBytes(computed, pictures) : computed;
  } catch (error) {
    if (half) throw modelErrors.MODEL_LOAD_FAILED(`${name}: ${reasonOf(error)}`, { file: name }, error);
    log.info('a graph is run as it is', { model: name, reason: reasonOf(error) });
    return source;
  }
}

function attempt(
  creation: Promise<InferenceSession>,
): Promise<{ session: InferenceSession } | { error: unknown }> {
  return creation.then(
    (session) => ({ session }),
    (error) => ({ error }),
  );
}

async function create(
  source: string | Uint8Array,
  provider: Provider,
  { threads, hasByteProducts }: SessionOptions,
): Promise<InferenceSession> {
  const { InferenceSession } = await loadRuntime();
  const settings: InferenceSession.SessionOptions = {
    executionProviders: [provider],
    // A device leaves little to the processor: some copying, and operators that it lacks.
    intraOpNumThreads: provider === 'cpu' ? threads : Math.min(2, threads || 2),
    interOpNumThreads: 1,
    graphOptimizationLevel: 'all',
    logSeverityLevel: 4,
    // Spinning threads take the cores that decoding needs between two batches.
    extra: {
      session: {
        intra_op: { allow_spinning: '0' },
        inter_op: { allow_spinning: '0' },
        ...(hasByteProducts && { disable_quant_qdq: '1' }),
      },
    },
  };
  return typeof source === 'string'
    ? InferenceSession.create(source, settings)
    : InferenceSession.create(source, settings);
}

function wrap(
  { Tensor }: Runtime,
  session: InferenceSession,
  name: string,
  on: RunsOn,
  access: DeviceAccess,
): ModelSession {
  const toTensor = ({ data, dims, type }: TensorIn) => new Tensor(type ?? typeOf(data), data, dims);
  const inputs = session.inputMetadata.map(port);
  const outputs = session.outputMetadata.map(port);
  const declared = new Set(session.inputNames);
  let open = true;
  return {
    inputs,
    outputs,
    ...on,
    run: async (feeds, fetch = session.outputNames, into = {}) => {
      if (!open) throw modelErrors.MODEL_RUN_FAILED(`${name}: already released`, { file: name });
      const tensors: Record<string, Tensor> = {};
      for (const [input, value] of Object.entries(feeds)) {
        if (declared.has(input)) tensors[input] = toTensor(value);
      }
      const fetches = fetch.map((output) => [output, into[output] ? toTensor(into[output]) : null]);
      return access(async () => {
        try {
          return read(await session.run(tensors, Object.fromEntries(fetches)));
        } catch (error) {
          throw modelErrors.MODEL_RUN_FAILED(`${name}: ${reasonOf(error)}`, { file: name }, error);
        }
      });
    },
    release: async () => {
      if (!open) return;
      open = false;
      // Also when the actor stops, so without a signal.
      await accessTo(on.device)(() => session.release());
    },
  };
}

function port(meta: InferenceSession.ValueMetadata): GraphPort {
  return meta.isTensor
    ? { name: meta.name, type: meta.type, shape: meta.shape }
    : { name: meta.name, type: '', shape: [] };
}

function typeOf(data: TensorData): Tensor.Type {
  if (data instanceof Float32Array) return 'float32';
  if (data instanceof BigInt64Array) return 'int64';
  if (data instanceof Uint8Array) return 'uint8';
  if (data instanceof Int8Array) return 'int8';
  if (data instanceof Int32Array) return 'int32';
  if (data instanceof Float64Array) return 'float64';
  return 'uint16';
}

function read(results: InferenceSession.ReturnType): Record<string, TensorOut> {
  return Object.fromEntries(
    Object.entries(results).map(([name, value]) => {
      const { data, dims } = value as Tensor;
      return [name, { data: data as TensorData, dims }];
    }),
  );
}

/** The first line of the runtime's message, without the path and the location in its source. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const line = (text.split('\n', 1)[0] ?? text).replace(/^Load model from .*? failed:/, '');
  return line.replace(/^\S+\.(cc|h):\d+ (.* was false\. |.*\) )?/, '');
}

// One graph of a model, whose inputs and outputs are checked against those the family uses when it is opened.

/**
 * Opens a graph on the device and with the threads the actor was set to. `source`: a path, or the bytes of a
 * graph without external data. Throws MODEL_LOAD_FAILED. The family owns the session and releases it in
 * `close`.
 */
/** Feeds of a graph, which may take another form of them than its file says. */
export type SampleInputs = (session: ModelSession) => Readonly<Record<string, TensorIn>>;

export type SessionOpener = (
  source: string | Uint8Array,
  more?: Pick<SessionOptions, 'pictures' | 'hasByteProducts'> & { readonly sample?: SampleInputs },
) => Promise<ModelSession>;

export interface ExpectedInput {
  readonly name: string;
  readonly type: 'float32' | 'int64' | 'int32' | 'bool';
  /** Dimensions as they are fed; null for one of any size. */
  readonly shape: readonly (number | null)[];
}

export interface Graph {
  readonly file: string;
  readonly session: ModelSession;
  /** Dimensions of an input as the graph declares them. */
  shapeOf(input: string): readonly (number | string)[];
  /** Throws MODEL_RUN_FAILED, also when an output is missing. */
  run(feeds: Readonly<Record<string, TensorIn>>): Promise<Record<string, TensorOut>>;
}

/** Throws MODEL_LOAD_FAILED, naming the file and what is wrong; the session is released then. */
export async function openGraph(
  open: SessionOpener,
  file: string,
  inputs: readonly ExpectedInput[],
  outputs: readonly string[],
  more?: Parameters<SessionOpener>[1],
): Promise<Graph> {
  const session = await open(file, more);
  const mismatch = inputs.map((expected) => mismatchOf(session, expected)).find((fault) => fault !== null);
  const names = session.outputs.map(({ name }) => name);
  const missing = outputs.find((name) => !names.includes(name));
  const fault =
    mismatch ?? (missing === undefined ? null : `has no output ${missing}, only ${names.join(', ')}`);
  if (fault !== null) {
    await session.release();
    throw modelErrors.MODEL_LOAD_FAILED(`${file}: ${fault}`, { file });
  }
  return {
    file,
    session,
    shapeOf: (input) => session.inputs.find(({ name }) => name === input)?.shape ?? [],
    run: (feeds) => session.run(feeds, outputs),
  };
}

function mismatchOf({ inputs }: ModelSession, { name, type, shape }: ExpectedInput): string | null {
  const port = inputs.find((input) => input.name === name);
  if (!port) return `has no input ${name}, only ${inputs.map((input) => input.name).join(', ')}`;
  if (port.type !== type) return `input ${name} is ${port.type}, expected ${type}`;
  const fits =
    port.shape.length === shape.length &&
    port.shape.every((side, at) => typeof side === 'string' || shape[at] === null || side === shape[at]);
  if (fits) return null;
  const expected = shape.map((side) => side ?? '?').join('×');
  return `input ${name} has the shape ${port.shape.join('×')}, expected ${expected}`;
}

/** The output as floats with that many dimensions. Throws MODEL_RUN_FAILED. */
export function floatsOf(
  { file }: Graph,
  results: Readonly<Record<string, TensorOut>>,
  name: string,
  rank: number,
): { readonly data: Float32Array; readonly dims: readonly number[] } {
  const tensor = results[name];
  if (tensor?.data instanceof Float32Array && tensor.dims.length === rank) {
    return { data: tensor.data, dims: tensor.dims };
  }
  throw modelErrors.MODEL_RUN_FAILED(
    `${file}: output ${name} is ${tensor?.dims.join('×') ?? 'missing'}, expected floats of ${rank} dimensions`,
    { file },
  );
}

/**
 * Index of the maximum of `values[from … to)`, counted from `from`; the first of several. NaN is never the
 * maximum.
 */
export function argmax(values: Float32Array, from: number, to: number): number {
  let best = from;
  for (let at = from + 1; at < to; at += 1) {
    if (values[at]! > values[best]! || Number.isNaN(values[best]!)) best = at;
  }
  return best - from;
}
