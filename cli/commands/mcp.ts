// `framehound mcp`: the tools for assistants over standard input and output, until the assistant closes them.
// Nothing but the protocol is written to standard output.

import { Writable } from 'node:stream';
import { createClient } from '../../http/client/client.ts';
import { serveOverPipes } from '../../http/mcp/protocol.ts';
import { requestIds } from '../../http/request/head.ts';
import { createBodyParser } from '../../http/request/intake.ts';
import { routes } from '../../http/routes.ts';
import { createApp, inProcess } from '../../http/server.ts';
import { serviceOf } from '../../http/service.ts';
import { toFields } from '../../runtime/errors.ts';
import { localOrigin } from '../../runtime/origin.ts';
import { programVersion } from '../../runtime/process/program.ts';
import { folders } from '../../settings.ts';
import { commandTable } from '../command-table.ts';
import { type Command, type Context, exit, flagsOf, stopEngine } from '../context.ts';
import { runningService } from '../service-file.ts';

// The service behind the tools of `framehound mcp`: the one of the setting `server`, else the one that runs
// with the home folder, else an engine in this process, started by the first question that finds no service.
// It is looked up for each question, since an assistant keeps the command running for hours.

interface AssistantService {
  /** Address in error messages. */
  readonly url: string;
  readonly key: string;
  /** Undefined: that of the system. */
  readonly fetch: typeof fetch | undefined;
  /** Stops what was started here; a task is left so that it can be resumed. */
  close(): Promise<void>;
}

function assistantService(context: Context): AssistantService {
  const { server, license_key } = context.values;
  if (server !== '') return { url: server, key: license_key, fetch: undefined, close: async () => {} };
  const { home } = folders(context.values);
  let ownService: Promise<OwnService> | null = null;
  const ask: typeof fetch = async (input, init) => {
    const { pathname, search } = new URL(String(input));
    const running = runningService(home);
    if (running) {
      const url = localOrigin(running.host, running.port) + pathname + search;
      return fetch(url, withKey(init, running.owner ?? license_key));
    }
    ownService ??= startOwn(context);
    const started = ownService;
    const answering = await started.catch((error: unknown) => {
      // The next question tries again.
      if (ownService === started) ownService = null;
      throw error;
    });
    return answering.fetch(input, init);
  };
  return {
    url: 'http://localhost',
    key: license_key,
    fetch: ask,
    close: async () => {
      const started = await ownService?.catch(() => null);
      await started?.close();
    },
  };
}

function withKey(init: RequestInit | undefined, key: string): RequestInit {
  const headers = new Headers(init?.headers);
  if (key === '') headers.delete('X-License-Key');
  else headers.set('X-License-Key', key);
  return { ...init, headers };
}

interface OwnService {
  readonly fetch: typeof fetch;
  close(): Promise<void>;
}

/** An engine that is asked as a service is. Only this process can ask it, so no key is needed. */
async function startOwn(context: Context): Promise<OwnService> {
  const { values, clock, log } = context;
  log.info('no service is running for this home folder; starting an engine in this process');
  const engine = await context.startEngine(values.decoders);
  const bodies = createBodyParser();
  const app = createApp({
    routes,
    service: serviceOf(engine),
    license: () => ({ ok: true }),
    isAllowedHost: () => true,
    origins: [],
    bodies,
    log: log.named('http'),
    observe: () => {},
    newId: requestIds('mcp'),
    now: clock.now,
  });
  engine.search.models.load(values.model).catch((error: unknown) => {
    log.error('the visual model could not be loaded', {
      model: values.model,
      error: toFields(error).message,
    });
  });
  const close = async () => {
    await bodies.close();
    await stopEngine(engine, context);
  };
  return { fetch: inProcess(app), close };
}

// Standard output for a protocol alone: whatever else this process, its threads or a package writes there
// goes to standard error, since one foreign line would break the connection.

/** To be called once, before anything is written. */
export function protocolOutput(stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream): Writable {
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  return new Writable({
    decodeStrings: false,
    write: (chunk: string | Uint8Array, encoding, done) => {
      write(chunk as string, encoding, (error) => done(error ?? null));
    },
  });
}

export const mcp: Command = async (args, context) => {
  flagsOf(commandTable.mcp, args);
  const { values, log } = context;
  const service = assistantService(context);
  const { url, key, fetch } = service;
  const client = createClient({ url, key, ...(fetch && { fetch }) });
  const desk = { client, url, cacheDir: folders(values).cache };
  // Before the first message is read: it may be the last one.
  const over = connectionOver(context);
  const connection = serveOverPipes({
    desk,
    output: protocolOutput(process.stdout, process.stderr),
    version: programVersion(),
    onError: (error) => log.warn('a message was rejected', { error: error.message }),
  });
  try {
    await over;
  } finally {
    await connection.close();
    await service.close();
  }
  return exit.ok;
};

/** Resolves when the assistant has gone, or this process is told to end. */
function connectionOver({ signal }: Context): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
    process.stdin.once('error', () => resolve());
  });
}
