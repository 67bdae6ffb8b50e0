// What the client can be asked, as types read off the routes. A package has plain interfaces in their place
// (`declarations.ts`).
import type { ProgressEvent } from '../../events/protocol.ts';
import type { Operations } from './addresses.ts';
import type { InputOf, OutputOf } from './request.ts';

/** What is told of a task that is followed. */
export type Progress = ProgressEvent;

type Method<I, O, Options> =
  Record<never, never> extends I
    ? (input?: I, options?: Options) => Promise<O>
    : (input: I, options?: Options) => Promise<O>;

/** One for each operation. */
export type Methods<Options> = {
  readonly [K in keyof Operations]: Method<InputOf<Operations[K]>, OutputOf<Operations[K]>, Options>;
};
