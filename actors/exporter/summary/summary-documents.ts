// The coordinator of summaries as documents: reads one, writes it in a format, and hands it out or saves it.
import { parse } from 'node:path';
import { exportErrors } from '../contract.ts';
import { fileName } from '../filename.ts';
import { expectOutput, saveAt } from '../output-path.ts';
import {
  type SummaryDocumentRequest,
  type SummaryDocuments,
  type SummaryFormat,
  type SummaryTree,
  summarySuffixes,
  summaryTypes,
} from './contract.ts';
import { jsonDocument } from './json.ts';
import { markdownDocument } from './markdown.ts';
import { plainDocument } from './plain.ts';
import { type ReadingParts, readChapters, readTree } from './read.ts';
import { chaptersDocument } from './vtt.ts';

const treeWriters: Readonly<Record<Exclude<SummaryFormat, 'vtt'>, (tree: SummaryTree) => string>> = {
  json: jsonDocument,
  markdown: markdownDocument,
  txt: plainDocument,
};

export function createSummaryDocuments(given: ReadingParts): SummaryDocuments {
  const parts: ReadingParts = { summaries: given.summaries, index: given.index };
  return {
    make: async (request, signal) => {
      const { format, output_path } = request;
      await expectOutput(request, unwritable);
      const { overview, text, nodes, warnings } = await written(parts, request, signal);
      const bytes = Buffer.from(text);
      return {
        success: true,
        format,
        filename: fileName(parse(overview.media_basename).name, summarySuffixes[format], 'summary'),
        mime_type: summaryTypes[format],
        summary_ref: overview.summary_ref,
        node_count: nodes,
        ...(warnings.length > 0 && { warnings: [...warnings] }),
        ...(output_path === undefined
          ? { content_base64: bytes.toString('base64') }
          : { output_path: await saveAt(output_path, bytes, unwritable) }),
      };
    },
  };
}

async function written(parts: ReadingParts, request: SummaryDocumentRequest, signal: AbortSignal) {
  const {
    format,
    node_id,
    depth,
    include_evidence,
    output_path: _,
    create_folders: __,
    ...selector
  } = request;
  if (format === 'vtt') {
    const found = await readChapters(parts, selector, { node_id, depth: depth ?? 1 }, signal);
    return { ...found, text: chaptersDocument(found.chapters), nodes: found.chapters.length };
  }
  const options = { node_id, depth: depth ?? Infinity, include_evidence };
  const tree = await readTree(parts, selector, options, signal);
  return { ...tree, text: treeWriters[format](tree), nodes: tree.nodes.length };
}

function unwritable(what: string, cause?: unknown) {
  const field = 'output_path';
  return exportErrors.OUTPUT_UNWRITABLE(`${field}: ${what}`, { field }, cause);
}
