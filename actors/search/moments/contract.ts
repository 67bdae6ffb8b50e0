// Moments: what is seen, said, written and named, and who is there, in one list; and how much each second of
// a film has of a query.
import { type Static, Type } from 'typebox';
import { errorTable } from '../../../runtime/errors.ts';
import { AbsolutePath } from '../../../runtime/paths.ts';
import {
  choiceOf,
  defaulted,
  described,
  field,
  inChoice,
  named,
  oneOf,
  optional,
  shown,
} from '../../../runtime/schema.ts';
import { CacheDir, ContentHash, FilePath } from '../../index/store/contract.ts';
import { TextBox } from '../../text-reader/contract.ts';
import { HashStr, MediaKind, mediaFields, OtherPaths, ShotAround } from '../media/contract.ts';
import { notesFields } from '../notes/contract.ts';
import {
  Excluded,
  metadataFilterRequest,
  peopleFields,
  searchAll,
  searchedFiles,
  segmentsToFrameIndices,
} from '../scope/contract.ts';
import { Explanation, explain, MaybeNotUnderstood, min_band, Weaker } from '../visual/contract.ts';
import { LineBand } from '../written/contract.ts';

export const momentErrors = errorTable({
  NOTHING_ASKED: { meaning: 'There is nothing to search for', status: 400 },
  SEVERAL_PICTURES: { meaning: 'More than one picture is given', status: 400 },
  WRONG_PICTURE: { meaning: 'The picture cannot be read', status: 400 },
  NOBODY_NAMED: { meaning: 'The query names no known person', status: 400 },
  NOTHING_READ: { meaning: 'No text has been recognized in pictures', status: 400 },
  NO_ROOM: { meaning: 'The picture cannot be stored temporarily', status: 507, retryable: true },
});

export const momentKinds = ['seen', 'said', 'person', 'written', 'name'] as const;
export type MomentKind = (typeof momentKinds)[number];

export const mostPictureBytes = 20 * 1024 * 1024;

/** The one picture of a query. */
export type PictureSource =
  | { readonly image_path: string }
  /** Base64, or a data URL. */
  | { readonly image_data: string }
  | {
      readonly like: ({ readonly hash_str: string } | { readonly media_path: string }) & {
        readonly time_seconds: number;
      };
    };

const queryFields = {
  query: shown(
    described(
      optional(Type.String({ maxLength: 2000 })),
      'Query in natural language. People are recognized by their names or by words of their names, regardless ' +
        'of case: then the rest of the query is searched in the pictures that show them, and people after a ' +
        'word such as `not` are excluded. `music` and `singing` are also found where they are heard; `without music` ' +
        'excludes what has music. The whole query is searched in what is said and in names.',
    ),
    'Ann with a red car',
  ),
  ...choiceOf(
    {
      image_path: described(
        optional(AbsolutePath),
        'Path of a picture to compare with. A request can have at most one picture.',
      ),
      image_data: described(
        optional(Type.String({ maxLength: Math.ceil(mostPictureBytes / 3) * 4 + 4096 })),
        'The picture as base64 or as `data:image/...;base64,...`: JPEG, PNG or WebP, at most 20 MiB.',
      ),
      like: described(
        optional(
          Type.Object({
            ...choiceOf({ hash_str: Type.Optional(HashStr), media_path: Type.Optional(AbsolutePath) }),
            time_seconds: described(
              Type.Number({ minimum: 0 }),
              'Time in seconds from the beginning of the film.',
            ),
          }),
        ),
        'A moment of a film to compare with. The film is given by either `hash_str` or `media_path`.',
      ),
    },
    { least: 0 },
  ),
  exclude: defaulted(
    described(Excluded, 'Pictures that resemble one of these texts rank lower. Needs `query`.'),
    [],
  ),
  text_weight: defaulted(
    described(
      Type.Number({ minimum: 0, maximum: 1000 }),
      'Weight of the words relative to the picture, whose weight is 1.',
    ),
    1,
  ),
};
const QueryFields = Type.Object(queryFields);
export type QueryFields = Static<typeof QueryFields>;

