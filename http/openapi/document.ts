// The routes as an OpenAPI 3.0.3 document: what `GET /openapi.json` answers and what `/docs` shows. Derived
// from the routes, so that it cannot differ from what the server validates.
import { type TObject, type TSchema, Type } from 'typebox';
import { measured } from '../../actors/analysis/stages/kind.ts';
import { stageKinds } from '../../actors/analysis/stages/kinds.ts';
import { EVENT_PATH, ProgressEvent, RoomArgument } from '../../events/protocol.ts';
import { SearchHit } from '../../events/searches/contract.ts';
import { described, named } from '../../runtime/schema.ts';
import { type Answers, Bytes, ErrorBody, type Method, NoBody, type Route } from '../route.ts';
import { createShapes, type Json, type Schema, type Shapes } from './schema.ts';

// The events of the service in the API document: what clients emit and what they hear, with the meaning of
// each field.

interface EventDocument {
  readonly name: string;
  readonly sender: 'client' | 'server';
  readonly summary: string;
  readonly payload: Schema;
  /** Argument of the acknowledgement. */
  readonly answer?: Schema;
}

const ofSummaries = 'For tasks that make summaries.';
const ofDownloads = 'For tasks that download models.';
const ofClusters = 'For tasks that cluster faces.';
const eventMeanings: Readonly<Record<string, string>> = {
  task_id: 'Id of the task.',
  progress:
    'Progress of the whole task as a percentage from 0 to 100, which never decreases. Summary events send it as a decimal string.',
  video_path:
    'The file in progress, the file that failed, or the first of `ended_files`; null for events without a file.',
  done: 'True if the task has ended, whatever its outcome. No more events of this run follow.',
  type: 'Type of the work. `video`: visual analysis; `speech`: transcription; `faces`: finding and clustering faces; `pull`: downloading models. The last event of a task with several types has the first of them.',
  queue_position: 'Position in the queue, 1 for the next task; omitted while the task runs.',
  waits_for: 'Id of the running task that this task waits for; omitted while the task runs.',
  is_cluster_job: `${ofClusters} True while a clustering runs and when it has ended.`,
  cluster_job_name: `${ofClusters} Name of the clustering.`,
  cluster_progress: `${ofClusters} Progress of the clustering as a percentage.`,
  cluster_media_hashes: `${ofClusters} Hashes of the media whose faces belong to the clustering. Sent when the clustering has ended.`,
  sample_face_naming: `${ofClusters} Which names from sample faces were assigned to clusters.`,
  summary_stage: `${ofSummaries} What is being done for the summary in progress.`,
  summary_node_id: `${ofSummaries} Id of the node whose text is being written.`,
  summary_error: `${ofSummaries} Why the summary was not made.`,
  pull_model_key: `${ofDownloads} Key of the model in progress.`,
  pull_file: `${ofDownloads} Name of the file in progress.`,
  pull_phase: `${ofDownloads} What is being done with the file.`,
  received_bytes: `${ofDownloads} Bytes of the model that have been received.`,
  total_bytes: `${ofDownloads} Bytes of the whole model.`,
  jobs: 'Number of jobs in the task, such as face clusterings, clips or downloads.',
  jobs_done: 'Number of jobs that have ended.',
  ended_files:
    'Files whose work has ended since the last such event, with their outcomes. Each file is reported once; cancelled files are not reported.',
  warning:
    'A note about `ended_files` for the user, such as that a file contains only sound although pictures were requested.',
  error: 'Why the file failed or, with `done`, why the task failed.',
  error_code: 'Code of the error, such as `FILE_UNREADABLE`. Codes do not change between versions.',
  cancelled: 'With `done`: whether the task was cancelled.',
  interrupted:
    'With `done`: whether the engine ended while the task was running. Such a task can be resumed.',
  files: 'Number of files in the task. A file that is analysed for both pictures and speech counts twice.',
  files_done: 'Number of files that have a result.',
  surveyed: 'Whether the amount of work is known for every file.',
  file_progress: 'Progress of the file in `video_path` as a percentage.',
  elapsed_seconds: 'Seconds since the task started.',
  estimated_remaining_seconds:
    'Estimated number of seconds until the task ends; omitted while there is no estimate.',
};

