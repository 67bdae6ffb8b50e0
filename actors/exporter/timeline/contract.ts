// Timelines: scenes as a sequence that an editing program opens. Requests and answers.
import { type Static, Type } from 'typebox';
import { errorTable } from '../../../runtime/errors.ts';
import { AbsolutePath } from '../../../runtime/paths.ts';
import { defaulted, described, field, oneOf, Success, shown } from '../../../runtime/schema.ts';
import { createFolders } from '../contract.ts';

export const timelineErrors = errorTable({
  ITEM_INVALID: { meaning: 'An item cannot be placed', status: 400 },
  SEQUENCE_INVALID: { meaning: 'The settings of the sequence are not valid', status: 400 },
  FORMAT_UNFIT: { meaning: 'The format does not support this timeline', status: 400 },
  TIMELINE_UNWRITABLE: { meaning: 'The timeline cannot be written', status: 400 },
  TIMELINE_TOO_LARGE: { meaning: 'The timeline is too large', status: 413 },
});

export const timelineFormats = ['xmeml', 'fcpxml', 'edl', 'otio'] as const;
export type TimelineFormat = (typeof timelineFormats)[number];

/** Suffixes of files, by which a format is known too. */
export const timelineSuffixes: Readonly<Record<TimelineFormat, string>> = {
  xmeml: 'xml',
  fcpxml: 'fcpxml',
  edl: 'edl',
  otio: 'otio',
};

export const timelineTypes: Readonly<Record<TimelineFormat, string>> = {
  xmeml: 'application/xml',
  fcpxml: 'application/xml',
  edl: 'text/plain; charset=utf-8',
  otio: 'application/json',
};

/** Items of one timeline, and the latest second that one of them may name. */
export const mostItems = 10_000;
export const mostSeconds = 1_000_000;
/** Tracks of one kind that items may overlap on. */
export const mostTracks = 99;
export const mostFramesPerSecond = 240;
export const mostSide = 16_384;

/** How long a still lasts where nothing else is said. */
export const stillSeconds = 5;

const Name = Type.String({ minLength: 1, maxLength: 1000 });
const Seconds = Type.Number({ minimum: 0, maximum: mostSeconds });
const Side = Type.Integer({ minimum: 2, maximum: mostSide });

const Item = Type.Object({
  media_path: AbsolutePath,
  source_start_seconds: described(Seconds, 'Start of the range, in seconds from the beginning of the file.'),
  source_end_seconds: Type.Optional(
    described(
      Seconds,
      'End of the range; must be after the start. An end in the last, incomplete second of the file is the ' +
        `end of the file. If omitted, the end of the file; a still then lasts ${stillSeconds} s.`,
    ),
  ),
  timeline_start_seconds: Type.Optional(
    described(
      Seconds,
      'Position in the sequence. If omitted, the item begins where the previous item of the same `track` ' +
        'ends; with `both`, at the later of the two ends.',
    ),
  ),
  track: described(
    oneOf('video', 'audio', 'both'),
    '`video`: the picture without its sound. `audio`: only the sound. `both`: picture and sound, as far ' +
      'as the file has them.',
  ),
  name: Type.Optional(described(Name, 'Name of the clip. The default is the name of the file.')),
});

const ChapterMarkers = Type.Object({
  cache_dir: described(AbsolutePath, 'Absolute path of the analysis folder that contains the summaries.'),
  analysis_name: Type.Optional(
    described(Name, 'Name of one of several summaries of a file. If omitted, the latest one is used.'),
  ),
  depth: Type.Optional(
    described(
      Type.Integer({ minimum: 0, maximum: 1000 }),
      'Level of the chapters in the summary. The default is 1, the children of the root.',
    ),
  ),
});
export type ChapterMarkers = Static<typeof ChapterMarkers>;

