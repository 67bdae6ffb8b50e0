// Summaries as documents: requests and answers.
import { type Static, Type } from 'typebox';
import { AbsolutePath } from '../../../runtime/paths.ts';
import { defaulted, described, field, oneOf, Success } from '../../../runtime/schema.ts';
import type { Evidence, OverviewAnswer, SummaryNodeEntry } from '../../summarizer/stored/contract.ts';
import { Id, selector } from '../../summarizer/stored/requests/contract.ts';
import { createFolders } from '../contract.ts';

const summaryFormats = ['json', 'markdown', 'txt', 'vtt'] as const;
export type SummaryFormat = (typeof summaryFormats)[number];

export const summarySuffixes: Readonly<Record<SummaryFormat, string>> = {
  json: 'json',
  markdown: 'md',
  txt: 'txt',
  vtt: 'vtt',
};

export const summaryTypes: Readonly<Record<SummaryFormat, string>> = {
  json: 'application/json',
  markdown: 'text/markdown; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  vtt: 'text/vtt; charset=utf-8',
};

/** Nodes and characters of one document, and levels: what is more is asked for in parts. */
export const mostDocumentNodes = 20_000;
export const mostDocumentCharacters = 10_000_000;
export const mostDocumentLevels = 200;

export interface DocumentNode {
  readonly node: SummaryNodeEntry;
  /** Levels below the node that the document begins with. */
  readonly below: number;
  /** Evidence of a leaf, if requested. */
  readonly evidence: Evidence | null;
}

export interface SummaryTree {
  readonly overview: OverviewAnswer;
  /** In the order in which a person reads them; the first one is above all others. */
  readonly nodes: readonly DocumentNode[];
  /** Warnings of the summary, and those about unreadable parts. */
  readonly warnings: readonly string[];
}

/** A part of a film with a name. */
export interface Chapter {
  /** One line, never empty. */
  readonly title: string;
  /** Half-open; the last one ends where the film does, and all others on whole seconds. */
  readonly start_seconds: number;
  readonly end_seconds: number;
}

export const SummaryDocumentAnswer = Type.Object({
  success: Success,
  format: field('Kind of document.', Type.String()),
  filename: described(
    Type.String(),
    'File name of the document, made from that of the media file and safe on every operating system.',
  ),
  mime_type: field('Media type of the document.', Type.String()),
  summary_ref: described(Type.String(), 'Reference to the exported summary.'),
  content_base64: Type.Optional(
    described(Type.String(), 'The document in base64, if no `output_path` was given.'),
  ),
  output_path: Type.Optional(
    described(Type.String(), 'Path of the document, if an `output_path` was given.'),
  ),
  node_count: described(Type.Integer(), 'Number of nodes in the document, or of chapters in vtt.'),
  warnings: Type.Optional(
    described(
      Type.Array(Type.String()),
      'Parts that could not be read and are missing in the document, and other problems of the summary.',
    ),
  ),
});
export type SummaryDocumentAnswer = Static<typeof SummaryDocumentAnswer>;

export const SummaryDocumentRequest = Type.Object({
  ...selector,
  format: field('Kind of document.', oneOf(...summaryFormats)),
  node_id: Type.Optional(
    described(Id, 'Id of the node where the document begins. If omitted, it begins at the root.'),
  ),
  depth: Type.Optional(
    described(
      Type.Integer({ minimum: 0, maximum: 1000 }),
      'Number of levels below that node. If omitted, all levels are included. In vtt, the level of the ' +
        'chapters (default 1), including leaves above it.',
    ),
  ),
  include_evidence: defaulted(
    described(Type.Boolean(), 'Whether to include the evidence of leaves (json only).'),
    false,
  ),
  output_path: Type.Optional(
    described(
      AbsolutePath,
      'Absolute path of the output file, in an existing folder. If omitted, the document is returned in ' +
        'the response.',
    ),
  ),
  ...createFolders,
});
export type SummaryDocumentRequest = Static<typeof SummaryDocumentRequest>;

export interface SummaryDocuments {
  /** The errors of `Summaries.node`; DOCUMENT_TOO_LARGE, OUTPUT_UNWRITABLE. */
  make(request: SummaryDocumentRequest, signal: AbortSignal): Promise<SummaryDocumentAnswer>;
}
