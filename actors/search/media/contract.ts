// Questions about one media file and their answers: how it is named, its frames, loudness and scenes, and
// what detectors have seen in it.
import { type Static, Type } from 'typebox';
import { errorTable } from '../../../runtime/errors.ts';
import { AbsolutePath } from '../../../runtime/paths.ts';
import {
  choiceOf,
  defaulted,
  described,
  field,
  named,
  nullable,
  oneOf,
  optional,
  shown,
} from '../../../runtime/schema.ts';
import { SoundName } from '../../index/sounds/contract.ts';
import { CacheDir, ContentHash, EndSeconds, FilePath, StartSeconds } from '../../index/store/contract.ts';
import { ShotSize } from '../../index/things/contract.ts';
import { Shot } from '../../index/visual/contract.ts';
import { TextBox } from '../../text-reader/contract.ts';
import { ThingBox, ThingClass } from '../../things/contract.ts';

export const OtherPaths = field(
  'Other files with the same content, if there are any; at most 32.',
  Type.Optional(Type.Array(Type.String())),
);

export const ShotAround = Type.Optional(
  described(
    named('Shot', Shot),
    'The shot around the moment between its exact edges. Omitted if edges are known to the second only.',
  ),
);

export const HashStr = described(
  Type.String({ pattern: '^[0-9a-f][0-9a-f-]{0,99}$' }),
  'The `hash_str` of a media file, as returned by /media/metadata.',
);

const namedMedia = {
  media_path: Type.Optional(shown(AbsolutePath, '/media/film.mp4')),
  hash_str: Type.Optional(HashStr),
};

/** `whichMedia` says which of the two it is. */
export const mediaFields = choiceOf(namedMedia);
/** Neither stands for all media. */
export const maybeMediaFields = choiceOf(namedMedia, { least: 0 });
const MediaFields = Type.Object(mediaFields);
type MediaFields = Readonly<Static<typeof MediaFields>>;
export type NamedMedia = { readonly cache_dir: string } & MediaFields;

export const whichMediaErrors = errorTable({
  WHICH_MEDIA: { meaning: 'The request must name exactly one media file', status: 400 },
});

/**
 * Throws WHICH_MEDIA unless a request names a file in exactly one way. `within`: before the names of the
 * fields.
 */
export function whichMedia(
  { media_path, hash_str }: MediaFields,
  within = '',
): { readonly media_path: string } | { readonly hash_str: string } {
  if (media_path !== undefined && hash_str === undefined) return { media_path };
  if (hash_str !== undefined && media_path === undefined) return { hash_str };
  const which = media_path === undefined ? 'neither' : 'both';
  const field = `${within}media_path`;
  const what = `exactly one of ${field} and hash_str is required, not ${which}`;
  throw whichMediaErrors.WHICH_MEDIA(what, { field });
}

// Stored facts about one media file, whether or not the file can be reached now.

export const MediaFactsRequest = Type.Object({ cache_dir: CacheDir, ...mediaFields });

export const MediaFactsAnswer = Type.Object({
  hash_str: ContentHash,
  media_path: described(Type.String(), 'Path of the file, or the path where it was last seen.'),
  available: described(
    Type.Boolean(),
    'Whether the file is at a known path and unchanged. False if it was deleted, moved or replaced, or if ' +
      'its drive is not connected.',
  ),
  kind: field('Kind of the file.', oneOf('video', 'audio', 'image')),
  duration_seconds: described(
    Type.Number(),
    'Duration of the file in seconds; 0 for a still, and for sound whose container does not say.',
  ),
  fps: described(
    nullable(Type.Number()),
    'Frames per second; 0 for stills and sound; null if the file does not say.',
  ),
  width: field('Width of the displayed picture in pixels; 0 for sound.', Type.Integer()),
  height: field('Height of the displayed picture in pixels; 0 for sound.', Type.Integer()),
});
export type MediaFactsAnswer = Static<typeof MediaFactsAnswer>;

// When each frame of a part of a film is shown: players that step by frames need it where the rate varies.

/** Seconds of one question: what is between has to be read from the file. */
export const longestPart = 60;

