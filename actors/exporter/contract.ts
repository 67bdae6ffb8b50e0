// Transcripts as documents: requests to the exporter and its answers.
import { type Static, Type } from 'typebox';
import { errorTable } from '../../runtime/errors.ts';
import { AbsolutePath } from '../../runtime/paths.ts';
import { described, field, oneOf, ShownWarning, Success, shown } from '../../runtime/schema.ts';
import { SpeakerRange } from '../diarizer/contract.ts';

export const exportErrors = errorTable({
  SEGMENTS_INVALID: { meaning: 'The segments cannot be exported', status: 400 },
  OUTPUT_UNWRITABLE: { meaning: 'The document cannot be written', status: 400 },
  DOCUMENT_TOO_LARGE: { meaning: 'The document is too large', status: 413 },
});

/** Segments of one export: about 70 hours of speech. */
export const mostSegments = 50_000;
/** Characters of the text of one export, and of one segment of it. */
export const mostCharacters = 10_000_000;
export const mostOfSegment = 100_000;

/** A pause between segments from this length on is a row of its own. */
export const SILENCE_SECONDS = 2;

export const documentFormats = ['txt', 'csv', 'docx', 'pdf', 'srt', 'vtt'] as const;
export type DocumentFormat = (typeof documentFormats)[number];

export const mimeTypes: Readonly<Record<DocumentFormat, string>> = {
  txt: 'text/plain; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  pdf: 'application/pdf',
  srt: 'application/x-subrip',
  vtt: 'text/vtt; charset=utf-8',
};

/** A piece of speech, or the silence between two. Texts are one line, without control characters. */
export interface DocumentRow {
  readonly kind: 'speech' | 'silence';
  readonly start: number;
  readonly end: number;
  readonly speaker: string | null;
  readonly text: string;
}

/** Content of a document, as plain values that can be sent to another thread. */
export interface TranscriptDocument {
  readonly format: DocumentFormat;
  readonly title: string;
  /** A line below the title of txt, docx and pdf; left out for none. */
  readonly note?: string | undefined;
  /** In order of start. */
  readonly rows: readonly DocumentRow[];
  /** ms since 1970, as the document says when it was made. */
  readonly createdMs: number;
}

export interface Rendered {
  readonly bytes: Uint8Array;
  /** Which characters the document lacks, for a person; null when it lacks none. */
  readonly warning: string | null;
}

export const TranscriptAnswer = Type.Object({
  success: Success,
  format: field('Kind of document.', Type.String()),
  filename: field('File name that is safe on every operating system.', Type.String()),
  mime_type: field('Media type of the document.', Type.String()),
  content_base64: field('The document in base64, if no folder was given.', Type.Optional(Type.String())),
  output_path: field('Path of the document, if a folder was given.', Type.Optional(Type.String())),
  row_count: field('Number of submitted segments. Inserted rows of silence are not counted.', Type.Integer()),
  warning: ShownWarning,
});
export type TranscriptAnswer = Static<typeof TranscriptAnswer>;

/** The field of requests that write files. */
export const createFolders = {
  create_folders: Type.Optional(
    described(
      Type.Boolean(),
      'Whether to create missing folders of the output path. If omitted or false, they must exist.',
    ),
  ),
};

const SegmentRow = Type.Array(Type.Union([Type.Number(), Type.String(), Type.Null()]), {
  minItems: 3,
  maxItems: 4,
});

export const TranscriptRequest = Type.Object({
  segments: described(
    shown(Type.Array(SegmentRow, { maxItems: mostSegments }), [
      [0, ' Hello there.', 1.5, 'SPEAKER_00'],
      [4, ' Good morning.', 5.5, 'SPEAKER_01'],
    ]),
    'Segments as `[start_seconds, text, end_seconds]` with the speaker label as an optional fourth item. ' +
      'Rows from /transcriptions have the media path as the fourth item; remove it, or it is used as the ' +
      'speaker label.',
  ),
  format: field('Kind of document.', oneOf(...documentFormats)),
  display_name: described(
    Type.String({ minLength: 1, maxLength: 1000 }),
    'Title of the document. The file name is made from it.',
  ),
  speaker_range: described(
    Type.Optional(SpeakerRange),
    'As /transcriptions returns it: txt, docx and pdf say below the title that the number of speakers is uncertain.',
  ),
  output_dir: Type.Optional(
    described(AbsolutePath, 'Absolute path of the output folder. It is created if it does not exist.'),
  ),
  ...createFolders,
});
export type TranscriptRequest = Static<typeof TranscriptRequest>;

export interface Exporter {
  /** SEGMENTS_INVALID and OUTPUT_UNWRITABLE name the field; BUSY when too many documents wait. */
  transcript(request: TranscriptRequest, signal: AbortSignal): Promise<TranscriptAnswer>;
  /** Ends the threads, and what they render. */
  close(): Promise<void>;
}
