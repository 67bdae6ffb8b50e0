// A tool for assistants is a value: its name, what it takes, what it changes, and how it answers by the
// service's client.
import type { Static, TObject } from 'typebox';
import { errorTable } from '../../runtime/errors.ts';
import type { CallOptions, Client } from '../client/client.ts';

export const argumentErrors = errorTable({
  BAD_ARGUMENT: { meaning: 'An argument of the tool is not valid', status: 400, retryable: false },
  TASK_RUNS: { meaning: 'Another task is running', status: 409, retryable: false },
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

/** What a tool is called with beside its arguments. */
export interface Call {
  readonly client: ToolClient;
  /** The analysis folder, absolute. */
  readonly cacheDir: string;
  /** For every request to the service: it ends with the call of the tool, and what is busy is asked again. */
  readonly callOptions: CallOptions & { readonly signal: AbortSignal };
  /** Resolves after so many seconds; rejects when the signal is aborted. */
  wait(seconds: number): Promise<unknown>;
}

export interface ToolAnswer {
  readonly text: string;
  /** JPEGs as base64, in the order in which the text names them. */
  readonly pictures?: readonly string[];
}

/** What a call changes: nothing; files or records that it adds; or what is running. */
export type Effect = 'none' | 'adds' | 'steers';

export interface Tool<I extends TObject = TObject> {
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** For the model that decides what to call. */
  readonly description: string;
  readonly input: I;
  readonly effect: Effect;
  // A method, so that a tool of one input can stand in a list of tools.
  run(input: Static<I>, call: Call): Promise<ToolAnswer>;
}

export function tool<I extends TObject>(one: Tool<I>): Tool<I> {
  return one;
}
