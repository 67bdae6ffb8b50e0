// The declaration of the text stage: the words that are printed in every second of a film and in every still.
import { type Static, Type } from 'typebox';
import { plainPath } from '../../../../runtime/paths.ts';
import { defaulted, described, field, nullable, ShownWarning, shown } from '../../../../runtime/schema.ts';
import { counted } from '../../../../runtime/text.ts';
import { FromPreviews, MediaPath, named, uniquePaths } from '../../request.ts';
import { stageKind } from '../kind.ts';

// Facts of the stage that reads printed words.

const Count = Type.Integer({ minimum: 0 });

export const TextFacts = Type.Object({
  model_key: field('Key of the model.', Type.String()),
  lines: field('Number of lines of text that searches can find.', Count),
  missing_frames: field('Number of frames that could not be decoded.', Count),
  from_previews: FromPreviews,
  warning: ShownWarning,
});
export type TextFacts = Static<typeof TextFacts>;

export const textKind = stageKind({
  type: 'text',
  needs: [],
  place: 'analysis',
  body: {
    text_media_paths: shown(
      defaulted(
        described(
          nullable(Type.Array(MediaPath)),
          'Films and stills to search for printed words. If omitted or null, these are the ' +
            '`visual_media_paths`, provided that a model that reads words is downloaded. `[]` means none. Files that ' +
            'are named are refused with `NO_TEXT_MODEL` if there is no such model.',
        ),
        null,
      ),
      ['/media/film.mp4'],
    ),
  },
  complaints: () => [],
  media: ({ text_media_paths }) => named('text_media_paths', text_media_paths ?? []),
  readsPreviews: true,
  follows: { field: 'text_media_paths', model: 'text' },
  resolved: {
    /** Absolute paths of the media files in which words are read. */
    text_paths: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
  },
  expects: async ({ text_media_paths }, { expectModelFor }) => {
    if (text_media_paths !== null && text_media_paths.length > 0) await expectModelFor('text');
  },
  resolve: ({ text_media_paths }) => {
    const text_paths = uniquePaths(text_media_paths ?? [], (path) => path).map(plainPath);
    return text_paths.length > 0 ? { text_paths } : {};
  },
  nothing: {},
  admits: async ({ text_paths = [] }, { expectModelFor }) => {
    if (text_paths.length > 0) await expectModelFor('text');
  },
  shows: [],
  jobsOf: ({ text_paths = [] }) => [{ name: null, items: text_paths.map((path) => ({ path })) }],
  unit: {
    done: 'text_frames',
    all: 'text_grid_frames',
    meanings: [
      'Number of frames searched for text, one for each second.',
      'Total number of frames, one for each second.',
    ],
    measure: 'count',
    weight: 1,
    cost: 0.22,
    amountOf: ({ probe }) => probe.grid_frames,
    label: 'frames for words',
    speed: null,
  },
  facts: {
    text: field('What was found in the file, for work of type `text`; otherwise null.', nullable(TextFacts)),
  },
  noFacts: { text: null },
  notApplicable: 'nothing_to_read',
  notApplicableMeaning: 'Number of files without pictures for which text recognition was requested.',
  labels: {
    notApplicable: 'without pictures',
    nothing: 'sound only, no pictures to read text in',
    result: ({ text }) => {
      const { lines, missing_frames, warning } = text ?? { lines: 0, missing_frames: 0 };
      const missing = missing_frames > 0 ? `, ${missing_frames} frames cannot be decoded` : '';
      const said = `${counted(lines, 'line')} of text${missing}`;
      return warning === undefined ? said : `${said}; ${warning}`;
    },
    warning: ({ text }) => text?.warning,
  },
  metrics: {
    done: { name: 'framehound_text_frames_total', help: 'Frames of the grid searched for words.' },
    results: [
      {
        name: 'framehound_text_lines_total',
        help: 'Lines of text found.',
        count: ({ text }) => text?.lines ?? 0,
      },
    ],
  },
});
