// What the service knows, as files for other programs.
import { TranscriptAnswer, TranscriptRequest } from '../../actors/exporter/contract.ts';
import { type Route, reply, route } from '../route.ts';

const tag = 'Export';

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
  body: TranscriptRequest,
  answers: { 200: TranscriptAnswer },
  handle: async ({ body, signal }, { exporter }) => reply(200, await exporter.transcript(body, signal)),
});

export const exportRoutes: readonly Route[] = [exportTranscript];
