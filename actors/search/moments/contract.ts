// Moments: what is seen, what is said, what is written and who is there, in one list; and how much each second of a film has of a query.
import { type Static, Type } from 'typebox';
import { errorTable } from '../../../runtime/errors.ts';
import { described, named, oneOf } from '../../../runtime/schema.ts';
import type { PeopleFilter } from '../../index/people/contract.ts';
import type { FrameRange } from '../../index/visual/contract.ts';
import { TextBox } from '../../text-reader/contract.ts';
import { type NamedMedia, OtherPaths } from '../media/contract.ts';
import { MediaKind } from '../scenes/contract.ts';
import type { MetadataFilterRequest } from '../scope/contract.ts';
import { Band, Explanation, NotUnderstood, Weaker } from '../visual/contract.ts';

export const momentErrors = errorTable({
  NOTHING_ASKED: { meaning: 'There is nothing to search for', status: 400, retryable: false },
  SEVERAL_PICTURES: { meaning: 'More than one picture is given', status: 400, retryable: false },
  WRONG_PICTURE: { meaning: 'The picture cannot be read', status: 400, retryable: false },
  NOBODY_NAMED: { meaning: 'The query names no known person', status: 400, retryable: false },
  NOTHING_READ: { meaning: 'No text has been recognized in pictures', status: 400, retryable: false },
  NO_ROOM: { meaning: 'The picture cannot be stored temporarily', status: 507, retryable: true },
});

export const momentKinds = ['seen', 'said', 'person', 'written'] as const;
export type MomentKind = (typeof momentKinds)[number];

/** Bytes of a picture inside a request. */
export const mostPictureBytes = 20 * 1024 * 1024;

/** The one picture of a query. */
export type AskedPicture =
  | { readonly image_path: string }
  /** Base64, or a data URL. */
  | { readonly image_data: string }
  | {
      readonly like: ({ readonly hash_str: string } | { readonly media_path: string }) & {
        readonly time_seconds: number;
      };
    };

/** What is searched for. */
export interface MomentQuery {
  readonly query: string | null;
  readonly picture: AskedPicture | null;
  readonly exclude: string[];
  readonly text_weight: number;
}

export interface MomentsRequest extends MomentQuery {
  readonly cache_dir: string;
  readonly media_paths: string[];
  readonly search_all: boolean;
  readonly segments_to_frame_indices: Record<string, FrameRange[]>;
  readonly metadata_filter_request: MetadataFilterRequest | null;
  readonly people_filter?: PeopleFilter;
  /** Null: all of them, as far as they can be searched. */
  readonly kinds: readonly MomentKind[] | null;
  readonly limit: number;
  readonly max_per_media?: number;
  /** Says how sure what is seen is. */
  readonly explain?: boolean;
  /** Leaves out what is seen or written and less sure. */
  readonly min_band?: Band;
}

const Rank = described(Type.Integer({ minimum: 1 }), 'Place in the list of its kind, from 1.');

export const Seen = Type.Object({
  kind: oneOf('seen'),
  rank: Rank,
  explanation: Type.Optional(described(named('Explanation', Explanation), 'With `explain` alone.')),
});
export const Said = Type.Object({
  kind: oneOf('said'),
  rank: Rank,
  text: described(Type.String(), 'What is said there: one segment of the transcript.'),
  start_seconds: described(Type.Number(), 'Of that segment.'),
  end_seconds: described(Type.Number(), 'Of that segment.'),
  speaker: described(Type.String(), 'Id in the transcript; empty where speakers were not detected.'),
  speaker_name: described(Type.String(), 'The name that was given, else the id.'),
});
export const ThePerson = Type.Object({
  kind: oneOf('person'),
  rank: Rank,
  name: described(Type.String(), 'As it was given.'),
  cluster_id: described(Type.String(), 'The largest cluster of that name.'),
  cluster_job_name: described(Type.String(), 'The clustering of that cluster.'),
});
export const TheWriting = Type.Object({
  kind: oneOf('written'),
  rank: Rank,
  text: described(Type.String(), 'The line of text that is seen there.'),
  score: described(Type.Number(), 'How well it was read, 0 to 1.'),
  band: described(Band, '`strong`: read well, with a `score` of .9 or more; else `weak`.'),
  box: described(TextBox, 'Left, top, width and height of the line, relative to the picture.'),
  best_seconds: described(Type.Number(), 'The second in which it was read best, to which `box` belongs.'),
  start_seconds: described(Type.Number(), 'When the line comes into view.'),
  end_seconds: described(Type.Number(), 'When it is gone.'),
});
export const Reason = Type.Union([
  named('SeenReason', Seen),
  named('SaidReason', Said),
  named('PersonReason', ThePerson),
  named('WrittenReason', TheWriting),
]);
export type Reason = Static<typeof Reason>;

