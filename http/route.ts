// A route is a value that declares its path, its input, its responses and its handler in one place. The
// server validates requests with it, the API document and the client's types are derived from it, tests
// compare responses with it.
import { type Static, type TObject, type TSchema, Type } from 'typebox';
import type { LiveText } from '../runtime/live-text.ts';
import { described, named } from '../runtime/schema.ts';
import type { Service } from './service.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * Bodies by status. Errors that every route can have (400, 401, 403, 413, 431, 500, 503, 507) need not be
 * listed.
 */
export type Answers = Readonly<Record<number, TSchema>>;

/**
 * `text`: its content type. `bytes`: the body of a 200 is a `Content`, of one of these types; a part when one
 * is asked for. `live`: the body of a 200 is a `LiveText`, of this type.
 */
type Form = { readonly text: string } | { readonly bytes: string } | { readonly live: string };

/**
 * Bytes that are answered as they are, whole or a part of them, and read only as fast as the client takes
 * them.
 */
export interface Content {
  /** The Content-Type. */
  readonly type: string;
  /** Bytes of the whole. */
  readonly size: number;
  /** A strong entity tag, quotes included. */
  readonly etag: string;
  /**
   * All of it, where it is in memory anyway: sent at once, and compressed to a client that takes that.
   * *Borrowed*.
   */
  readonly bytes?: Uint8Array;
  /**
   * At least one byte of [from, to), a large part at most as many as a piece has. Rejects when they cannot be
   * read any more.
   */
  read(from: number, to: number): Promise<Uint8Array>;
  /** Frees what is held. Called once, when no `read` is under way. */
  close(): Promise<void>;
}

/** The body of an answer in a route of live text. */
export const LiveBody = Type.Unsafe<LiveText>({});

/** The body of an answer in a route of bytes. */
export const Bytes = Type.Unsafe<Content>({ type: 'string', format: 'binary' });

/** The body of an answer without one, such as a 304. */
export const NoBody = Type.Unsafe<undefined>({ type: 'string', maxLength: 0 });

/** One of the declared answers. */
type Answer<A extends Answers> = {
  [S in keyof A & number]: {
    readonly status: S;
    readonly body: Static<A[S]>;
    readonly headers?: Readonly<Record<string, string>>;
  };
}[keyof A & number];

interface Input<P extends TObject, Q extends TObject, B extends TObject> {
  /** Placeholders of the path. */
  readonly params: Static<P>;
  readonly query: Static<Q>;
  /** Validated: defaults filled in, paths in their plain form, no undeclared fields at the top level. */
  readonly body: Static<B>;
  /** Aborted when the client disconnects and when the service stops. */
  readonly signal: AbortSignal;
  /** The license key as sent, a secret; empty without one. Checked if the route is licensed. */
  readonly credential: string;
  /** Headers that the route names, empty if they are missing. */
  readonly headers: Readonly<Record<string, string>>;
  /** Id of the request, as in the log and in the answer's `X-Request-Id`. */
  readonly id: string;
}

export interface Route<
  P extends TObject = TObject,
  Q extends TObject = TObject,
  B extends TObject = TObject,
  A extends Answers = Answers,
> {
  readonly method: Method;
  /**
   * From the root: `/api/v1/tasks/{task_id}`. A last `{+name}` takes the rest of the path, slashes included.
   */
  readonly path: string;
  /**
   * Key of the operation in the API document, name of the client's method and of the export: `searchText`.
   */
  readonly id: string;
  /** One line. */
  readonly summary: string;
  /** Facts that a caller needs beyond the fields; Markdown. */
  readonly description: string;
  readonly tag: string;
  /** `open`: needs no license key. */
  readonly access: 'licensed' | 'open';
  readonly params: P;
  readonly query: Q;
  /** Null: the request has no body. */
  readonly body: B | null;
  readonly answers: A;
  /** Names in small letters of the headers that the handler reads. */
  readonly headers?: readonly string[];
  /** Bytes of a body, where less is taken than by other routes. */
  readonly mostBytes?: number;
  /** Form of answers that are not JSON. Errors are JSON, except declared ones of `text`. */
  readonly form?: Form;
  /** Names of the fields of a 200 whose texts are base64: nothing in them has to be escaped. */
  readonly base64?: readonly string[];
  /** Turns a thrown error into a declared answer; what it leaves undefined the server answers itself. */
  // Methods, so that a route of one body can stand in a list of routes.
  onError?(error: unknown, service: Service): Promise<Answer<A> | undefined>;
  handle(input: Input<P, Q, B>, service: Service): Answer<A> | Promise<Answer<A>>;
}

const nothing = Type.Object({});
type Nothing = typeof nothing;

type Spec<P extends TObject, Q extends TObject, B extends TObject, A extends Answers> = Partial<
  Pick<Route<P, Q, B, A>, 'params' | 'query' | 'access' | 'body' | 'description'>
> &
  Omit<Route<P, Q, B, A>, 'params' | 'query' | 'access' | 'body' | 'description'>;

/** Declares a route; left out, it is licensed and takes nothing. */
export function route<
  const A extends Answers,
  P extends TObject = Nothing,
  Q extends TObject = Nothing,
  B extends TObject = Nothing,
>(spec: Spec<P, Q, B, A>): Route<P, Q, B, A> {
  return {
    access: 'licensed',
    description: '',
    params: nothing as unknown as P,
    query: nothing as unknown as Q,
    body: null,
    ...spec,
  };
}

/** Makes the return value of a handler. */
export function reply<const S extends number, B>(
  status: S,
  body: B,
  headers?: Readonly<Record<string, string>>,
) {
  return headers ? { status, body, headers } : { status, body };
}

/** Body of every error. */
export const ErrorBody = named(
  'Error',
  Type.Object({
    error: described(Type.String(), 'Short phrase, names the field or thing.'),
    message: Type.Optional(described(Type.String(), 'Details, with the JSON path of each bad field.')),
  }),
);
export type ErrorBody = Static<typeof ErrorBody>;