export const FrameTimesRequest = Type.Object({
  cache_dir: CacheDir,
  ...mediaFields,
  start_seconds: described(
    Type.Number({ minimum: 0 }),
    'Start of the part, in seconds from the first frame of the film.',
  ),
  end_seconds: described(
    Type.Number({ exclusiveMinimum: 0 }),
    `End of the part; at most ${longestPart} s after the start.`,
  ),
});
export type FrameTimesRequest = Static<typeof FrameTimesRequest>;

export const FrameTimesAnswer = Type.Object({
  hash_str: ContentHash,
  media_path: described(Type.String(), 'Path of the file.'),
  rate_varies: described(
    Type.Boolean(),
    'Whether the frame rate of the film varies, judging by its first frames and those of the part.',
  ),
  frame_starts: described(
    Type.Array(Type.Number()),
    'Times in seconds from the first frame of the film, ascending, at which each frame of the part is ' +
      'first shown. Empty for sound, for stills, after the end, and for films without timestamps (AVI), ' +
      'whose frames are evenly spaced.',
  ),
  last_frame_end: described(
    nullable(Type.Number()),
    'When the last of these frames ends; null if the file does not say.',
  ),
});
export type FrameTimesAnswer = Static<typeof FrameTimesAnswer>;

// How loud the sound of a file is along its time.

/** Points of one answer. */
const mostPoints = 20_000;

export const PeaksRequest = Type.Object({
  cache_dir: CacheDir,
  ...mediaFields,
  start_seconds: Type.Optional(
    described(Type.Number({ minimum: 0 }), 'Start of the range. The default is the beginning of the file.'),
  ),
  end_seconds: Type.Optional(
    described(Type.Number({ minimum: 0 }), 'End of the range. The default is the end of the file.'),
  ),
  points: defaulted(described(Type.Integer({ minimum: 1, maximum: mostPoints }), 'Number of parts.'), 2000),
});
export type PeaksRequest = Static<typeof PeaksRequest>;

export const PeaksAnswer = Type.Object({
  hash_str: ContentHash,
  media_path: described(Type.String(), 'Path of the file, or the path where it was last seen.'),
  has_sound: described(Type.Boolean(), 'False if the file has no sound; `peaks` is then empty.'),
  duration_seconds: described(Type.Number(), 'Duration of the file in seconds.'),
  start_seconds: described(Type.Number(), 'Start of the first part.'),
  end_seconds: described(Type.Number(), 'End of the last part, which is never after the end of the file.'),
  peaks: described(
    Type.Array(Type.Number({ minimum: 0, maximum: 1 })),
    'The loudest sample of any channel in each of `points` equal parts of the range. 1 is full scale.',
  ),
});
export type PeaksAnswer = Static<typeof PeaksAnswer>;

// The scenes of one media file, the same that matches have.

export const ScenesRequest = Type.Object({
  cache_dir: CacheDir,
  ...mediaFields,
  start_seconds: defaulted(
    described(Type.Number({ minimum: 0 }), 'Return scenes that end after this time.'),
    0,
  ),
  end_seconds: described(
    optional(Type.Number({ exclusiveMinimum: 0 })),
    'Return scenes that begin before this time, which must be after `start_seconds`. If omitted, the ' +
      'range extends to the end.',
  ),
});
export type ScenesRequest = Static<typeof ScenesRequest>;

export const Scene = Type.Object({
  start_seconds: described(Type.Number(), 'Start of the scene.'),
  end_seconds: described(
    Type.Number(),
    'End of the scene: the start of the next scene, or the end of the film.',
  ),
  start_frame: described(
    nullable(Type.Integer()),
    'First picture of the scene; pictures of the film are counted from 0. Null if `edges` is not `exact`.',
  ),
  end_frame: described(
    nullable(Type.Integer()),
    'First picture of the next scene. Null if `edges` is not `exact`, and for the last scene.',
  ),
});
export type Scene = Static<typeof Scene>;

/** Kind of a file in answers about moments and scenes. */
export const MediaKind = oneOf('video', 'audio', 'image');

