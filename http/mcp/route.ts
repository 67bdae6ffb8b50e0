// POST /mcp: the tools for assistants over HTTP, stateless, one message and one answer. It is no
// operation of the API: the protocol describes it, so neither the API document nor the client has it.
import { Type } from 'typebox';
import { engineErrors, toFields } from '../../runtime/errors.ts';
import type { LiveText } from '../../runtime/live-text.ts';
import { AbsolutePath } from '../../runtime/paths.ts';
import { described } from '../../runtime/schema.ts';
import { noObject } from '../request/body.ts';
import { invalidBody } from '../request/response.ts';
import { type Route, reply, route } from '../route.ts';
import { EVENTS, protocolHeaders } from './contract.ts';

/** Arguments of tools are short: texts, ids and paths. */
const MOST_BYTES = 1024 * 1024;

// Codes of JSON-RPC 2.0.
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;

const Message = Type.Unsafe<object>({ type: 'object' });
/** A message, or a stream of messages. */
const Answer = Type.Unsafe<object | LiveText>({});
const Nothing = Type.Unsafe<undefined>({});

const mcp = route({
  method: 'POST',
  path: '/mcp',
  id: 'mcp',
  tag: 'Assistants',
  summary: 'Provide tools for assistants over the Model Context Protocol',
  headers: protocolHeaders,
  mostBytes: MOST_BYTES,
  query: Type.Object({
    cache_dir: Type.Optional(
      described(AbsolutePath, 'Analysis folder, if it is not the default one of the service.'),
    ),
  }),
  body: Type.Object({
    jsonrpc: described(Type.Literal('2.0'), 'Version of JSON-RPC.'),
    id: Type.Optional(
      described(Type.Union([Type.String(), Type.Number()]), 'Id of the request; omitted for notifications.'),
    ),
    method: Type.Optional(described(Type.String({ maxLength: 200 }), 'Method, such as `tools/call`.')),
    params: Type.Optional(described(Type.Object({}), 'Parameters of the method.')),
  }),
  answers: { 200: Answer, 202: Nothing, 400: Message, 404: Message, 500: Message },
  form: { live: EVENTS },
  onError: async (error) => {
    const { status, meaning, message } = toFields(error);
    const code = meaning === invalidBody && message !== noObject ? PARSE_ERROR : INVALID_REQUEST;
    return status === 400 ? reply(400, refusal(code, message)) : undefined;
  },
  handle: async ({ body, query, headers, credential, signal }, { assistants }) => {
    const cacheDir = query.cache_dir ?? null;
    const answer = await assistants.answer({ message: body, headers, credential, cacheDir, signal });
    if (signal.aborted) throw engineErrors.CANCELLED('the client has disconnected');
    const { status, body: said } = answer;
    if (status === 202 || said === undefined) return reply(202, undefined);
    if (status === 200) return reply(200, said);
    // Whatever else the protocol refuses a message for is the fault of the message.
    return reply(status === 404 || status === 500 ? status : 400, said);
  },
});

function refusal(code: number, message: string) {
  const name = code === PARSE_ERROR ? 'Parse error' : 'Invalid request';
  return { jsonrpc: '2.0', id: null, error: { code, message: `${name}: ${message}` } };
}

export const mcpRoutes: readonly Route[] = [mcp];