/** Amounts of work are named by the units of each kind of work: `frames` of `grid_frames`. */
function amount(name: string): string {
  const unit = name.replace(/^file_/, '');
  const of = name === unit ? 'the task' : '`video_path`';
  return measured(stageKinds).some(({ unit: { done } }) => done === unit)
    ? `Amount of work done for ${of}.`
    : `Total amount of work for ${of}. It grows while files are still being surveyed.`;
}

/** The event of a task, with what its fields mean. */
export const ProgressShape = named(
  'ProgressEvent',
  Type.Object(
    Object.fromEntries(
      Object.entries(ProgressEvent.properties as Readonly<Record<string, TSchema>>).map(([name, schema]) => [
        name,
        described(schema, eventMeanings[name] ?? amount(name)),
      ]),
    ),
  ),
);

const error = described(
  Type.Optional(Type.String()),
  'A short phrase that says why the request was refused; omitted on success.',
);
const RoomOfEvent = described(
  RoomArgument,
  'The id of a task, or an object that contains the id of a task or of a saved search.',
);

function eventsDocument(shapes: Shapes): readonly EventDocument[] {
  return [
    {
      name: 'join',
      sender: 'client',
      summary: `Follows a task or the hits of a saved search, over Socket.IO at \`${EVENT_PATH}\`. Of a task, the server first sends the failures so far and the last event of every type, then all new events.`,
      payload: shapes.of(RoomOfEvent),
      answer: shapes.of(
        Type.Object({ joined: described(Type.Boolean(), 'Whether events will follow.'), error }),
      ),
    },
    {
      name: 'leave',
      sender: 'client',
      summary: 'Stops following a task or a saved search.',
      payload: shapes.of(RoomOfEvent),
      answer: shapes.of(
        Type.Object({ left: described(Type.Boolean(), 'Whether the task was being followed.'), error }),
      ),
    },
    {
      name: 'progress',
      sender: 'server',
      summary:
        'Reports the state of a task (at most once every 110 ms for each task and type), files that ended (in `ended_files`), or a file that failed (with `video_path` and `error`, while `done` is false).',
      payload: shapes.of(ProgressShape),
    },
    {
      name: 'search_hit',
      sender: 'server',
      summary: 'A saved search that was joined has found something in a file that was just analysed.',
      payload: shapes.of(SearchHit),
    },
  ];
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Json>>;
  readonly content: Content;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Response | { readonly $ref: string }>>;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
}

export interface OpenApi {
  readonly openapi: '3.0.3';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  /** OpenAPI 3.0 has no form for events, so they stand in a field of their own. */
  readonly 'x-events': readonly EventDocument[];
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly headers: Readonly<Record<string, Json>>;
    readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, string>>>>;
  };
}

const SCHEME = 'licenseKey';

const about = `Analyses every second of films, stills and sound on this machine, and finds moments in them again.

Bodies are JSON objects of at most 80 MiB, a million values and 250,000 keys. Fields that are not listed here are ignored, and null \
in a field that is not required is the same as leaving it out. Paths of files and folders are \
absolute, because the service opens them itself.

**Authentication.** Every operation except the open ones needs a license key, either in the header \`X-License-Key\` or in \
the body as \`license_key\`. A key in the body takes precedence over the header.

**Errors.** \`error\` is a short phrase that names the field or thing, and \`message\` has the details. Responses with status \
409 and 503 have a \`Retry-After\` header if the same request can succeed later. Unknown paths return 404 (below \`/api/v1\` \
only after the key has been checked), and wrong methods return 405 with an \`Allow\` header. Requests return 403 if their \
host name is neither local nor configured, or if they come from a web page of another site that is not listed in the \
setting \`origins\`. Large bodies return 503 while other bodies use up the memory for them; requests with the key in the \
header may use more memory. Every response has an \`X-Request-Id\` header, whose value is also in the log.

**Events.** Long operations return 202 with a \`task_id\`. After a client emits \`join\` with that id to the Socket.IO server \
on the same host and port, it receives \`progress\` events until one of them has \`done: true\`. The field \`x-events\` of this \
document describes their payloads.`;