export const MomentsRequest = Type.Object({
  cache_dir: CacheDir,
  ...queryFields,
  media_paths: searchedFiles,
  search_all: searchAll,
  explain,
  min_band,
  metadata_filter_request: metadataFilterRequest,
  segments_to_frame_indices: segmentsToFrameIndices,
  ...peopleFields,
  kinds: described(
    optional(Type.Array(oneOf(...momentKinds), { minItems: 1, maxItems: momentKinds.length })),
    'Kinds to search. If omitted, everything that can be searched is searched. A requested kind that ' +
      'cannot be searched causes a warning, or an error if it is the only one. Has no effect without a query ' +
      'and a picture.',
  ),
  limit: field(
    'Maximum number of results on this page.',
    defaulted(Type.Integer({ minimum: 1, maximum: 10_000 }), 50),
  ),
  max_per_media: described(
    optional(Type.Integer({ minimum: 1 })),
    'Maximum number of moments of one file. If omitted, there is no limit.',
  ),
});
export type MomentsRequest = Static<typeof MomentsRequest>;

const Rank = described(Type.Integer({ minimum: 1 }), 'Position in the list of its kind, counted from 1.');

export const Seen = Type.Object({
  kind: field('Kind of the match.', oneOf('seen')),
  rank: Rank,
  explanation: Type.Optional(
    described(named('Explanation', Explanation), 'Explanation of the match. Returned only with `explain`.'),
  ),
});
export const Said = Type.Object({
  kind: field('Kind of the match.', oneOf('said')),
  rank: Rank,
  text: described(Type.String(), 'What is said: a segment of the transcript.'),
  start_seconds: described(Type.Number(), 'Start or end of the segment, in seconds.'),
  end_seconds: described(Type.Number(), 'Start or end of the segment, in seconds.'),
  speaker: described(
    Type.String(),
    'Id of the speaker in the transcript; empty if speakers were not detected.',
  ),
  speaker_name: described(Type.String(), 'Name of the speaker, or the id if there is no name.'),
});
const ThePerson = Type.Object({
  kind: field('Kind of the match.', oneOf('person')),
  rank: Rank,
  name: described(Type.String(), 'Name of the person as it was given.'),
  cluster_id: described(Type.String(), 'Id of the largest cluster with that name.'),
  cluster_job_name: described(Type.String(), 'Name of the clustering that contains the cluster.'),
  // Optional because hits of saved searches were stored without them.
  start_seconds: Type.Optional(
    described(Type.Number(), 'When the person becomes visible in the scene; omitted in older stored hits.'),
  ),
  end_seconds: Type.Optional(
    described(Type.Number(), 'When the person is no longer visible in it; omitted in older stored hits.'),
  ),
});
const TheWriting = Type.Object({
  kind: field('Kind of the match.', oneOf('written')),
  rank: Rank,
  text: described(Type.String(), 'The visible line of text.'),
  score: described(Type.Number(), 'Certainty of the text recognition, from 0 to 1.'),
  band: LineBand,
  box: described(TextBox, 'Left, top, width and height of the line, relative to the picture.'),
  best_seconds: described(
    Type.Number(),
    'The second in which the line was recognized best. `box` refers to it.',
  ),
  start_seconds: described(Type.Number(), 'When the line becomes visible.'),
  end_seconds: described(Type.Number(), 'When the line is no longer visible.'),
});
const TheName = Type.Object({
  kind: field('Kind of the match.', oneOf('name')),
  rank: Rank,
  of: described(
    oneOf('person', 'file', 'folder', 'list', 'speaker', 'sound'),
    'What has the name; `person` only if `kinds` does not contain `person`. A `sound` is music or singing that is heard.',
  ),
  name: described(Type.String(), 'The name as it was given.'),
});
export const Reason = Type.Union([
  named('SeenReason', Seen),
  named('SaidReason', Said),
  named('PersonReason', ThePerson),
  named('WrittenReason', TheWriting),
  named('NameReason', TheName),
]);
export type Reason = Static<typeof Reason>;

