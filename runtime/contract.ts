// A contract is a value: the messages an actor understands, each declared once with TypeBox. The value types
// the handler and the caller, and checks requests where they arrive.
//
//   ask    one request, one reply; several that wait may be handed over together
//   feed   one request, many items on credit: the producer never runs further ahead than the consumer allows
import { type Static, type TSchema, Type } from 'typebox';

export interface Ask<Q extends TSchema = TSchema, A extends TSchema = TSchema> {
  readonly kind: 'ask';
  readonly request: Q;
  readonly reply: A;
  /** Most waiting calls of one lane that begin together, when the first of them does. */
  readonly together: number;
}

export interface Feed<Q extends TSchema = TSchema, I extends TSchema = TSchema> {
  readonly kind: 'feed';
  readonly request: Q;
  readonly item: I;
  /** Free slots that the producer is given for each item of this request; 0 for a feed without slots. */
  slotsPerItem(request: Static<Q>): number;
}

type Messages = Record<string, Ask | Feed>;

export interface Contract<M extends Messages = Messages> {
  /** Name of the actor's role; also its name in logs and metrics. */
  readonly name: string;
  readonly messages: M;
  /**
   * Turns an actor of this role runs at once; calls that begin together count as one until the last of them
   * has ended. 1 means that its state is never seen half changed.
   */
  readonly concurrency: number;
  /** Calls that run at once at most. */
  readonly calls: number;
  /** A turn without a sign of life for so long means that the actor is stuck. */
  readonly turnLimitMs: number;
}

export function ask<Q extends TSchema, A extends TSchema>(
  request: Q,
  reply: A,
  { together = 1 }: { together?: number } = {},
): Ask<Q, A> {
  return { kind: 'ask', request, reply, together };
}

/** `slots`: whether an item fills a slot, or how many slots an item of a request fills. */
export function feed<Q extends TSchema, I extends TSchema>(
  request: Q,
  item: I,
  { slots = false }: { slots?: boolean | ((request: Static<Q>) => number) } = {},
): Feed<Q, I> {
  const slotsPerItem = typeof slots === 'function' ? slots : () => (slots ? 1 : 0);
  return { kind: 'feed', request, item, slotsPerItem };
}

/** `concurrency`: 1 unless said otherwise; `turnLimitMs`: two minutes. */
export function contract<const M extends Messages>(
  name: string,
  messages: M,
  { concurrency = 1, turnLimitMs = 120_000 }: { concurrency?: number; turnLimitMs?: number } = {},
): Contract<M> {
  const together = Object.values(messages).map((message) => (message.kind === 'ask' ? message.together : 1));
  const calls = concurrency - 1 + Math.max(1, ...together);
  return { name, messages, concurrency, calls, turnLimitMs };
}

export type AskName<C extends Contract> = {
  [K in keyof C['messages']]: C['messages'][K] extends Ask ? K : never;
}[keyof C['messages']] &
  string;

export type FeedName<C extends Contract> = {
  [K in keyof C['messages']]: C['messages'][K] extends Feed ? K : never;
}[keyof C['messages']] &
  string;

export type Request<C extends Contract, K extends keyof C['messages']> = Static<C['messages'][K]['request']>;
export type Reply<C extends Contract, K extends keyof C['messages']> =
  C['messages'][K] extends Ask<TSchema, infer A> ? Static<A> : never;
export type FeedItem<C extends Contract, K extends keyof C['messages']> =
  C['messages'][K] extends Feed<TSchema, infer I> ? Static<I> : never;

/** Names one filling of one slot. A handle of an earlier filling is stale and refused. */
export const SlotHandle = Type.Object({
  slot: Type.Integer({ minimum: 0 }),
  generation: Type.Integer({ minimum: 1 }),
});
export type SlotHandle = Static<typeof SlotHandle>;

/** Schema of a binary value. The doc line of each use says whether it is moved or copied. */
function instance<T extends object>(name: string, type: new (...args: never[]) => T) {
  return Type.Refine(
    Type.Unsafe<T>({}),
    (value: unknown) => value instanceof type,
    () => `is not a ${name}`,
  );
}
export const Bytes = instance<Uint8Array>('Uint8Array', Uint8Array);
export const Floats = instance<Float32Array>('Float32Array', Float32Array);
export const Doubles = instance<Float64Array>('Float64Array', Float64Array);
export const Unsigned = instance<Uint32Array>('Uint32Array', Uint32Array);
export const Integers = instance<Int32Array>('Int32Array', Int32Array);