/** Fields of a request that every format takes. */
export const timelineFields = {
  output_path: Type.Optional(
    described(
      AbsolutePath,
      'Absolute path of the output file, in an existing folder. If omitted, the text is returned in the ' +
        'response.',
    ),
  ),
  ...createFolders,
  sequence_name: field('Name of the sequence in the editing program.', defaulted(Name, 'Sequence')),
  fps: Type.Optional(
    described(
      Type.Number({ minimum: 1, maximum: mostFramesPerSecond }),
      'Frame rate, such as 23.976, 24, 25 or 29.97. The default is that of most clips.',
    ),
  ),
  width: Type.Optional(described(Side, 'Size in pixels. The default is that of most clips.')),
  height: field('Size in pixels. The default is that of most clips.', Type.Optional(Side)),
  items: described(
    shown(Type.Array(Item, { minItems: 1, maxItems: mostItems }), [
      { media_path: '/media/film.mp4', source_start_seconds: 10, source_end_seconds: 14, track: 'video' },
    ]),
    'Ranges of files. Later items cover earlier ones.',
  ),
  cache_dir: Type.Optional(
    described(
      AbsolutePath,
      'Absolute path of an analysis folder. A file that is away, such as one on a drive that is not ' +
        'connected, is placed by what this folder knows of it, and named in `warnings`.',
    ),
  ),
  unreadable: Type.Optional(
    described(
      oneOf('refuse', 'leave_out'),
      'What to do with items whose file is missing or not media. `refuse` (the default): return 400 with ' +
        'the first such item in `message`. `leave_out`: place the other items and report these in `warnings`.',
    ),
  ),
  chapter_markers: Type.Optional(
    described(
      ChapterMarkers,
      'Adds markers for the chapters of stored summaries where they are used. Files without a summary get ' +
        'no markers and are listed in `warnings`. If omitted, there are no markers.',
    ),
  ),
};

export const TimelineBody = Type.Object({
  format: field('Kind of document.', oneOf(...timelineFormats)),
  ...timelineFields,
  start_timecode: Type.Optional(
    described(
      Type.String({ pattern: '^\\d{2}:\\d{2}:\\d{2}[:;]\\d{2,3}$' }),
      'Timecode of the first frame as HH:MM:SS:FF; a `;` before the frames makes it drop-frame.',
    ),
  ),
});
export type TimelineBody = Static<typeof TimelineBody>;

export type TimelineItem = Static<typeof Item>;

export const timelineFacts = {
  success: Success,
  sequence_name: field('Name of the sequence in the editing program.', Type.String()),
  fps: field('Frame rate of the sequence.', Type.Number()),
  item_count: field('Number of items in the sequence.', Type.Integer()),
  total_duration_seconds: field(
    'Latest end of an item after rounding to frames, including gaps and overlapping tracks.',
    Type.Number(),
  ),
  output_path: field('Path of the document, if one was given.', Type.Optional(Type.String())),
  warnings: Type.Optional(
    described(
      Type.Array(Type.String()),
      'Notes for the editor: skipped files, files that are away, and frame rates that vary or differ from ' +
        'the sequence.',
    ),
  ),
};

export const TimelineAnswer = Type.Object({
  ...timelineFacts,
  format: field('Kind of document.', Type.String()),
  mime_type: field('Media type of the document.', Type.String()),
  content: Type.Optional(described(Type.String(), 'The timeline as text, if no `output_path` was given.')),
});
export type TimelineAnswer = Static<typeof TimelineAnswer>;

export interface Timelines {
  /**
   * Asks what each source is, or the analysis folder where it is away, places the items and writes them;
   * nothing is written when an item is wrong, or when no file is known or can be read. ITEM_INVALID,
   * SEQUENCE_INVALID and the errors of media name the
   * field; BUSY when too many timelines wait.
   */
  make(request: TimelineBody, signal: AbortSignal): Promise<TimelineAnswer>;
  /** Ends the thread, and what it writes. */
  close(): Promise<void>;
}
