// Following the library of a cluster: which one a folder follows, how far, and what other engines have found.
import { Type } from 'typebox';
import { ask } from '../../../runtime/contract.ts';
import { nullable } from '../../../runtime/schema.ts';
import { Folder } from '../store/contract.ts';

/** `seq`: the last change of the log that the folder has; 0 for none. */
const Followed = Type.Object({ library: Type.String(), seq: Type.Integer({ minimum: 0 }) });

export const replicaMessages = {
  /** What the folder follows; null where it follows nothing. */
  followed: ask(Type.Object({ ...Folder }), nullable(Followed)),
  /**
   * From now on the folder follows this library and takes nothing else. OTHER_LIBRARY when it follows another
   * one, or holds media already.
   */
  follow: ask(Type.Object({ ...Folder, library: Type.String() }), Followed),
  /**
   * Applies changes up to `seq`. `from`: the analysis folder that the last of them speaks of, on the same
   * disk, of which nothing is left to use; null where it speaks of none. `at_ms`: when it was made,
   * milliseconds since 1970. *Flushed* when answered. A change that is applied twice is the same as once.
   */
  adopt: ask(
    Type.Object({
      ...Folder,
      ...Followed.properties,
      at_ms: Type.Number(),
      from: nullable(Type.String()),
    }),
    Type.Object({}),
  ),
};
