// Compression of responses for clients that accept it, at the lowest level: pictures inside are JPEG already,
// and a higher level costs more time than it saves in sending.
import { promisify } from 'node:util';
import { brotliCompress, constants, deflateRawSync, gzip } from 'node:zlib';

export type Encoding = 'gzip' | 'br';

const least = 1024;
const gzipAsync = promisify(gzip);
const brotliAsync = promisify(brotliCompress);

/**
 * The encoding for an answer of that many bytes, by the request's `Accept-Encoding`; undefined leaves it as
 * it is.
 */
export function encodingFor(accepted: string, bytes: number): Encoding | undefined {
  if (bytes <= least || accepted === '') return undefined;
  const weights = new Map<string, number>();
  for (const part of accepted.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((one) => one.trim());
    const q = parameters.find((one) => one.startsWith('q='));
    weights.set(name, q === undefined ? 1 : Number(q.slice(2)) || 0);
  }
  const weight = (name: Encoding) => weights.get(name) ?? weights.get('*') ?? 0;
  const [gz, br] = [weight('gzip'), weight('br')];
  // Brotli when both weigh the same: five times faster with pictures inside, and never larger.
  if (br > 0 && br >= gz) return 'br';
  return gz > 0 ? 'gzip' : undefined;
}

export function compress(body: Uint8Array, encoding: Encoding): Promise<Uint8Array> {
  if (encoding === 'gzip') return gzipAsync(body, { level: 1, strategy: strategyOf(body) });
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 1,
    [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
  };
  return brotliAsync(body, { params });
}

const large = 64 * 1024;
const sample = 4096;

/**
 * A response full of pictures has no repetitions, and searching for them takes four times as long as the
 * rest.
 */
function strategyOf(body: Uint8Array): number {
  if (body.length < large) return constants.Z_DEFAULT_STRATEGY;
  const middle = body.subarray(body.length >> 1, (body.length >> 1) + sample);
  const isDense = deflateRawSync(middle, { level: 1 }).length > 0.6 * sample;
  return isDense ? constants.Z_HUFFMAN_ONLY : constants.Z_DEFAULT_STRATEGY;
}