/** Throws when a route cannot be expressed in OpenAPI 3.0: a bug, which a test finds. */
export function openApi(routes: readonly Route[]): OpenApi {
  const shapes = createShapes();
  const common = commonAnswers(shapes);
  const paths: Record<string, Record<string, Operation>> = {};
  const events = eventsDocument(shapes);
  const ids = new Set<string>();
  for (const route of routes) {
    if (ids.has(route.id)) throw new Error(`two routes are named ${route.id}`);
    ids.add(route.id);
    const path = route.path.replace('{+', '{');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, shapes) };
  }
  return {
    openapi: '3.0.3',
    info: { title: 'framehound', version: '1.0', description: about },
    servers: [{ url: '/', description: 'The service that serves this document' }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    'x-events': events,
    components: {
      schemas: shapes.components(),
      responses: common,
      headers: headerDeclarations,
      securitySchemes: {
        [SCHEME]: {
          type: 'apiKey',
          in: 'header',
          name: 'X-License-Key',
          description: 'The raw key, without quotes and without a prefix.',
        },
      },
    },
  };
}

function operation(route: Route, shapes: Shapes): Operation {
  const { id, tag, summary, description, access, body } = route;
  const parameters = [
    ...parametersOf('path', route, shapes),
    ...parametersOf('query', route, shapes),
  ] satisfies Parameter[];
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === '' ? {} : { description }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: requestBody(body, shapes) }),
    responses: responses(route, shapes),
    security: access === 'open' ? [] : [{ [SCHEME]: [] }],
  };
}

function parametersOf(where: 'path' | 'query', { path, params, query }: Route, shapes: Shapes): Parameter[] {
  const declared = where === 'path' ? params : query;
  const names = Object.keys(declared.properties);
  if (where === 'path') {
    const placeholders = [...path.matchAll(/\{\+?([^}]+)\}/g)].map(([, name]) => name);
    const odd =
      names.find((name) => !placeholders.includes(name)) ??
      placeholders.find((name) => !names.includes(name!));
    if (odd !== undefined) throw new Error(`${path}: ${odd} is not both in the path and declared`);
  }
  const { required = [] } = shapes.of(declared) as { required?: readonly string[] };
  return names.map((name) => {
    const { description, ...schema } = shapes.of(declared.properties[name]!);
    return {
      name,
      in: where,
      required: where === 'path' || required.includes(name),
      ...(typeof description === 'string' && { description }),
      schema,
    };
  });
}

function requestBody(body: TObject, shapes: Shapes) {
  const schema = shapes.ofRequest(body);
  const { oneOf, anyOf = oneOf } = schema as Readonly<Record<string, readonly Schema[] | undefined>>;
  const required = '$ref' in schema || 'required' in schema || anyOf?.every((form) => 'required' in form);
  return { required: required === true, content: { 'application/json': { schema } } };
}

const meanings: Readonly<Record<number, string>> = {
  200: 'Done',
  201: 'Made',
  202: 'Accepted; the work continues in the background',
  206: 'The requested range',
  304: 'Not modified: the client already has this version',
  400: 'The input is not valid, or the request has more than one `Content-Length`',
  401: 'The request has no license key',
  403: 'The license key is not valid or not a Pro key, a policy denies the request, or the host name or web page is not allowed',
  404: 'Not found',
  409: 'Another operation is running, or the data has changed in the meantime',
  412: 'The content is not the one that `If-Match` names',
  413: 'The body is larger than 80 MiB, or has too many values or keys',
  416: 'The range begins after the end of the content',
  431: 'Request line and headers have more than 32 KiB',
  500: 'Internal error; `message` is the request id, which is also in the log',
  501: 'Not implemented in this version',
  503: 'Temporarily unavailable',
  507: 'A folder cannot be written, or its disk is full; the request cannot succeed until that is fixed',
};