export const Moment = Type.Object({
  moment_id: described(
    Type.String(),
    '`<hash_str>@<second>`; the same for the same moment in every answer that has it.',
  ),
  hash_str: Type.String(),
  media_path: Type.String(),
  other_paths: OtherPaths,
  kind: described(MediaKind, 'What the file is.'),
  time_seconds: described(Type.Number(), 'Where to begin: of the best of the reasons.'),
  start_seconds: described(
    Type.Number(),
    'Of the scene; of a scene longer than a minute the half minute around; where there are no scenes, of what is said.',
  ),
  end_seconds: described(Type.Number(), 'As `start_seconds`.'),
  reasons: described(Type.Array(Reason), 'Why it is here, best rank first; at most 20.'),
});
export type Moment = Static<typeof Moment>;

export const MomentsAnswer = Type.Object({
  moments: described(Type.Array(named('Moment', Moment)), 'Best first.'),
  counts: described(
    Type.Object({
      seen: Type.Integer(),
      said: Type.Integer(),
      person: Type.Integer(),
      written: Type.Integer(),
    }),
    'Moments with a reason of each kind, among those that were looked at, also beyond `limit`.',
  ),
  weaker: Weaker,
  not_understood: Type.Optional(
    described(
      named('NotUnderstood', NotUnderstood),
      'Where words are not understood, or are only found roughly.',
    ),
  ),
  toast_warning: Type.Optional(
    described(
      Type.String(),
      'What a person should know about this answer: kinds that were not searched, words that are not understood, files that cannot be read.',
    ),
  ),
  warnings: Type.Optional(
    described(Type.Array(Type.String()), 'The sentences of `toast_warning`, one by one.'),
  ),
});
export type MomentsAnswer = Static<typeof MomentsAnswer>;

export type RelevanceRequest = MomentQuery & NamedMedia;

export const RelevanceAnswer = Type.Object({
  hash_str: Type.String(),
  media_path: Type.String(),
  values: described(
    Type.Array(Type.Number({ minimum: 0, maximum: 1 })),
    'One for each second of the film, 0 to 1; empty for sound.',
  ),
  scale: described(
    Type.Object({
      background: described(
        Type.Number(),
        'What 0 stands for: the usual score of the library, and of all below.',
      ),
      best: described(
        Type.Number(),
        'The best score of the library. Of use only to compare answers to one query.',
      ),
      frames: described(Type.Integer(), 'Seconds of the library that were compared.'),
    }),
    'The scale of the values; the same for every film while the query and what is loaded are the same.',
  ),
  toast_warning: Type.Optional(described(Type.String(), 'As that of /search/moments.')),
  warnings: Type.Optional(
    described(Type.Array(Type.String()), 'The sentences of `toast_warning`, one by one.'),
  ),
});
export type RelevanceAnswer = Static<typeof RelevanceAnswer>;

export const noScale = { background: 0, best: 0, frames: 0 };

export interface Moments {
  /**
   * Errors: NOTHING_ASKED, WRONG_PICTURE, those of the scope; where one kind alone is asked for, what keeps it from
   * being searched.
   */
  search(request: MomentsRequest, signal?: AbortSignal): Promise<MomentsAnswer>;
  /** Errors: as above, and MEDIA_UNKNOWN. */
  relevance(request: RelevanceRequest, signal?: AbortSignal): Promise<RelevanceAnswer>;
}
