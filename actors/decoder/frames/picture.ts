// The picture at one moment of a file, into a slot that the caller owns.
import { Sent, type Turn } from '../../../runtime/actor.ts';
import type { Reply, Request } from '../../../runtime/contract.ts';
import { type decoderContract, mediaErrors } from '../contract.ts';
import { fillStill, previewStill, reduceStill } from '../pixels/still.ts';
import { readFileStamp } from '../source/file-stamp.ts';
import { isStillContainer, openSource, type Source } from '../source/source.ts';
import { openStill } from '../source/still.ts';
import { pictureSeconds } from '../source/stream.ts';
import { filmBars } from './film-bars.ts';
import { gridPictures } from './grid-pictures.ts';
import { PictureOutputs } from './outputs.ts';

type PictureRequest = Request<typeof decoderContract, 'picture'>;
type PictureReply = Reply<typeof decoderContract, 'picture'>;

/** Errors: those of `frames`; DECODE_FAILED when no picture can be decoded for this moment. */
export async function picture(request: PictureRequest, turn: Turn): Promise<Sent<PictureReply>> {
  const { path, shape, preview } = request;
  await readFileStamp(path);
  const slot = turn.slot(request.picture);
  const still = await openStill(path);
  if (still) {
    turn.throwIfCancelled();
    const [reduced] = await reduceStill(still, [shape], preview, turn);
    turn.throwIfCancelled();
    await fillStill(reduced!, slot);
    turn.throwIfCancelled();
    return reply(0, preview && (await previewStill(reduced!, preview.quality)), reduced!.within !== null);
  }
  const bars = shape.trim_bars ? await filmBars(path, turn) : null;
  const source = await openSource(path, { turn });
  const outputs = new PictureOutputs(source, [shape], preview, bars);
  try {
    const offset = isStillContainer(source.container) ? 0 : withinVideo(source, request.seconds);
    const onEnd = (counts: object) => turn.log.debug('walked', { path, ...counts });
    for await (const found of gridPictures(source, { mode: 'exact', from: 0, to: 1, offset, turn, onEnd })) {
      outputs.fill(found, [slot]);
      return reply(found.seconds, outputs.preview(found), bars !== null);
    }
    throw mediaErrors.DECODE_FAILED(`${path}: no picture can be decoded at ${request.seconds} s`, { path });
  } finally {
    outputs.close();
    source.close();
  }
}

function reply(
  seconds: number,
  preview: Uint8Array<ArrayBuffer> | null,
  trimmed: boolean,
): Sent<PictureReply> {
  return new Sent({ seconds, preview, trimmed }, { transfer: preview ? [preview.buffer] : [] });
}

/**
 * A moment after the end shows the last picture; a second more, since some containers count the duration too
 * short.
 */
function withinVideo(source: Source, seconds: number): number {
  const length = pictureSeconds(source);
  return length === null ? seconds : Math.min(seconds, length + 1);
}
