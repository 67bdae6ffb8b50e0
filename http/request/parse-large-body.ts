// Parses a large body: what runs in the thread of http/request/intake.ts.
import { moved } from '../../runtime/pool.ts';
import { BodyRefusal, parseBody } from './body.ts';
import { buffersOf, MOST_LEVELS, type Piece, toPieces } from './pieces.ts';

/** The body, or the reason why it is refused. */
export type Parsed = { readonly body: Piece } | Pick<BodyRefusal, 'refused' | 'status'>;

/**
 * `chunks`: the body as it was received; *taken out*, so that their memory is free before the text is made.
 */
export function parseLargeBody(chunks: Uint8Array[]): Parsed {
  const body = parseBody(Buffer.concat(chunks.splice(0)));
  if (body instanceof BodyRefusal) return { ...body };
  const piece = toPieces(body);
  return piece === null
    ? { status: 400, refused: `Arrays and objects in the body are nested deeper than ${MOST_LEVELS} levels` }
    : moved({ body: piece }, buffersOf(piece));
}
