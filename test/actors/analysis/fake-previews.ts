// The part of a fake decoder that reads stored previews. The third byte of one says what it shows; a shorter
// one is broken.
import type { decoderContract, PictureSize } from '../../../actors/decoder/contract.ts';
import { type FeedTurn, type Handlers, Sent } from '../../../runtime/actor.ts';
import type { Request, SlotHandle } from '../../../runtime/contract.ts';
import { engineErrors } from '../../../runtime/errors.ts';

export interface StoredPicturesWorld {
  /** Requests, frames of previews included. */
  readonly decoded: string[];
  /** Every frame waits for it. */
  hold: Promise<void>;
  /** The decoder ends at this many stored pictures. */
  storedCrashes: number;
  /** Size of stored pictures, px; half as wide as the model looks at when left out. */
  previewSize?: PictureSize;
}

type StoredHandlers = Pick<Handlers<typeof decoderContract>, 'stored_frames' | 'stored_size' | 'stored_bars'>;

export function storedPictures(world: StoredPicturesWorld): StoredHandlers {
  return {
    stored_size: ({ jpeg }) => (jpeg.length < 3 ? null : (world.previewSize ?? { width: 1, height: 2 })),
    stored_bars: () => ({ bars: null }),
    stored_frames: (request, turn) => storedFrames(world, request, turn),
  };
}

async function* storedFrames(
  world: StoredPicturesWorld,
  { frames, further_shapes = [], preview: wanted }: Request<typeof decoderContract, 'stored_frames'>,
  turn: FeedTurn,
) {
  world.decoded.push(`stored ${frames.map(({ frame_index }) => frame_index).join()}`);
  for (const { frame_index, jpeg } of frames) {
    await world.hold;
    turn.throwIfCancelled();
    if (jpeg.length < 3) continue;
    if (world.storedCrashes > 0 && world.storedCrashes-- > 0) {
      throw engineErrors.ACTOR_CRASHED('decoder ended');
    }
    const slots: SlotHandle[] = [];
    for (let i = 0; i <= further_shapes.length; i++) slots.push(await turn.freeSlot());
    for (const slot of slots) turn.slot(slot).fill(jpeg[2]!);
    const [picture, ...further_pictures] = slots as [SlotHandle, ...SlotHandle[]];
    const preview = wanted ? Uint8Array.from(jpeg) : null;
    const frame = { frame_index, seconds: frame_index, picture, further_pictures, preview };
    yield new Sent(frame, { slots, transfer: preview ? [preview.buffer] : [] });
  }
}
