// The answer to a request for a content: whole, a part, or that the client has it already.
import type { Content } from '../route.ts';
import { type Conditions, type Part, partOf } from './ranges.ts';
import { type ByteStream, plainError, type RawResponse } from './response.ts';

export interface ContentRequest {
  readonly method: string;
  readonly conditions: Conditions;
}

/** `ended`: told once when all of a body was sent, or when it was given up. The content is *moved*: closed by then. */
export async function contentAnswer(
  content: Content,
  { method, conditions }: ContentRequest,
  headers: Readonly<Record<string, string>>,
  ended: (sent: number, error?: unknown) => void,
): Promise<RawResponse> {
  const part = partOf(conditions, content, method === 'GET');
  const { status } = part;
  const named = [['ETag', content.etag], ['Accept-Ranges', 'bytes'], ...Object.entries(headers)] as const;
  if (status === 200 && content.held) {
    const { type, held, etag } = content;
    await content.close();
    // Weak: the same tag is on its compressed form.
    return {
      status,
      headers: [['Content-Type', type], ['ETag', `W/${etag}`], ...Object.entries(headers)],
      body: held,
    };
  }
  if (status === 200 || status === 206) {
    const range = `bytes ${part.from}-${part.to - 1}/${content.size}`;
    const all = status === 206 ? ([...named, ['Content-Range', range]] as const) : named;
    return {
      status,
      headers: [['Content-Type', content.type], ...all],
      body: streamOf(content, part, ended),
    };
  }
  await content.close();
  if (status === 304) return { status, headers: named, body: '' };
  const message = `The content has ${content.size} bytes`;
  return plainError(416, 'Range not satisfiable', message, { 'Content-Range': `bytes */${content.size}` });
}

function streamOf(
  content: Content,
  { from, to }: Part,
  ended: (sent: number, error?: unknown) => void,
): ByteStream {
  let at = from;
  return {
    length: to - from,
    next: async () => {
      const piece = await content.read(at, to);
      at += piece.length;
      return piece;
    },
    end: (sent, error) => {
      content.close().then(
        () => ended(sent, error),
        (second) => ended(sent, error ?? second),
      );
    },
  };
}
