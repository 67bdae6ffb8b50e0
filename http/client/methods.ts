// Methods of the client, as types derived from the routes. A package has plain interfaces instead
// (`declarations.ts`).
import type { ProgressEvent } from '../../events/protocol.ts';
import type { Operations } from './addresses.ts';
import type { InputOf, OutputOf } from './request.ts';

/** Events of a task that is followed. */
export type Progress = ProgressEvent;

type Method<I, O, Options> =
  Record<never, never> extends I
    ? (input?: I, options?: Options) => Promise<O>
    : (input: I, options?: Options) => Promise<O>;

/** One for each operation. */
export type Methods<Options> = {
  readonly [K in keyof Operations]: Method<InputOf<Operations[K]>, OutputOf<Operations[K]>, Options>;
};
