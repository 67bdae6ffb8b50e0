// Following the library of a cluster: which one a folder follows, how far, and the changes of its log.
import { type Static, Type } from 'typebox';
import { ask } from '../../../runtime/contract.ts';
import { nullable } from '../../../runtime/schema.ts';
import { Folder } from '../store/contract.ts';

/** `seq`: the last change of the log that the folder has; 0 for none. */
const Followed = Type.Object({
  library: Type.String(),
  seq: Type.Integer({ minimum: 0 }),
  /** When that change was made, milliseconds since 1970; 0 for none. */
  at_ms: Type.Number(),
});

/** Messages that a change of the log can hold: they write, and mean the same to every replica. */
export const writeNames = [
  ...(['remove_media', 'move_paths'] as const),
  ...(['name_speakers', 'link_speakers', 'take_back_speakers'] as const),
  ...(['name_clusters', 'modify_clusters', 'undo_clusters', 'delete_people'] as const),
  ...(['remove_summaries', 'set_edges'] as const),
];
/** Writes of which a worker sends several together, or whose first part each replica gets separately. */
export const workNames = ['commit_clustering', 'begin_summary', 'append_nodes', 'commit_summary'] as const;
export type WriteName = (typeof writeNames | typeof workNames)[number];

/** Messages that write a few records and remove no files, so several of them are flushed together. */
export const smallNames = [
  'move_paths',
  'name_speakers',
  'link_speakers',
  'take_back_speakers',
  'name_clusters',
] as const satisfies readonly WriteName[];
export type SmallName = (typeof smallNames)[number];

/** `request`: without its folder, which is another one in each replica. */
export const WriteMessage = Type.Object({
  name: Type.String(),
  request: Type.Record(Type.String(), Type.Unknown()),
});
export type WriteMessage = Static<typeof WriteMessage>;

/**
 * One message, or several of which the first one begins something: the number that it answers is part of the
 * others. The answer is that of the last one.
 */
export const Write = Type.Array(WriteMessage);
export type Write = Static<typeof Write>;

/** Statuses of errors that the same message may not meet on another machine, or later. */
export const ofMachine: ReadonlySet<number> = new Set([499, 503, 507]);

/** Result of a write; a refusal has changed nothing. */
const ReplicaAnswer = Type.Object({
  answer: Type.Unknown(),
  refusal: nullable(
    Type.Object({
      code: Type.String(),
      meaning: Type.String(),
      message: Type.String(),
      status: Type.Integer(),
      retryable: Type.Boolean(),
      details: Type.Record(
        Type.String(),
        nullable(Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
      ),
      stack: Type.String(),
    }),
  ),
});
export type ReplicaAnswer = Static<typeof ReplicaAnswer>;

export const replicaMessages = {
  followed: ask(Type.Object({ ...Folder }), nullable(Followed)),
  /**
   * From now on the folder follows this library and takes nothing else. OTHER_LIBRARY when it follows another
   * one, or holds media already.
   */
  follow: ask(Type.Object({ ...Folder, library: Type.String() }), Followed),
  /**
   * Applies changes up to `seq`. `from`: the analysis folder that the last of them speaks of, on the same
   * disk, of which nothing is left to use; `write`: the message that it holds; null where it has none.
   * `at_ms`: when it was made, milliseconds since 1970. *Flushed* when answered. A change that is applied
   * twice is the same as once. An error says that this machine could not apply it now.
   */
  apply: ask(
    Type.Object({
      ...Folder,
      ...Followed.properties,
      from: nullable(Type.String()),
      write: nullable(Write),
    }),
    ReplicaAnswer,
  ),
  /**
   * Applies changes without a folder whose messages are of `smallNames`, each by itself, *flushed* together.
   * Answers what they have come to, or only the first of them, and has not applied the others.
   */
  apply_small: ask(
    Type.Object({
      ...Folder,
      library: Type.String(),
      changes: Type.Array(
        Type.Object({ seq: Type.Integer(), at_ms: Type.Number(), write: nullable(WriteMessage) }),
        { minItems: 1 },
      ),
    }),
    Type.Object({ written: Type.Array(ReplicaAnswer) }),
  ),
};
