// A tool for assistants is a value: its name, what it takes, what it changes, and how it answers by the
// service's client.
import { type Static, type TObject, Type } from 'typebox';
import { errorTable } from '../../runtime/errors.ts';
import { defaulted, described, nullable } from '../../runtime/schema.ts';
import type { CallOptions, Client } from '../client/client.ts';

export const argumentErrors = errorTable({
  BAD_ARGUMENT: { meaning: 'An argument of the tool is not valid', status: 400 },
  TASK_RUNS: { meaning: 'Another task is running', status: 409 },
});

/** The operations that tools ask; a test brings its own. */
export type ToolClient = Pick<
  Client,
  | 'url'
  | 'analyze'
  | 'appearances'
  | 'cancelTask'
  | 'exportTimeline'
  | 'faceClusters'
  | 'getTask'
  | 'listLibrary'
  | 'listMedia'
  | 'listTasks'
  | 'loadAnalysisData'
  | 'loadTranscriptions'
  | 'mediaMetadata'
  | 'mediaSeen'
  | 'metadataFacets'
  | 'resumeTask'
  | 'searchMoments'
  | 'searchTranscript'
  | 'summaryOverview'
  | 'thumbnails'
  | 'transcriptionsRange'
>;

/** Context of a tool call, beside its arguments. */
export interface Call {
  readonly client: ToolClient;
  /** The analysis folder, absolute. */
  readonly cacheDir: string;
  /** For every request to the service: it ends with the call of the tool, and what is busy is asked again. */
  readonly callOptions: CallOptions & { readonly signal: AbortSignal };
  /** Resolves after so many seconds; rejects when the signal is aborted. */
  wait(seconds: number): Promise<unknown>;
  /** Tells a client that asked for it how far the call is: a percentage, and a line for people. */
  progress(percent: number, message: string): void;
}

export interface ToolAnswer<D = unknown> {
  readonly text: string;
  /** JPEGs as base64, in the order in which the text names them. */
  readonly pictures?: readonly string[];
  /** Ids of moments whose pictures can be read as resources. */
  readonly previews?: readonly string[];
  /** The answer for programs, as `output` of the tool declares it. */
  readonly data: D;
}

/** Effect of a call: none; files or records that it adds; or control of running work. */
type Effect = 'none' | 'adds' | 'steers';

export interface Tool<I extends TObject = TObject, O extends TObject = TObject> {
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** For the model that decides what to call. */
  readonly description: string;
  readonly input: I;
  readonly output: O;
  readonly effect: Effect;
  // A method, so that a tool of one input can stand in a list of tools.
  run(input: Static<I>, call: Call): Promise<ToolAnswer<Static<O>>>;
}

export function tool<I extends TObject, O extends TObject>(definition: Tool<I, O>): Tool<I, O> {
  return definition;
}

// Fields that several tools take, declared once.

/** Files by whatever an assistant knows of them; see `media.ts`. */
export const MediaName = described(
  Type.String({ minLength: 1, maxLength: 4096 }),
  'A media file: its hash, the id of a moment in it (hash@second), its absolute path, or its file name.',
);

export const MediaNames = described(
  Type.Array(Type.String({ minLength: 1, maxLength: 4096 }), { maxItems: 100 }),
  'Only in these media files: absolute paths, hashes or file names.',
);

export const MomentName = Type.String({ minLength: 1, maxLength: 160 });

/** Where the next page begins; an answer that has one says it. */
export const Cursor = Type.Optional(
  described(
    Type.String({ pattern: '^[0-9]{1,7}$' }),
    'the cursor of the answer before, with the same other arguments',
  ),
);

export const NextCursor = described(nullable(Type.String()), 'Of the next page; null on the last one.');

/**
 * Half-open ranges in seconds. No tuples: clients read schemas by JSON Schema 2020-12, in which `items` is no
 * list.
 */
export const Ranges = Type.Array(
  Type.Unsafe<[number, number]>(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 })),
);

export function limitOf(fallback: number, most: number) {
  return defaulted(
    described(Type.Integer({ minimum: 1, maximum: most }), `Rows at most (${fallback}; at most ${most}).`),
    fallback,
  );
}

export const Seconds = Type.Number({ minimum: 0, maximum: 1_000_000 });

export function startOf(cursor: string | undefined): number {
  return cursor === undefined ? 0 : Number(cursor);
}
