// Parses and validates a large body: what runs in the thread of http/request/intake.ts.
import type { TObject } from 'typebox';
import { type ErrorFields, toFields } from '../../runtime/errors.ts';
import { moved } from '../../runtime/pool-thread.ts';
import { type Body, BodyRefusal, parseBody } from './body.ts';
import { buffersOf, MOST_LEVELS, toPieces, type ValuePiece } from './pieces.ts';
import { createValidator, type FieldError } from './validation.ts';

export interface LargeBody {
  /** The body as it was received; *taken out*, so that their memory is free before the text is made. */
  readonly chunks: Uint8Array[];
  /** Schema of the route's body; null if it takes none. */
  readonly schema: TObject | null;
}

/** Errors of a body as the validator of its route gives them: as a list, or thrown. */
type Problems = { readonly fields: FieldError[] } | { readonly thrown: ErrorFields };

/**
 * The body with its license key, and nothing but the key of one that is not valid; or the reason why it is
 * refused.
 */
export type ParsedLargeBody =
  | { readonly body: ValuePiece; readonly problems: Problems | null }
  | Pick<BodyRefusal, 'refused' | 'status'>;

export function parseLargeBody({ chunks, schema }: LargeBody): ParsedLargeBody {
  const sent = parseBody(Buffer.concat(chunks.splice(0)));
  if (sent instanceof BodyRefusal) return { ...sent };
  const key = sent['license_key'];
  const problems = schema && problemsOf(sent, schema);
  const body = schema === null || problems ? {} : sent;
  if (key !== undefined) body['license_key'] = key;
  const piece = toPieces(body);
  return piece === null
    ? { status: 400, refused: `Arrays and objects in the body are nested deeper than ${MOST_LEVELS} levels` }
    : moved({ body: piece, problems }, buffersOf(piece));
}

function problemsOf(body: Body, schema: TObject): Problems | null {
  try {
    const fields = createValidator(schema)(body);
    return fields && { fields };
  } catch (error) {
    return { thrown: toFields(error) };
  }
}
