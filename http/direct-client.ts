// A client of an engine in this process: its methods call the handlers of the routes, with their checks and
// defaults, without a socket, a license or an answer in JSON. Errors are those of the engine.
import type { Engine } from '../actors/engine.ts';
import { tellAway } from '../actors/index/roots/contract.ts';
import type { ProgressEvent } from '../events/protocol.ts';
import { createRooms } from '../events/rooms.ts';
import type { Clock } from '../runtime/clock.ts';
import type { CallOptions, Client } from './client/client.ts';
import { ApiError } from './client/error.ts';
import { untilDone } from './client/inbox.ts';
import { RequestInput } from './request/body.ts';
import { invalidFields } from './request/response.ts';
import { type Validators, validatorsOf } from './request/validation.ts';
import type { Route } from './route.ts';
import { routes } from './routes.ts';
import { type Service, serviceOf } from './service.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Routes of what only a listening service has cannot be called. */
export function directClient(engine: Engine, follow: Client['follow']): Client {
  const service = serviceOf(engine);
  const methods = routes.map((route) => [route.id, methodOf(route, service)] as const);
  return { ...Object.fromEntries(methods), url: 'this process', follow } as unknown as Client;
}

function methodOf(route: Route, service: Service) {
  // A command calls few of the routes.
  let validators: Validators | undefined;
  return async (input: Fields = {}, { signal = new AbortController().signal }: CallOptions = {}) => {
    signal.throwIfAborted();
    validators ??= validatorsOf(route);
    const { params, query, body } = partsOf(route, input);
    const wrong = validators.params(params) ?? validators.query(query) ?? validators.body?.(body);
    if (wrong) throw invalidFields(wrong);
    await validators.spell(query, body);
    signal.throwIfAborted();
    const request = new RequestInput(params as Record<string, string>, query, body, '', '', {}, () => signal);
    const { status, body: answer, headers } = await answerOf(route, request, service);
    if (status >= 400) throw new ApiError({ status, headers: new Headers(headers) }, answer);
    return answer;
  };
}

async function answerOf(route: Route, request: RequestInput, service: Service) {
  try {
    return await route.handle(request, service);
  } catch (error) {
    throw await tellAway(service.roots, error);
  }
}

/**
 * Copies the parts as a socket would: undefined fields are left out, and nothing is shared with the caller.
 */
function partsOf({ params, query }: Route, input: Fields) {
  const parts = { params: {}, query: {}, body: {} } as Record<
    'params' | 'query' | 'body',
    Record<string, unknown>
  >;
  for (const [name, value] of Object.entries(JSON.parse(JSON.stringify(input)) as Fields)) {
    const part = name in params.properties ? 'params' : name in query.properties ? 'query' : 'body';
    parts[part][name] = value;
  }
  return parts;
}

// An engine that runs in this process for one command, asked as a service is.

/** The caller stops the engine. */
export function ownClient(engine: Engine, clock: Clock): Client {
  const hearing = new Set<(event: ProgressEvent) => void>();
  const emit = (event: ProgressEvent) => {
    for (const hear of hearing) hear(event);
  };
  const rooms = createRooms({ clock, emit });
  engine.tasks.subscribe(rooms.publish);
  const follow: Client['follow'] = (task_id, { signal } = {}) =>
    untilDone(signal, ({ put }) => {
      const hear = (event: ProgressEvent) => {
        if (event.task_id === task_id) put(event);
      };
      hearing.add(hear);
      for (const event of rooms.replay(task_id) ?? []) put(event);
      return () => hearing.delete(hear);
    });
  return directClient(engine, follow);
}
