// Graphs of every family with inputs for them: real ones where the repository or the shared weights have
// them, else of the real size with random weights.
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { leastCosine } from '../actors/models/agreement.ts';
import { type DeviceChoice, refusalText } from '../actors/models/device.ts';
import { type ModelSession, openSession, type TensorIn, type TensorOut } from '../actors/models/session.ts';
import { buildStarterVisual } from '../actors/models/starter/graph/graph.ts';
import { onnxBytes } from '../actors/models/starter/graph/onnx.ts';
import { overlapFile, starterSpeakerFile } from '../actors/models/starter/speaker.ts';
import { createLog } from '../runtime/log.ts';
import { sharedPath } from '../test/shared.ts';
import { sized } from './size.ts';
import { vitB16, vitModel } from './vit.ts';
import { whisperEncoder } from './whisper-graphs.ts';

export interface Graph {
  readonly name: string;
  readonly source: () => string | Uint8Array;
  readonly feeds: Readonly<Record<string, TensorIn>>;
}

export interface Side {
  readonly device: string;
  /** Why no better device is used. */
  readonly why: string | null;
  /** One run. */
  ms(): Promise<number>;
  /** The least over the rows of the outputs. */
  cosine(reference: Side): Promise<number>;
  outputs(): Promise<Record<string, TensorOut>>;
  release(): Promise<void>;
}

export function* graphs(): Generator<Graph> {
  const { side } = vitB16;
  for (const count of sized([1, 8, 32], [1])) {
    const pixel_values = floats([count, 3, side, side]);
    const source = () => onnxBytes(vitModel(vitB16));
    yield { name: `ViT-B/16, ${count} pictures of ${side} px`, source, feeds: { pixel_values } };
  }
  const pictures = { data: bytes(8 * 224 * 224 * 3), dims: [8, 224, 224, 3] };
  yield { name: 'starter model, 8 pictures', source: buildStarterVisual, feeds: { pixels: pictures } };
  const sound = { feats: floats([1, 300, 80]) };
  yield { name: 'starter-speaker, 3 s', source: () => starterSpeakerFile.path, feeds: sound };
  yield { name: 'voices at once, 3 s', source: () => overlapFile.path, feeds: sound };
  const medium = { bands: 80, width: 1024, layers: 1, vocabulary: 51_865, sure: 200 } as const;
  yield {
    name: 'convolutions of Whisper medium, 30 s',
    source: () => onnxBytes(whisperEncoder(medium)),
    feeds: { input_features: floats([1, 80, 3000]) },
  };
  yield* recorded('yunet_n_dynamic.onnx', 'YuNet, 1280 × 736', { input: floats([1, 3, 736, 1280], 255) });
  yield* recorded('silero_vad.onnx', 'Silero VAD, 32 ms', {
    input: floats([1, 576]),
    state: { data: new Float32Array(256), dims: [2, 1, 128] },
    sr: { data: BigInt64Array.of(16_000n), dims: [] },
  });
}

function* recorded(file: string, name: string, feeds: Graph['feeds']): Generator<Graph> {
  const path = sharedPath(`weights/${file}`);
  if (existsSync(path)) yield { name, source: () => path, feeds };
}

/** The caller releases it. */
export async function sideOf({ source, feeds }: Graph, choice: DeviceChoice): Promise<Side> {
  const log = createLog('bench', () => {});
  const session: ModelSession = await openSession(source(), {
    device: choice,
    threads: availableParallelism(),
    log,
  });
  const outputs = () => session.run(feeds);
  // A device compiles at first, which is no part of a run.
  await outputs();
  return {
    device: session.device,
    why: refusalText(session.refused),
    outputs,
    ms: async () => {
      const start = performance.now();
      const took = () => performance.now() - start;
      for (let runs = 1; ; runs++) {
        await outputs();
        if (took() > sized(300, 0)) return took() / runs;
      }
    },
    cosine: async (reference) => leastCosine(await outputs(), await reference.outputs()),
    release: () => session.release(),
  };
}

function bytes(count: number): Uint8Array {
  let state = 5;
  return Uint8Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 24;
  });
}

/** Between 0 and `most`. */
function floats(dims: readonly number[], most = 1): TensorIn {
  const count = dims.reduce((product, side) => product * side, 1);
  return { data: Float32Array.from(bytes(count), (value) => (value / 255) * most), dims };
}
