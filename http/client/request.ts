// Request of an operation: its address filled in, and the rest as the body. The web page uses it too.
import type { Static, TArray, TObject, TOptional, TSchema, TUnion } from 'typebox';
import type { Answers, Route } from '../route.ts';

export type Input = Readonly<Record<string, unknown>>;

export interface Address {
  readonly method: string;
  readonly path: string;
  readonly query: readonly string[];
}

/** `GET /api/v1/tasks/{task_id} offset limit`: method, path, names of the query. */
export function parseAddress(address: string): Address {
  const [method = '', path = '', ...query] = address.split(' ');
  return { method, path, query };
}

/** Path with its query, and body, of a request for what a caller gave. */
export function requestOf(
  { method, path, query }: Address,
  input: Input,
): { path: string; body: string | undefined } {
  const fields = { ...input };
  const take = (name: string) => {
    const value = fields[name];
    delete fields[name];
    return value;
  };
  const filled = path.replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(String(take(name))));
  const search = new URLSearchParams();
  for (const name of query) {
    const value = take(name);
    if (value !== undefined) search.set(name, String(value));
  }
  const text = search.size > 0 ? `${filled}?${search}` : filled;
  return {
    path: text,
    body: method === 'GET' || Object.keys(fields).length === 0 ? undefined : JSON.stringify(fields),
  };
}

// Arguments and results of the client's methods, as types derived from the route: nothing is written twice.
// Types only.

/** A route whatever it takes. */
export type AnyRoute = Pick<Route, 'id' | 'params' | 'query' | 'body' | 'answers'>;

/** A value as a caller gives it: what has a default may be left out, at any depth. */
export type Given<S extends TSchema> =
  S extends TObject<infer P>
    ? GivenFields<P>
    : S extends TArray<infer I>
      ? readonly Given<I>[]
      : S extends TUnion<infer U>
        ? U[number] extends infer One
          ? One extends TSchema
            ? Given<One>
            : never
          : never
        : Static<S>;

type MayBeLeftOut<S> = S extends TOptional<TSchema> | { readonly default: unknown } ? true : false;

type GivenFields<P extends Readonly<Record<PropertyKey, TSchema>>> = Flat<
  { readonly [K in keyof P as MayBeLeftOut<P[K]> extends true ? never : K]: Given<P[K]> } & {
    readonly [K in keyof P as MayBeLeftOut<P[K]> extends true ? K : never]?: Given<P[K]> | undefined;
  }
>;

type Flat<T> = { [K in keyof T]: T[K] };

type BodyOf<R extends AnyRoute> = NonNullable<R['body']>;

/** Placeholders, query and body in one object: no route uses a name twice. */
export type InputOf<R extends AnyRoute> = Flat<
  Given<R['params']> & Given<R['query']> & ([BodyOf<R>] extends [never] ? unknown : Given<BodyOf<R>>)
>;

type Success<A extends Answers> = Extract<keyof A, 200 | 201 | 202>;

/** One of the answers that are no errors. */
export type OutputOf<R extends AnyRoute> = Static<R['answers'][Success<R['answers']>]>;
