// The shapes that hold something of every kind of work: requests, results, counts and snapshots, read off a
// list of kinds.
import { type Static, type TObject, type TProperties, type TSchema, type TUnsafe, Type } from 'typebox';
import { nullable } from '../../runtime/schema.ts';
import { measured, type StageKind } from './stages/kind.ts';

/** All of the members of a union at once. */
type Joined<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer All) => void
  ? All
  : never;

type Kind<K extends readonly StageKind[]> = K[number];
type Fields<K extends readonly StageKind[], F extends 'body' | 'resolved' | 'facts'> =
  Joined<Kind<K>[F]> extends infer P extends TProperties ? P : never;

export type WorkTypeOf<K extends readonly StageKind[]> = Kind<K>['type'];
export type OutcomeWordOf<K extends readonly StageKind[]> =
  | 'analyzed'
  | 'stored'
  | NonNullable<Kind<K>['notApplicable']>
  | 'failed'
  | 'cancelled';
type UnitOf<K extends readonly StageKind[]> = NonNullable<Kind<K>['unit']>;
type AmountFields<K extends readonly StageKind[]> = Record<
  UnitOf<K>['done'] | UnitOf<K>['all'],
  TUnsafe<number>
>;
type ShownFields<K extends readonly StageKind[]> = Pick<
  Fields<K, 'resolved'>,
  Kind<K>['shows'][number] & keyof Fields<K, 'resolved'>
>;

/** Fields of all kinds, in the order of the kinds. */
export function fieldsOf<K extends readonly StageKind[], F extends 'body' | 'resolved' | 'facts'>(
  kinds: K,
  field: F,
): Fields<K, F> {
  return Object.assign({}, ...kinds.map((kind) => kind[field])) as Fields<K, F>;
}

/** Of what a request has come to, what snapshots show. */
export function shownFields<K extends readonly StageKind[]>(kinds: K): ShownFields<K> {
  const shown = kinds.flatMap(({ resolved, shows }) => shows.map((name) => [name, resolved[name]] as const));
  return Object.fromEntries(shown) as unknown as ShownFields<K>;
}

/** One of a few words, as a union of literals. */
export function wordsOf<W extends string>(words: readonly W[]): TUnsafe<W> {
  return Type.Union(words.map((word) => Type.Literal(word))) as unknown as TUnsafe<W>;
}

/** The words by which results and counts say how the work on a file ended. */
export function outcomeWords<K extends readonly StageKind[]>(kinds: K): OutcomeWordOf<K>[] {
  const nothing = kinds.flatMap(({ notApplicable }) => notApplicable ?? []);
  return ['analyzed', 'stored', ...nothing, 'failed', 'cancelled'] as OutcomeWordOf<K>[];
}

const Count = Type.Integer({ minimum: 0 });

export function countsSchema<K extends readonly StageKind[]>(kinds: K) {
  const words = Object.fromEntries(outcomeWords(kinds).map((word) => [word, Count]));
  return Type.Object({
    files: Count,
    done: Count,
    ...(words as Record<OutcomeWordOf<K>, typeof Count>),
    jobs: Count,
    jobs_done: Count,
    jobs_failed: Count,
    jobs_cancelled: Count,
  });
}

export function amountSchemas<K extends readonly StageKind[]>(kinds: K): AmountFields<K> {
  const fields = measured(kinds).flatMap(({ unit }) => {
    const schema: TSchema = unit.measure === 'count' ? Count : Type.Number({ minimum: 0 });
    return [unit.done, unit.all].map((name) => [name, schema] as const);
  });
  return Object.fromEntries(fields) as unknown as AmountFields<K>;
}

/** The same amounts of one file. */
export function fileAmountSchemas<K extends readonly StageKind[]>(kinds: K) {
  const fields = Object.entries(amountSchemas(kinds)).map(([name, schema]) => [`file_${name}`, schema]);
  return Object.fromEntries(fields) as unknown as Record<
    `file_${keyof AmountFields<K> & string}`,
    TUnsafe<number>
  >;
}

export function requestSchema<K extends readonly StageKind[]>(kinds: K) {
  return Type.Object({
    cache_dir: Type.String({ minLength: 1 }),
    ...fieldsOf(kinds, 'resolved'),
    /** Redo what is stored already. */
    force: Type.Boolean(),
    /** Look at stored previews, also of files that are there. */
    from_previews: Type.Optional(Type.Boolean()),
  });
}

export function resultSchema<K extends readonly StageKind[]>(kinds: K) {
  return Type.Object({
    path: Type.String(),
    type: wordsOf(kinds.map(({ type }) => type) as WorkTypeOf<K>[]),
    closing: Type.Optional(Type.Literal(true)),
    hash_str: nullable(Type.String()),
    outcome: wordsOf(outcomeWords(kinds)),
    ...fieldsOf(kinds, 'facts'),
    duration_seconds: Type.Number(),
    error: nullable(Type.Object({ code: Type.String(), message: Type.String() })),
  });
}

/** The shape of the request that a snapshot shows. */
export function shownRequestSchema<K extends readonly StageKind[]>(kinds: K) {
  return Type.Object({
    cache_dir: Type.String(),
    ...shownFields(kinds),
    force: Type.Boolean(),
    files: Count,
    types: Type.Array(wordsOf(kinds.map(({ type }) => type) as WorkTypeOf<K>[])),
  });
}

export type Shape<P extends TProperties> = Static<TObject<P>>;
