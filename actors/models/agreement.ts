// Checks that a device computes the same as the processor, and in which precision it is faster. Wrong results
// of a driver or a kernel raise no error: their vectors would be stored, and found nothing.
import { reasonOf } from '../../runtime/errors.ts';
import type { ModelSession, openSession, SampleInputs, SessionOptions, TensorOut } from './session.ts';

/** The least cosine of an answer with that of the processor. */
const least = 0.999;
/** Least speed-up by half precision; below, exact results are worth more. */
const worthwhile = 1.2;
const rounds = 8;

/**
 * Opens a graph where the options say, but not on a device whose answers for `sample` are others than the
 * processor's, and in half precision where that is faster there. Takes a session on the processor and two on
 * the device while it decides. Throws as `open` does.
 */
export async function openAgreeing(
  open: typeof openSession,
  source: string | Uint8Array,
  options: SessionOptions,
  sample: SampleInputs,
): Promise<ModelSession> {
  const there = await open(source, options);
  const { device } = there;
  if (device === 'cpu') return there;
  const model = typeof source === 'string' ? source : 'a graph';
  const opened = new Set([there]);
  const add = (session: ModelSession) => {
    opened.add(session);
    return session;
  };
  try {
    const { pictures: _, ...asStored } = options;
    const here = add(await open(source, { ...asStored, device: 'cpu' }));
    const answers = await here.run(sample(here));
    const reason = await fault(there, sample, answers);
    if (reason !== null) {
      options.log.warn('device not used', { model, device, reason, used: 'cpu' });
      opened.delete(here);
      return { ...here, refused: [...there.refused, { device, reason }] };
    }
    const half = await open(source, { ...options, half: true }).then(add, (error) => reasonOf(error));
    const fast = typeof half === 'string' ? half : await faster(half, there, sample, answers);
    const isUsed = typeof fast !== 'string';
    options.log.info(isUsed ? 'half precision in use' : 'half precision not used', {
      ...{ model, device },
      ...(isUsed ? { faster: fast } : { reason: fast }),
    });
    const used = isUsed && typeof half !== 'string' ? half : there;
    opened.delete(used);
    return used;
  } finally {
    for (const session of opened) await session.release();
  }
}

/** Why a session cannot be used; null where it answers what the processor does. */
async function fault(session: ModelSession, sample: SampleInputs, answers: Answers): Promise<string | null> {
  try {
    const cosine = leastCosine(await session.run(sample(session)), answers);
    return cosine >= least ? null : `its answers differ from those of the processor (cosine ${cosine})`;
  } catch (error) {
    return reasonOf(error);
  }
}

/** How many times as fast the first one is; a text that says why it is not used. */
async function faster(
  session: ModelSession,
  baseline: ModelSession,
  sample: SampleInputs,
  answers: Answers,
): Promise<number | string> {
  const reason = await fault(session, sample, answers);
  if (reason !== null) return reason;
  // In turn, because a device that was idle takes a while to get fast.
  const [sessionTimes, baselineTimes]: [number[], number[]] = [[], []];
  const pair = [
    [session, sample(session), sessionTimes],
    [baseline, sample(baseline), baselineTimes],
  ] as const;
  for (let round = 0; round < rounds; round++) {
    for (const [candidate, feeds, times] of pair) {
      const start = performance.now();
      await candidate.run(feeds);
      times.push(performance.now() - start);
    }
  }
  const times = Math.min(...baselineTimes) / Math.min(...sessionTimes);
  return times > worthwhile ? times : `it is ${times.toFixed(2)} times as fast`;
}

type Answers = Readonly<Record<string, TensorOut>>;

/** Over the rows (the first side) of all outputs; NaN where an answer is missing or no number. */
export function leastCosine(answers: Answers, reference: Answers): number {
  const all = Object.entries(reference).flatMap(([name, { data, dims }]) => {
    const mine = answers[name]?.data;
    if (mine?.length !== data.length) return [Number.NaN];
    const rows = Math.max(1, dims[0] ?? 1);
    const width = data.length / rows;
    return Array.from({ length: rows }, (_, row) => cosine(mine, data, row * width, width));
  });
  return Math.min(...all);
}

function cosine(a: TensorOut['data'], b: TensorOut['data'], from: number, count: number): number {
  let [both, first, second] = [0, 0, 0];
  for (let at = from; at < from + count; at++) {
    const [x, y] = [Number(a[at]), Number(b[at])];
    both += x * y;
    first += x * x;
    second += y * y;
  }
  return first === 0 && second === 0 ? 1 : both / Math.sqrt(first * second);
}
