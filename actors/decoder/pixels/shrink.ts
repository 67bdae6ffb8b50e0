// Scales existing JPEG pictures down, for thumbnails of stored previews.
import sharp from 'sharp';
import type { Turn } from '../../../runtime/actor.ts';
import { Sent } from '../../../runtime/actor.ts';
import type { Reply, Request } from '../../../runtime/contract.ts';
import type { decoderContract } from '../contract.ts';

type ShrinkRequest = Request<typeof decoderContract, 'shrink'>;
type ShrinkReply = Reply<typeof decoderContract, 'shrink'>;

/** Pictures scaled at the same time. Cancellation is checked between two groups. */
const parallel = 4;

export async function shrink({ jpegs, preview }: ShrinkRequest, turn: Turn): Promise<Sent<ShrinkReply>> {
  const small: (Uint8Array<ArrayBuffer> | null)[] = [];
  for (let i = 0; i < jpegs.length; i += parallel) {
    turn.throwIfCancelled();
    const some = jpegs.slice(i, i + parallel);
    small.push(...(await Promise.all(some.map((jpeg) => shrunk(jpeg, preview, turn)))));
  }
  const transfer = small.flatMap((jpeg) => (jpeg ? [jpeg.buffer] : []));
  return new Sent({ jpegs: small }, { transfer });
}

async function shrunk(
  jpeg: Uint8Array,
  { max_side, quality }: ShrinkRequest['preview'],
  turn: Turn,
): Promise<Uint8Array<ArrayBuffer> | null> {
  try {
    const picture = sharp(jpeg, { failOn: 'truncated' });
    const { width, height } = await picture.metadata();
    if (Math.max(width, height) <= max_side) return Uint8Array.from(jpeg);
    const small = picture.resize(max_side, max_side, { fit: 'inside', kernel: 'linear' });
    return Uint8Array.from(await small.jpeg({ quality }).toBuffer());
  } catch (error) {
    turn.log.warn('a stored picture cannot be read', { error });
    return null;
  }
}
