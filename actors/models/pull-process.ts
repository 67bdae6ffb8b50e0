// The process of a download in the background: fetches one model after another, and tells of it as long as
// somebody listens.
import { systemClock } from '../../runtime/clock.ts';
import { toFields } from '../../runtime/errors.ts';
import type { PullFailure, PullMessage, PullOrder } from './background-pull.ts';
import { createModelLibrary } from './library.ts';

const { modelsDir, server, keys }: PullOrder = JSON.parse(process.argv[2]!);
// Nobody asks it what to download, so it matters not what the machine has.
const library = createModelLibrary(modelsDir, { memoryBytes: 0, graphics: false }, server);
const stop = new AbortController();
for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => stop.abort());

function tell(message: PullMessage): void {
  // An error of sending says that the listener is gone.
  if (process.connected) process.send?.(message, () => {});
}

let failure: PullFailure | null = null;
for (const key of keys) {
  const options = { signal: stop.signal, clock: systemClock };
  const pulling = library.pull(key, { ...options, progress: (progress) => tell({ progress }) });
  await pulling.catch((error: unknown) => {
    const { code, message } = toFields(error);
    failure ??= { code, message };
  });
}
tell({ failure });