export const ScenesAnswer = Type.Object({
  hash_str: ContentHash,
  media_path: FilePath,
  kind: described(
    MediaKind,
    'Scenes of the file. Sound has no scenes, and a still has one scene of one second.',
  ),
  duration_seconds: described(Type.Number(), 'Duration of the file in seconds; 0 for a still.'),
  model_key: described(
    nullable(Type.String()),
    'The visual model that the scenes are based on: the model in use if it has analysed the file, ' +
      'otherwise the last model that has; null for sound.',
  ),
  edges: described(
    nullable(oneOf('exact', 'grid')),
    '`exact`: scenes begin and end between two pictures of the film, and none is left out because it is ' +
      'short. `grid`: scenes begin at whole seconds, because the file was analysed by an earlier version or ' +
      'with `decode: keyframes`; analyse it again for exact edges. Null for sound and stills.',
  ),
  scenes: field('The scenes in order of time.', Type.Array(named('Scene', Scene))),
});
export type ScenesAnswer = Static<typeof ScenesAnswer>;

// Detections in one media file: things, shot sizes, printed lines.

const Seconds = { start_seconds: StartSeconds, end_seconds: EndSeconds };

const SeenClass = Type.Object({
  class: described(ThingClass, 'Class of the things, one of the 80 classes of COCO.'),
  measured: described(
    Type.Boolean(),
    'Whether detections of the class were judged when its bar was chosen. Only such classes count in `things.seen`.',
  ),
  score: described(Type.Number({ minimum: 0, maximum: 1 }), 'Where the thing is seen best.'),
  ranges: described(
    Type.Array(Type.Tuple([Type.Number(), Type.Number()])),
    'Half-open ranges in seconds in which at least one such thing is visible.',
  ),
  tracks: described(
    Type.Array(
      Type.Object({
        ...Seconds,
        box: described(
          ThingBox,
          'Left, top, width and height where the thing is seen best, relative to the picture.',
        ),
      }),
    ),
    'Each thing for as long as it stays in its place.',
  ),
});

const SeenShot = Type.Object({
  size: described(
    ShotSize,
    'How large people appear: `close_up` (down to the chest), `medium` (down to the waist or knees), or ' +
      '`wide` (whole or smaller).',
  ),
  ...Seconds,
});

const SeenLine = Type.Object({
  text: field('The visible line of text.', Type.String()),
  score: described(
    Type.Number({ minimum: 0, maximum: 1 }),
    'Certainty of the text recognition; a value below .9 is uncertain.',
  ),
  ...Seconds,
  box: described(
    TextBox,
    'Left, top, width and height of the line where it is recognized best, relative to the picture.',
  ),
});

const HeardSound = Type.Object({
  sound: SoundName,
  confidence: described(Type.Number({ minimum: 0, maximum: 1 }), 'Mean of its probability in this range.'),
  ...Seconds,
});

const looked = (what: string) =>
  described(
    nullable(oneOf('file', 'previews')),
    `Where ${what} were searched for: in the file itself or in its stored previews; null if they were ` +
      'not searched for.',
  );

export const SeenAnswer = Type.Object({
  hash_str: ContentHash,
  media_path: FilePath,
  things_from: looked('things'),
  things: described(
    Type.Array(named('SeenClass', SeenClass)),
    'Things with a score of .6 or more; those that are visible longest come first.',
  ),
  shots: described(
    Type.Array(named('SeenShot', SeenShot)),
    'Shot sizes in order of time, derived from the boxes of people and faces; empty if nobody is visible.',
  ),
  lines_from: looked('printed words'),
  lines: described(Type.Array(named('SeenLine', SeenLine)), 'Printed lines in order of time.'),
  faces: described(
    Type.Array(
      Type.Object({
        time_seconds: described(Type.Number(), 'The second in which the face is visible.'),
        box: described(ThingBox, 'Left, top, width and height of the face, relative to the picture.'),
      }),
    ),
    'Faces in order of time, found by any face model.',
  ),
  sounds: described(
    nullable(Type.Array(named('HeardSound', HeardSound))),
    'Music and singing in order of time; null if the file was not searched for them. In 16 clips, 7 of 8 ' +
      'claims of music were right; of two clips with singing one was found.',
  ),
});
export type SeenAnswer = Static<typeof SeenAnswer>;
