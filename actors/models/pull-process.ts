// The process of a download in the background: fetches one model after another, and reports it as long as
// somebody listens.
import { systemClock } from '../../runtime/clock.ts';
import { toFields } from '../../runtime/errors.ts';
import type { PullMessage, PullOrder } from './background-pull.ts';
import { modelErrors, type PullFailure, type PullProgress, refusalOf } from './contract.ts';
import { createModelLibrary } from './library.ts';
import { PullBytes } from './pull-bytes.ts';

/** Tries of a host that has sent nothing yet, so that a network without a model hub is noticed soon. */
const triesOfSilent = 3;

const { modelsDir, server, keys, device }: PullOrder = JSON.parse(process.argv[2]!);
// The caller has chosen the models, so the machine does not matter.
const library = createModelLibrary(modelsDir, { memoryBytes: 0, graphics: false }, server, device ?? null);
const stop = new AbortController();
for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => stop.abort());

function tell(message: PullMessage): void {
  // An error of sending says that the listener is gone.
  if (process.connected) process.send?.(message, () => {});
}

const { models } = await library.list();
const bytes = new Map(
  keys.map((key) => [key, new PullBytes(models.find(({ row }) => row.key === key)?.row.files ?? [])]),
);
/** Hosts from which something came. */
const answering = new Set<string>();
/** First failure of each host that has sent nothing. */
const silent = new Map<string, PullFailure>();
const npm = 'npm';

const failures: PullFailure[] = [];
for (const key of keys) {
  if (stop.signal.aborted) break;
  const failure = await pull(key);
  if (failure) failures.push(failure);
}
tell({ failures });

/** Null when the model is there. */
async function pull(key: string): Promise<PullFailure | null> {
  let current = npm;
  const progress = (now: PullProgress) => {
    current = now.server?.startsWith(`${npm} `) ? npm : (now.server ?? npm);
    if (now.phase === 'receiving') answering.add(current);
    bytes.get(key)?.take(now);
    report(key, now);
  };
  try {
    const { files } = await library.missing(key);
    const hosts = new Set(files.map(({ url }) => (url === null ? npm : new URL(url).host)));
    for (const host of hosts) {
      const failure = silent.get(host);
      if (failure) return { ...failure, key };
    }
    const isAnswered = [...hosts].every((host) => answering.has(host));
    const tries = isAnswered ? {} : { tries: triesOfSilent };
    const options = { signal: stop.signal, clock: systemClock, progress, ...tries };
    const { test, refused, partner } = await library.pull(key, options);
    bytes.get(key)?.end();
    for (const host of hosts) answering.add(host);
    if (partner?.refused) failures.push(failureOf(partner.key, refusalOf(partner.key, partner.test)));
    if (test && refused) throw refusalOf(key, test);
    return null;
  } catch (error) {
    const failure = failureOf(key, error);
    if (modelErrors.DOWNLOAD_FAILED.is(error) && !answering.has(current)) silent.set(current, failure);
    return failure;
  }
}

function failureOf(key: string, error: unknown): PullFailure {
  const { code, message } = toFields(error);
  return { key, code, message };
}

function report(key: string, { phase, reason, file, server }: PullProgress): void {
  const all = [...bytes.values()];
  const received = all.reduce((sum, transfer) => sum + transfer.received, 0);
  const total = all.reduce((sum, transfer) => sum + transfer.total, 0);
  tell({ stand: { key, phase, reason, file, server, received, total } });
}
