// Tells the process of a service to end, and no other one.
import { createClient } from '../http/client/client.ts';
import { ApiError } from '../http/client/error.ts';
import { localOrigin } from '../http/page-address.ts';
import { codeOf } from '../runtime/files/error-code.ts';
import { type RunningService, runsHere } from './service-file.ts';
import { serviceErrors } from './sign-in.ts';

/** How long a service may take to say that it is the one, ms. */
const ANSWER_MS = 5_000;

/** Answers the number of the process. Throws NOT_STOPPED. */
export async function tellToStop(service: RunningService, signal: AbortSignal): Promise<number> {
  const { guardian, engine } = service;
  const { pid, started } = guardian && runsHere(guardian) ? guardian : engine;
  // Where the system does not say when a process began, another one may have got the number since.
  if (started === '' && !(await answers(service, signal)))
    throw serviceErrors.NOT_STOPPED(
      `process ${pid} may no longer be this service: nothing answers for it at port ${service.port}`,
    );
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    // It has ended meanwhile.
    if (codeOf(error) !== 'ESRCH')
      throw serviceErrors.NOT_STOPPED(
        `process ${pid} could not be signalled to stop (${codeOf(error)})`,
        {},
        error,
      );
  }
  return pid;
}

/** The secret of its owner is known to one run of the service alone. */
async function answers({ host, port, owner }: RunningService, signal: AbortSignal): Promise<boolean> {
  const client = createClient({ url: localOrigin(host, port), key: owner ?? '' });
  const options = { signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]) };
  try {
    if (owner === null) return (await client.livez({}, options)).status === 'ok';
    return typeof (await client.getSettings({}, options)).cache_dir === 'string';
  } catch (error) {
    // It is stopping already.
    return error instanceof ApiError && error.status === 503;
  }
}
