// One HTTP request for a file: follows redirects itself, because Hugging Face announces size and sha256 of
// the file on the redirecting answer, not on the one that carries the bytes.
import { modelErrors } from './contract.ts';

/** What the server announces about the whole file; null where it announces nothing. */
export interface FileHeaders {
  readonly size: number | null;
  readonly sha256: string | null;
}

export interface Reply {
  /** The last answer, its body not yet read. */
  readonly response: Response;
  readonly announced: FileHeaders;
  /** Strong validator of the bytes, for If-Range; null when there is none. */
  readonly etag: string | null;
  /** First byte the body holds: 0 unless the server continued. */
  readonly from: number;
}

export interface RequestOptions {
  /** First byte wanted; 0 for all. */
  readonly from: number;
  /** The validator the bytes before `from` came with. */
  readonly etag: string | null;
  readonly signal: AbortSignal;
}

const MOST_REDIRECTS = 8;

/**
 * Asks for the file. Statuses that will not change throw DOWNLOAD_REFUSED, all others DOWNLOAD_FAILED
 * (retryable); what the network throws is passed on. The caller reads or cancels the body.
 */
export async function requestFile(url: URL, options: RequestOptions): Promise<Reply> {
  let address = url;
  let announced: FileHeaders = { size: null, sha256: null };
  for (let hop = 0; hop <= MOST_REDIRECTS; hop += 1) {
    const response = await fetch(address, {
      redirect: 'manual',
      headers: headersOf(options),
      signal: options.signal,
    });
    announced = merge(announced, response.headers);
    const target = response.headers.get('location');
    if (response.status < 300 || response.status >= 400 || target === null) {
      return accept(response, announced, address, options.from);
    }
    await response.body?.cancel();
    address = follow(address, target);
  }
  throw modelErrors.DOWNLOAD_REFUSED(`${url}: redirected more than ${MOST_REDIRECTS} times`, {
    url: url.href,
  });
}

function headersOf({ from, etag }: RequestOptions): Record<string, string> {
  const plain = { 'accept-encoding': 'identity', 'user-agent': 'framehound' };
  if (from === 0) return plain;
  return { ...plain, range: `bytes=${from}-`, ...(etag === null ? {} : { 'if-range': etag }) };
}

function follow(address: URL, target: string): URL {
  const next = new URL(target, address);
  const downgrade = address.protocol === 'https:' && next.protocol !== 'https:';
  if (downgrade || !['http:', 'https:'].includes(next.protocol)) {
    throw modelErrors.DOWNLOAD_REFUSED(`${address}: redirects to ${next.protocol}//${next.host}`, {
      url: address.href,
    });
  }
  return next;
}

async function accept(
  response: Response,
  announced: FileHeaders,
  address: URL,
  from: number,
): Promise<Reply> {
  const { status, headers } = response;
  const etag = strong(headers.get('etag'));
  if (status === 200) {
    const size = announced.size ?? integer(headers.get('content-length'));
    return { response, announced: { ...announced, size }, etag, from: 0 };
  }
  const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers.get('content-range') ?? '');
  if (status === 206 && range && Number(range[1]) === from) {
    const size = announced.size ?? integer(range[2] ?? null);
    return { response, announced: { ...announced, size }, etag, from };
  }
  await response.body?.cancel();
  const what = `${address}: the server returned ${status} ${response.statusText}`.trimEnd();
  const details = { url: address.href, status };
  const final = status >= 400 && status < 500 && ![408, 416, 425, 429].includes(status);
  throw final ? modelErrors.DOWNLOAD_REFUSED(what, details) : modelErrors.DOWNLOAD_FAILED(what, details);
}

/**
 * Headers of Hugging Face: sha256 and size of files it keeps in large storage. Its other etags are no hashes
 * of the content.
 */
function merge(before: FileHeaders, headers: Headers): FileHeaders {
  const linked = /^(?:W\/)?"?([0-9a-f]{64})"?$/i.exec(headers.get('x-linked-etag') ?? '');
  return {
    size: before.size ?? integer(headers.get('x-linked-size')),
    sha256: before.sha256 ?? linked?.[1]?.toLowerCase() ?? null,
  };
}

function strong(etag: string | null): string | null {
  return etag?.startsWith('"') ? etag : null;
}

function integer(text: string | null): number | null {
  return text !== null && /^\d+$/.test(text) ? Number(text) : null;
}
