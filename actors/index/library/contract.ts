// Content of an analysis folder, a page at a time; removal of media, and changed paths.
import { type Static, Type } from 'typebox';
import { ask } from '../../../runtime/contract.ts';
import { nullable } from '../../../runtime/schema.ts';
import { SpeakerRange } from '../../diarizer/contract.ts';
import { Folder } from '../store/contract.ts';

/** Milliseconds since 1970; null for what an earlier version stored, which kept no time. */
const StoredMs = nullable(Type.Number());

/** Result of one type of work on a content, by one model. */
export const HeldResult = Type.Object({
  type: Type.String(),
  /** Null where several models may have found it. */
  model_key: nullable(Type.String()),
  /** Number of frames, segments, faces, things and so on. */
  count: Type.Integer({ minimum: 0 }),
  stored_ms: StoredMs,
  from_previews: Type.Optional(Type.Boolean()),
  /** On the disk, of previews. */
  bytes: Type.Optional(Type.Number()),
  /** Facts about a transcript. `language`: the spoken one, BCP 47. */
  speech: Type.Optional(
    Type.Object({
      language: nullable(Type.String()),
      speakers: Type.Integer(),
      speakers_uncertain: Type.Optional(Type.Boolean()),
      speaker_range: Type.Optional(SpeakerRange),
    }),
  ),
});
export type HeldResult = Static<typeof HeldResult>;

export const HeldMedia = Type.Object({
  path: Type.String(),
  hash_str: Type.String(),
  /** Another content was seen at the path since. */
  replaced: Type.Boolean(),
  /** Null where the record of the file is damaged. */
  size_bytes: nullable(Type.Integer()),
  kind: nullable(Type.String()),
  duration_seconds: nullable(Type.Number()),
  /** Where its volume was mounted; null for what an earlier version stored. */
  volume: nullable(Type.String()),
  /** In the order of the kinds. */
  results: Type.Array(HeldResult),
  /** Unreadable parts: keys of models, or types of work. */
  unreadable: Type.Array(Type.String()),
});
export type HeldMedia = Static<typeof HeldMedia>;

export const HeldModel = Type.Object({
  model_key: Type.String(),
  dimensions: Type.Integer(),
  rows: Type.Number(),
  /** Bytes of faces that belong to no media any more; 0 for vectors of pictures. */
  dead: Type.Number(),
});
export type HeldModel = Static<typeof HeldModel>;

export const libraryMessages = {
  /** A page of the media of a folder, in the order of paths; `under`: only those that lie in this folder. */
  held_media: ask(
    Type.Object({
      ...Folder,
      under: nullable(Type.String()),
      offset: Type.Integer({ minimum: 0 }),
      limit: Type.Integer({ minimum: 0 }),
    }),
    Type.Object({ total: Type.Integer(), media: Type.Array(HeldMedia) }),
  ),
  /**
   * Stored results of each of these files in their present state; null if there are none, or another content
   * was seen at the path. A folder that does not exist yet has none.
   */
  held_files: ask(
    Type.Object({
      ...Folder,
      files: Type.Array(
        Type.Object({
          path: Type.String(),
          size_bytes: Type.Integer(),
          mtime_ms: Type.Number(),
          inode: Type.String(),
        }),
      ),
    }),
    Type.Object({ files: Type.Array(nullable(HeldMedia)) }),
  ),
  /**
   * How many analysed files lie in each of these folders of footage, by their names in the folder they share.
   */
  held_below: ask(
    Type.Object({ ...Folder, within: Type.String(), names: Type.Array(Type.String()) }),
    Type.Object({ counts: Type.Array(Type.Integer()) }),
  ),
  /**
   * The folders in which known media lie, without those that lie in another one of them, and how many of
   * these are analysed; ascending.
   */
  held_folders: ask(
    Type.Object({ ...Folder }),
    Type.Object({ folders: Type.Array(Type.Object({ path: Type.String(), analysed: Type.Integer() })) }),
  ),
  /** The models whose vectors a folder holds, and the pairs that found its faces. */
  held_models: ask(
    Type.Object({ ...Folder }),
    Type.Object({ models: Type.Array(HeldModel), face_models: Type.Array(HeldModel) }),
  ),
  /**
   * Removes everything that is stored of these contents, and every path they are known by, in one atomic
   * write; what is loaded of them can be found no more. *Flushed*. MEDIA_IN_WORK, STORE_IN_USE.
   */
  remove_media: ask(
    Type.Object({ ...Folder, hashes: Type.Array(Type.String()) }),
    Type.Object({
      /** Names of face clusterings of which nothing is left. */
      clusterings: Type.Array(Type.String()),
    }),
  ),
  /**
   * Gives paths their new names in one atomic write, *flushed*. A path that is not known is left out;
   * `stayed`: another content is known at the new name. STORE_IN_USE.
   */
  move_paths: ask(
    Type.Object({
      ...Folder,
      moves: Type.Array(
        Type.Object({ from: Type.String(), to: Type.String(), volume: nullable(Type.String()) }),
      ),
    }),
    Type.Object({ stayed: Type.Array(Type.String()) }),
  ),
  /**
   * Notes which roots there are, and stores by them what was stored before they came where they are: a step
   * from the record behind `after` on, empty at first; answers null after the last one. *Flushed*.
   */
  settle_paths: ask(
    Type.Object({ ...Folder, after: Type.String() }),
    Type.Object({ after: nullable(Type.String()) }),
  ),
};
