// Fields that several tools take, declared once.
import { Type } from 'typebox';
import { defaulted, described } from '../../runtime/schema.ts';

/** Files by whatever an assistant knows of them; see `media.ts`. */
export const MediaName = described(
  Type.String({ minLength: 1, maxLength: 4096 }),
  'A media file: its hash, the id of a moment in it (hash@second), its absolute path, or its file name.',
);

export const MediaNames = described(
  Type.Array(Type.String({ minLength: 1, maxLength: 4096 }), { maxItems: 100 }),
  'Only in these media files: absolute paths, hashes or file names.',
);

export const MomentName = Type.String({ minLength: 1, maxLength: 160 });

/** Where the next page begins; an answer that has one says it. */
export const Cursor = Type.Optional(
  described(
    Type.String({ pattern: '^[0-9]{1,7}$' }),
    'the cursor of the answer before, with the same other arguments',
  ),
);

export function limitOf(fallback: number, most: number) {
  return defaulted(
    described(Type.Integer({ minimum: 1, maximum: most }), `Rows at most (${fallback}; at most ${most}).`),
    fallback,
  );
}

export const Seconds = Type.Number({ minimum: 0, maximum: 1_000_000 });

export function startOf(cursor: string | undefined): number {
  return cursor === undefined ? 0 : Number(cursor);
}
