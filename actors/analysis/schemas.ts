// The shapes that hold something of every kind of work: requests, results, counts and snapshots, read off a
// list of kinds.
import { type TProperties, type TSchema, type TUnsafe, Type } from 'typebox';
import { described, field, Message, nullable } from '../../runtime/schema.ts';
import { FilePath } from '../index/store/contract.ts';
import { measured, type StageKind } from './stages/kind.ts';

/** All of the members of a union at once. */
type Joined<U> = (U extends unknown ? (member: U) => void : never) extends (all: infer All) => void
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

/** Resolved fields of a request that snapshots show. */
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

export const taskIdMeaning = 'Id of the task. It is also the name of the room of its events.';
export const TaskId = field(taskIdMeaning, Type.String());

export function countsSchema<K extends readonly StageKind[]>(kinds: K) {
  const nothing = kinds.flatMap(({ notApplicable, notApplicableMeaning = '' }) =>
    notApplicable === null ? [] : [[notApplicable, field(notApplicableMeaning, Count)] as const],
  );
  const words = Object.fromEntries([
    ['analyzed', field('Number of files analysed by this task.', Count)],
    ['stored', field('Number of files that had already been analysed.', Count)],
    ...nothing,
    ['failed', field('Number of files that could not be analysed.', Count)],
    ['cancelled', field('Number of files that were cancelled before they finished.', Count)],
  ]);
  return Type.Object({
    files: field('Total number of files. A file with two types of work counts twice.', Count),
    done: field('Number of files that have ended, whatever their outcome.', Count),
    ...(words as Record<OutcomeWordOf<K>, typeof Count>),
    jobs: field(
      'Number of jobs, such as face clusterings, clips of an export, or downloads. A face clustering runs after its files have ended.',
      Count,
    ),
    jobs_done: field('Number of jobs that have ended, whatever their outcome.', Count),
    jobs_failed: field('Number of jobs that failed.', Count),
    jobs_cancelled: field('Number of jobs that were cancelled before they finished.', Count),
  });
}

export function amountSchemas<K extends readonly StageKind[]>(kinds: K): AmountFields<K> {
  const fields = measured(kinds).flatMap(({ unit }) => {
    const schema: TSchema = unit.measure === 'count' ? Count : Type.Number({ minimum: 0 });
    return [unit.done, unit.all].map((name) => [name, schema] as const);
  });
  return Object.fromEntries(fields) as unknown as AmountFields<K>;
}

/** The same with what they mean, of a task. */
export function taskAmountSchemas<K extends readonly StageKind[]>(kinds: K): AmountFields<K> {
  const schemas: Readonly<Record<string, TSchema>> = amountSchemas(kinds);
  const fields = measured(kinds).flatMap(({ unit: { done, all, meanings } }) => [
    [done, field(meanings[0], schemas[done]!)],
    [all, field(`${meanings[1]} It grows while files are still being surveyed.`, schemas[all]!)],
  ]);
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
    path: FilePath,
    type: field(
      'Type of the work. `video`: visual analysis; `speech`: transcription.',
      wordsOf(kinds.map(({ type }) => type) as WorkTypeOf<K>[]),
    ),
    closing: field(
      'True for a job. `path` is then the name of the job, not a file.',
      Type.Optional(Type.Literal(true)),
    ),
    hash_str: field('Content hash of the file; null when it could not be read.', nullable(Type.String())),
    outcome: field(
      'How the work on the file ended. `stored`: it had already been analysed.',
      wordsOf(outcomeWords(kinds)),
    ),
    ...fieldsOf(kinds, 'facts'),
    duration_seconds: field('Duration of the file in seconds; 0 for stills and if unknown.', Type.Number()),
    error: field(
      'What went wrong; null if there is no error.',
      nullable(
        Type.Object({
          code: field('Code of the error. Codes do not change between versions.', Type.String()),
          message: Message,
        }),
      ),
    ),
    media_warning: Type.Optional(
      described(
        Type.String(),
        'What is wrong with a file that was read all the same: damaged XMP, a clock that restarts, pictures of ' +
          'which parts are missing. Left out if there is nothing.',
      ),
    ),
  });
}

/** The shape of the request that a snapshot shows. */
export function shownRequestSchema<K extends readonly StageKind[]>(kinds: K) {
  return Type.Object({
    cache_dir: field('Absolute path of the analysis folder.', Type.String()),
    ...shownFields(kinds),
    force: field('Whether to redo work whose results are already stored.', Type.Boolean()),
    files: field('Number of files in the request. A file with two types of work counts twice.', Count),
    types: field(
      'The types of work that were requested.',
      Type.Array(wordsOf(kinds.map(({ type }) => type) as WorkTypeOf<K>[])),
    ),
  });
}
