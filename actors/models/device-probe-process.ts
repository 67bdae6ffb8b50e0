// The process of a probe: gets a device, runs a graph of some bytes on it, and answers what is wrong.
import '../../runtime/process/no-telemetry.ts';
import { createLog } from '../../runtime/log.ts';
import { refusalText } from './device.ts';
import type { ProbeAnswer, ProbeOrder } from './device-probe.ts';
import { openSession } from './session.ts';
import { GraphBuilder, onnxBytes } from './starter/graph/onnx.ts';

process.once('message', async (order: ProbeOrder) => {
  const answer: ProbeAnswer = await probe(order).then(
    (reason) => ({ reason }),
    (error) => ({ reason: error instanceof Error ? error.message : String(error) }),
  );
  process.send?.(answer);
});
process.once('disconnect', () => process.exit());

async function probe({ device, choice }: ProbeOrder): Promise<string | null> {
  const session = await openSession(sum(), { device: choice, threads: 1, log: createLog('probe', () => {}) });
  if (session.device !== device) return session.refused[0]?.reason ?? refusalText(session.refused);
  const side = { data: Float32Array.of(1, 2), dims: [1, 2] };
  const { sum: output } = await session.run({ a: side, b: side });
  const values = [...(output?.data ?? [])];
  return values.join() === '2,4' ? null : `1 + 1 and 2 + 2 are ${values.join(' and ')} there`;
}

/** sum = a + b, n×2: of two inputs, because a graph of constants is worked out by the processor. */
function sum(): Uint8Array {
  const graph = new GraphBuilder('sum');
  const [a, b] = [graph.input('a', 'float', ['n', 2]), graph.input('b', 'float', ['n', 2])];
  graph.output(graph.op('Add', [a, b]), 'sum', 'float', ['n', 2]);
  return onnxBytes(graph.model());
}
