// What the service knows, as files for other programs.
import { Type } from 'typebox';
import {
  createFolders,
  documentFormats,
  mostSegments,
  TranscriptAnswer,
} from '../../actors/exporter/contract.ts';
import { described, shown } from '../../runtime/schema.ts';
import { AbsolutePath, absolute } from '../request/paths.ts';
import { type Route, reply, route } from '../route.ts';

const tag = 'Export';

const SegmentRow = Type.Array(Type.Union([Type.Number(), Type.String(), Type.Null()]), {
  minItems: 3,
  maxItems: 4,
});

export const exportTranscript = route({
  method: 'POST',
  path: '/api/v1/export/transcript',
  id: 'exportTranscript',
  tag,
  summary: 'A transcript as a document',
  description:
    'Answers the document in base64, or writes it into `output_dir` and answers its path; a name that is taken gets `-2`, ' +
    '`-3` and so on, nothing is ever written over. Rows are put in order of start. In txt, csv, docx and pdf a gap of 2 s or ' +
    'more between segments becomes one row of silence; `row_count` counts the submitted segments only. csv is RFC 4180 in ' +
    'UTF-8 with a byte order mark; a cell that a spreadsheet would run as a formula begins with an apostrophe. srt and vtt leave out ' +
    'segments without text, and name speakers before the words (`NAME:`, `<v NAME>`). pdf embeds the part of a font that is ' +
    'used: `warning` says which characters no font of this machine has. 413 for more text than a document can hold.',
  body: Type.Object({
    segments: described(
      shown(Type.Array(SegmentRow, { maxItems: mostSegments }), [
        [0, ' Hello there.', 1.5, 'SPEAKER_00'],
        [4, ' Good morning.', 5.5, 'SPEAKER_01'],
      ]),
      '`[start_seconds, text, end_seconds]` with an optional fourth item, the label of the speaker. Rows of /transcriptions ' +
        'have the media path as the fourth item: take it out, or it is taken for the label.',
    ),
    format: Type.Unsafe<(typeof documentFormats)[number]>({ type: 'string', enum: [...documentFormats] }),
    display_name: described(
      Type.String({ minLength: 1, maxLength: 1000 }),
      'Title of the document; the name of the file is made from it.',
    ),
    output_dir: Type.Optional(
      described(AbsolutePath, 'Absolute path of the folder to write into; it is made when it is not there.'),
    ),
    ...createFolders,
  }),
  answers: { 200: TranscriptAnswer },
  handle: async ({ body, signal }, { exporter }) => {
    const { segments, format, display_name, create_folders } = body;
    const output_dir = body.output_dir === undefined ? null : absolute('output_dir', body.output_dir);
    const request = { segments, format, display_name, output_dir, create_folders };
    return reply(200, await exporter.transcript(request, signal));
  },
});

export const exportRoutes: readonly Route[] = [exportTranscript];