const requestId = { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } };
const retry = { 'Retry-After': { $ref: '#/components/headers/Retry-After' } };
const headerDeclarations = {
  'X-Request-Id': { description: 'Id of the request, which is also in the log.', schema: { type: 'string' } },
  'Retry-After': {
    description: 'Seconds to wait before repeating the request; omitted if repeating it cannot help.',
    schema: { type: 'integer' },
  },
} as const;

function headersOf(status: number) {
  return { headers: status === 409 || status === 503 ? { ...requestId, ...retry } : requestId };
}

const PolicyBody = named(
  'PolicyError',
  Type.Object({ policy_error: described(Type.String(), 'Why the policy denies the request.') }),
);

/** Errors that every route can have without declaring them. */
const commonStatuses = {
  licensed: [400, 401, 403, 413, 431, 500, 503, 507],
  open: [400, 403, 413, 431, 500, 503],
} as const;

/** Every status an operation of this route can answer with. */
export function statusesOf(route: Route): readonly number[] {
  const declared = Object.keys(answersOf(route)).map(Number);
  return [...new Set([...declared, ...commonStatuses[route.access]])].sort((a, b) => a - b);
}

/** The answers a route declares, and those that every route of bytes has. */
export function answersOf({ form, answers }: Route): Answers {
  if (form === undefined || !('bytes' in form)) return answers;
  return { ...answers, 206: Bytes, 304: NoBody, 412: ErrorBody, 416: ErrorBody };
}

function commonSchema(status: number): TSchema {
  return status === 403 ? Type.Union([ErrorBody, PolicyBody]) : ErrorBody;
}

function commonAnswers(shapes: Shapes): Readonly<Record<string, Response>> {
  const entry = (status: number): [string, Response] => [
    `Error${status}`,
    answer(status, commonSchema(status), shapes),
  ];
  return Object.fromEntries(commonStatuses.licensed.map(entry));
}

function answer(status: number, schema: TSchema, shapes: Shapes, type = 'application/json'): Response {
  return {
    description: meanings[status] ?? 'Answered',
    ...headersOf(status),
    content: { [type]: { schema: shapes.of(schema) } },
  };
}

function responses(route: Route, shapes: Shapes): Operation['responses'] {
  const out: Record<string, Response | { $ref: string }> = {};
  const common: readonly number[] = commonStatuses[route.access];
  for (const [key, schema] of Object.entries(answersOf(route))) {
    const status = Number(key);
    // Validation before the handler still answers in the common form, also where the route declares one of
    // its own.
    const both = status >= 400 && common.includes(status) && !isFailure(schema, shapes);
    out[key] = answer(
      status,
      both ? Type.Union([schema, commonSchema(status)]) : schema,
      shapes,
      typeOf(route, status),
    );
  }
  for (const status of common) {
    out[status] ??= { $ref: `#/components/responses/Error${status}` };
  }
  return out;
}

/** Errors of a route of bytes or of live text are JSON as everywhere. */
function typeOf({ form }: Route, status: number): string | undefined {
  if (form === undefined) return undefined;
  if ('text' in form) return form.text;
  if (status >= 400) return undefined;
  return 'bytes' in form ? form.bytes : form.live;
}

function isFailure(schema: TSchema, shapes: Shapes): boolean {
  return JSON.stringify(shapes.of(schema)) === JSON.stringify(shapes.of(ErrorBody));
}

/** The operations with their addresses, in the order of the document. */
export function operations(document: OpenApi) {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase() as Method,
      operation,
    })),
  );
}