export const Moment = Type.Object({
  moment_id: described(
    Type.String(),
    'Id of the moment as `<hash_str>@<second>`. The same moment has the same id in every response.',
  ),
  hash_str: ContentHash,
  media_path: FilePath,
  other_paths: OtherPaths,
  kind: described(MediaKind, 'Kind of the file.'),
  time_seconds: described(Type.Number(), 'Time to begin at, from the best of the reasons.'),
  start_seconds: described(
    Type.Number(),
    'Start of the scene. For a scene of more than a minute, it is the half minute around the moment; ' +
      'without scenes, it is what is said.',
  ),
  end_seconds: described(Type.Number(), 'End of the same range.'),
  shot: ShotAround,
  reasons: described(
    Type.Array(Reason),
    'Why the moment was found, best rank first; at most 20 reasons. If only filters selected it: the people ' +
      'of `people_filter` who are seen in it.',
  ),
});
export type Moment = Static<typeof Moment>;

export const MomentsAnswer = Type.Object({
  moments: described(
    Type.Array(named('Moment', Moment)),
    'Moments, best first, and after names those of which everything is `weak`; if only filters selected them, ' +
      'the ones recorded last first.',
  ),
  counts: described(
    Type.Object({
      seen: field('Number of moments found by their pictures.', Type.Integer()),
      said: field('Number of moments found by what is said.', Type.Integer()),
      person: field('Number of moments that show a person named in the query.', Type.Integer()),
      written: field(
        'Number of moments that show a line of text with the words of the query.',
        Type.Integer(),
      ),
      name: field('Number of moments found by names that have the words of the query.', Type.Integer()),
    }),
    'Number of moments with a reason of each kind, among all moments considered, including those beyond ' +
      '`limit`.',
  ),
  weaker: Weaker,
  not_understood: MaybeNotUnderstood,
  ...notesFields,
});
export type MomentsAnswer = Static<typeof MomentsAnswer>;

export const RelevanceRequest = Type.Object({
  cache_dir: CacheDir,
  ...mediaFields,
  ...queryFields,
  query: inChoice(queryFields.query, {
    fields: ['query', 'image_path', 'image_data', 'like'],
    least: 1,
    most: 4,
  }),
});
export type RelevanceRequest = Static<typeof RelevanceRequest>;

export const RelevanceAnswer = Type.Object({
  hash_str: ContentHash,
  media_path: FilePath,
  values: described(
    Type.Array(Type.Number({ minimum: 0, maximum: 1 })),
    'One value from 0 to 1 for each second of the film; empty for sound.',
  ),
  scale: described(
    Type.Object({
      background: described(
        Type.Number(),
        'The score that corresponds to 0: the median of the library. Lower scores also count as 0.',
      ),
      best: described(
        Type.Number(),
        'The best score in the library. Compare it only between responses to the same query.',
      ),
      frames: described(Type.Integer(), 'Number of seconds in the library that were compared.'),
    }),
    'Scale of the values. It is the same for every film as long as the query and the loaded data are the ' +
      'same.',
  ),
  ...notesFields,
});
export type RelevanceAnswer = Static<typeof RelevanceAnswer>;

export const noScale = { background: 0, best: 0, frames: 0 };

export interface Moments {
  /**
   * Errors: NOTHING_ASKED, WRONG_PICTURE, those of the scope; where one kind alone is asked for, what keeps
   * it from being searched.
   */
  search(request: MomentsRequest, signal?: AbortSignal): Promise<MomentsAnswer>;
  /** Errors: as above, and MEDIA_UNKNOWN. */
  relevance(request: RelevanceRequest, signal?: AbortSignal): Promise<RelevanceAnswer>;
}
