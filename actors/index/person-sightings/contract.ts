// Where the people are seen that a question names, and where those that have a name; and what filters select
// where there is no question.
import { Type } from 'typebox';
import { ask } from '../../../runtime/contract.ts';
import { nullable } from '../../../runtime/schema.ts';
import { ThingBox } from '../../things/contract.ts';
import { PeopleFilter } from '../people/contract.ts';
import { Folder } from '../store/contract.ts';
import { FrameRange, Shot, VisualScope } from '../visual/contract.ts';

const part = {
  hash_str: Type.String(),
  path: Type.String(),
  /** Half-open ranges of grid frames: the part, and the scene around it; null where there is none. */
  frames: FrameRange,
  scene: nullable(FrameRange),
  /** The exact times of `frames`. */
  seconds: Type.Tuple([Type.Number(), Type.Number()]),
  /** The shot around its first frame; left out where edges are on the grid. */
  shot: Type.Optional(Shot),
};

const NamedPerson = Type.Object({
  name: Type.String(),
  clusters: Type.Array(Type.Object({ cluster_job_name: Type.String(), cluster_id: Type.String() })),
});

export const sightingMessages = {
  /**
   * For each content the faces of people with a name, in all clusterings, by name and then in order of time.
   * `unreadable`: names of clusterings that are damaged. Nothing has to be loaded.
   */
  named_faces: ask(
    Type.Object({ ...Folder, hashes: Type.Array(Type.String()) }),
    Type.Object({
      people: Type.Array(
        Type.Array(
          Type.Object({
            name: Type.String(),
            faces: Type.Array(Type.Object({ frame: Type.Integer({ minimum: 0 }), box: ThingBox })),
          }),
        ),
      ),
      unreadable: Type.Array(Type.String()),
    }),
  ),
  /**
   * The people whose names, or some words of whose names, stand in a text as whole words, whatever the
   * case, in all clusterings that are loaded, and the text without them. `excluded`: those after `not` and
   * the like. `parts`: the words that stand for a longer name; those of `whole_only` do not. A name is one
   * person; its clusters come largest first. NOT_LOADED.
   */
  people_named: ask(
    Type.Object({ ...Folder, text: Type.String(), whole_only: Type.Optional(Type.Array(Type.String())) }),
    Type.Object({
      people: Type.Array(NamedPerson),
      excluded: Type.Array(NamedPerson),
      parts: Type.Array(Type.String()),
      remainder: Type.String(),
    }),
    { together: 16 },
  ),
  /**
   * Where these people are seen, a scene each: where longest first, at most `max_results`. `model_key`: whose
   * scenes, as for `scenes`. `people`: only frames that show them, too. NOT_LOADED, errors as those of a
   * search.
   */
  seen_in_scenes: ask(
    Type.Object({
      ...Folder,
      model_key: nullable(Type.String()),
      person: PeopleFilter,
      people: Type.Optional(PeopleFilter),
      scope: VisualScope,
      max_results: Type.Integer({ minimum: 1 }),
    }),
    Type.Object({
      matches: Type.Array(Type.Object(part)),
    }),
  ),
  /**
   * Selects loaded media by a scope and people, at most `max_results`: the latest recording first, media
   * without a recording date last, then by path; parts of one in order of time. A file that is selected as a
   * whole is one match, one with ranges a match for each, one with people a match for each scene that shows
   * them. `model_key`, `transcripts`: what is loaded. No vector is read. NOT_LOADED, errors as those of a
   * search.
   */
  selected: ask(
    Type.Object({
      ...Folder,
      model_key: nullable(Type.String()),
      transcripts: Type.Boolean(),
      people: Type.Optional(PeopleFilter),
      scope: VisualScope,
      max_results: Type.Integer({ minimum: 1 }),
    }),
    Type.Object({
      matches: Type.Array(
        Type.Object({
          ...part,
          /** Which of `people` are seen in it, by their places there. */
          people: Type.Array(Type.Integer({ minimum: 0 })),
        }),
      ),
      /** People who are asked for together with themselves. */
      people_twice: Type.Array(Type.String()),
    }),
  ),
};
