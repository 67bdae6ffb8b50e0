// The interface of commands to operations: a running service where one is configured, else an engine in this
// process. A command is written once and prints the same with both.

import type { ModelState } from '../actors/models/contract.ts';
import { deviceText } from '../actors/models/device.ts';
import { type CallOptions, type Client, createClient } from '../http/client/client.ts';
import { ApiError, clientErrors } from '../http/client/error.ts';
import { engineErrors, errorTable } from '../runtime/errors.ts';
import { type Context, pause, withEngine } from './context.ts';
import { printable, type Screen } from './terminal.ts';

const serviceErrors = errorTable({
  NOT_LICENSED: { meaning: 'The service does not accept the license key', status: 403 },
});

export interface CommandService {
  /**
   * Calls end with the signal of the context unless they have one of their own. Errors say what a person can
   * do.
   */
  readonly client: Client;
  /** An engine in this process, which ends with the command. */
  readonly isOwn: boolean;
}

/** `decoders`: films decoded at the same time by an engine of its own; 0 for one that only searches. */
export async function withService<T>(
  context: Context,
  decoders: number,
  work: (service: CommandService) => Promise<T>,
): Promise<T> {
  const { server } = context.values;
  if (server !== '') return work(serviceAt(server, context));
  // While the threads of the engine start.
  const loading = import('../http/direct-client.ts');
  return withEngine(context, decoders, async (engine) => {
    const { signal, clock } = context;
    const { ownClient } = await loading;
    const wordsOf = (error: unknown) => (signal.aborted ? engineErrors.CANCELLED() : error);
    return work({ client: bound(ownClient(engine, clock), () => ({ signal }), wordsOf), isOwn: true });
  });
}

export function serviceAt(url: string, context: Context): CommandService {
  const { license_key } = context.values;
  const { signal } = context;
  const client = bound(
    createClient({ url, ...(license_key !== '' && { key: license_key }) }),
    (operation) => ({ signal, retries: askedOnce.has(operation) ? 0 : RETRIES }),
    (error) => explained(error, url, context),
  );
  return { client, isOwn: false };
}

/** How often a busy service is asked again; its answer says when. */
const RETRIES = 15;

/** That a task works on it, or that another process writes or watches, is told at once, not waited for. */
const askedOnce: ReadonlySet<string> = new Set<keyof Client>([
  ...(['listLibrary', 'forgetMedia', 'pruneLibrary', 'libraryDisk', 'moveMedia'] as const),
  ...(['faceClusters', 'clusterSamples', 'clusterFaces', 'nameClusters', 'modifyClusters'] as const),
  ...(['undoClusters', 'recluster', 'deletePeople', 'appearances', 'deleteSummaries'] as const),
  ...(['listWatchFolders', 'addWatchFolder', 'changeWatchFolder', 'removeWatchFolder'] as const),
  ...(['startWatching', 'stopWatching'] as const),
]);

/** The same client with options of its own for each operation, and other words for errors. */
function bound(
  client: Client,
  optionsOf: (operation: string) => CallOptions,
  wordsOf: (error: unknown) => unknown,
): Client {
  const { url, follow, ...operations } = client;
  const methods = Object.entries(operations).map(([id, method]) => {
    const ask = method as (input: unknown, options: CallOptions) => Promise<unknown>;
    const operation = async (input: unknown, options: CallOptions = {}) => {
      try {
        return await ask(input, { ...optionsOf(id), ...options });
      } catch (error) {
        throw wordsOf(error);
      }
    };
    return [id, operation] as const;
  });
  return { ...Object.fromEntries(methods), url, follow } as unknown as Client;
}

/** The same error with what a person can do about it. */
function explained(error: unknown, url: string, { signal, leave }: Context): unknown {
  if (signal.aborted || leave.aborted) return engineErrors.CANCELLED();
  if (clientErrors.NO_SERVICE.is(error)) {
    return clientErrors.NO_SERVICE(`${error.message}; to start one: framehound serve`, {}, error);
  }
  if (!(error instanceof ApiError)) return error;
  if (error.status === 401) {
    const message = `the service at ${url} needs a license key: set FRAMEHOUND_LICENSE_KEY; to make a key: framehound license issue --tier pro`;
    return serviceErrors.NOT_LICENSED(message, {}, error);
  }
  if (error.status === 403) {
    const why = error.message === error.error ? error.error : `${error.error}: ${error.message}`;
    return serviceErrors.NOT_LICENSED(`the service at ${url} refused access: ${why}`, {}, error);
  }
  return error;
}

/**
 * Brings the visual model of the settings, or `key`, into use. A running service keeps the one it has unless
 * a person named another one.
 */
export async function useModel(
  { client, isOwn }: CommandService,
  { config, values, screen }: Context,
  key = values.model,
): Promise<void> {
  if (!isOwn && config.sources.model === 'default') return;
  const { warning } = await client.loadModel({ model_key: key });
  if (warning !== undefined) screen.write(`note: ${warning}\n`);
}

/** Between two looks at a model that is being loaded. */
const LOADING_MS = 100;

/** The same, and writes where the model runs, once it is loaded. */
export async function useModelAndTell(
  service: CommandService,
  context: Context,
  key?: string,
): Promise<void> {
  await useModel(service, context, key);
  const { client } = service;
  let { visual } = await client.loadedModels();
  // The model of a service that has just started has no device before it is loaded.
  while (visual.is_loading) {
    await pause(context, LOADING_MS);
    ({ visual } = await client.loadedModels());
  }
  writeDeviceLine(context.screen, visual);
}

// Writes where the visual model runs, and why on no better device: a slow run has its reason in the first
// line.

export function writeDeviceLine(screen: Screen, state: ModelState): void {
  const { model_key, device, device_reason } = state;
  if (model_key === null || device === null) return;
  const reason = device_reason ? ` (${printable(device_reason)})` : '';
  screen.write(`${model_key} runs on ${deviceText(device)}${reason}\n`);
}
