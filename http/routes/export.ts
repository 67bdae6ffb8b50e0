// What the service knows, as files for other programs.
import { Type } from 'typebox';
import {
  createFolders,
  documentFormats,
  mostSegments,
  TranscriptAnswer,
} from '../../actors/exporter/contract.ts';
import { AbsolutePath } from '../../runtime/paths.ts';
import { described, shown } from '../../runtime/schema.ts';
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
  summary: 'Export a transcript as a document',
  description:
    'Returns the document in base64, or writes it to `output_dir` and returns its path. Existing files ' +
    'are never overwritten: if a name is taken, the new file gets `-2`, `-3` and so on. Rows are sorted ' +
    'by start. In txt, csv, docx and pdf, a gap of 2 s or more between segments becomes a row of ' +
    'silence; `row_count` counts the submitted segments only. csv is RFC 4180 in UTF-8 with a byte order ' +
    'mark, and a cell that a spreadsheet would execute as a formula begins with an apostrophe. srt and ' +
    'vtt omit segments without text, and put the speaker before the words (`NAME:`, `<v NAME>`). pdf ' +
    'embeds the used part of a font; `warning` lists characters that no font on this machine has. ' +
    'Returns 413 if the text is too long for a document.',
  body: Type.Object({
    segments: described(
      shown(Type.Array(SegmentRow, { maxItems: mostSegments }), [
        [0, ' Hello there.', 1.5, 'SPEAKER_00'],
        [4, ' Good morning.', 5.5, 'SPEAKER_01'],
      ]),
      'Segments as `[start_seconds, text, end_seconds]` with the speaker label as an optional fourth item. ' +
        'Rows from /transcriptions have the media path as the fourth item; remove it, or it is used as the ' +
        'speaker label.',
    ),
    format: Type.Unsafe<(typeof documentFormats)[number]>({ type: 'string', enum: [...documentFormats] }),
    display_name: described(
      Type.String({ minLength: 1, maxLength: 1000 }),
      'Title of the document. The file name is made from it.',
    ),
    output_dir: Type.Optional(
      described(AbsolutePath, 'Absolute path of the output folder. It is created if it does not exist.'),
    ),
    ...createFolders,
  }),
  answers: { 200: TranscriptAnswer },
  handle: async ({ body, signal }, { exporter }) => {
    const { segments, format, display_name, output_dir = null, create_folders } = body;
    const request = { segments, format, display_name, output_dir, create_folders };
    return reply(200, await exporter.transcript(request, signal));
  },
});

export const exportRoutes: readonly Route[] = [exportTranscript];
