// Renders a transcript as a document: the worker of the pool. The libraries of a format are loaded when it is
// first asked for.
import type { Rendered, TranscriptDocument } from './contract.ts';

/** *Copied* to the thread that asked. */
export async function render(transcript: TranscriptDocument): Promise<Rendered> {
  const { format } = transcript;
  if (format === 'docx') return (await import('./docx.ts')).wordDocument(transcript);
  if (format === 'pdf') return (await import('./pdf.ts')).pdfDocument(transcript);
  const { textDocument, csvDocument } = await import('./plain.ts');
  const { subripDocument, webvttDocument } = await import('./captions.ts');
  const write = { txt: textDocument, csv: csvDocument, srt: subripDocument, vtt: webvttDocument }[format];
  return { bytes: new TextEncoder().encode(write(transcript)), warning: null };
}
