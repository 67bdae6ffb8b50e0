// Cuts one clip: opens the source, writes the clip, and leaves no file behind where that fails.
import type { Turn } from '../../../runtime/actor.ts';
import { discard } from '../../../runtime/files/names.ts';
import { mediaErrors } from '../contract.ts';
import { expectUnchanged, readFileStamp } from '../source/file.ts';
import { isStillContainer, openSource, type Source } from '../source/source.ts';
import { isStill } from '../source/still.ts';
import { type ClipMade, type ClipRequest, type CutResult, clipErrors } from './contract.ts';
import { copyPackets } from './copy.ts';
import { EncoderFailure } from './encoders/device-encoder.ts';
import { type EncoderOpener, type PictureEncoders, softwareEncoders } from './encoders/machine.ts';
import { preciseFilm, preciseSound } from './precise.ts';
import { endEncoder } from './smart/end-encoder.ts';
import { smartFilm } from './smart/smart-cut.ts';
import { expectReadable, soundStreams } from './sound-packets.ts';

/** Pictures that the encoder of a clip holds. */
const encodedPictures = 8;

/**
 * A smart clip that cannot be becomes a precise one, which says why. `encoders`: of precise pictures; a clip
 * on which the encoder of a device fails is made again without one.
 */
export async function clip(
  request: ClipRequest,
  turn: Turn,
  encoders: PictureEncoders = softwareEncoders,
): Promise<ClipMade> {
  const { mode } = request;
  try {
    return { ...(await encodedBy(request, turn, encoders)), mode_used: mode, mode_reason: null };
  } catch (error) {
    if (!clipErrors.CLIP_NOT_SMART.is(error)) throw error;
    const mode_used = 'precise';
    const written = await encodedBy({ ...request, mode: mode_used }, turn, encoders);
    return { ...written, mode_used, mode_reason: error.message };
  }
}

async function encodedBy(request: ClipRequest, turn: Turn, encoders: PictureEncoders): Promise<CutResult> {
  try {
    return await write(request, turn, encoders);
  } catch (error) {
    if (!(error instanceof EncoderFailure)) throw error;
    encoders.failed(error);
    turn.throwIfCancelled();
    return { ...(await write(request, turn, encoders.fallback)), failed_encoder: error.encoder };
  }
}

async function write(request: ClipRequest, turn: Turn, encoders: PictureEncoders): Promise<CutResult> {
  const { path, output, mode } = request;
  const stamp = await readFileStamp(path);
  if (await isStill(path)) throw ofStill(path);
  turn.throwIfCancelled();
  // Copied packets are not decoded.
  const source = await openSource(path, { turn, ...(mode !== 'copy' && { pictures: encodedPictures }) });
  try {
    source.lookForRate();
    const written = await cut(source, request, turn, encoders);
    await expectUnchanged(path, stamp);
    expectReadable(source);
    return written;
  } catch (error) {
    await discard(output);
    // A file that changes looks like one whose clips cannot be smart.
    if (clipErrors.CLIP_NOT_SMART.is(error)) await expectUnchanged(path, stamp);
    throw error;
  } finally {
    source.close();
  }
}

function ofStill(path: string) {
  return clipErrors.CLIP_OF_STILL(`${path} is a still: clips can be cut from films and sound only`, { path });
}

function cut(
  source: Source,
  request: ClipRequest,
  turn: Turn,
  encoders: PictureEncoders,
): Promise<CutResult> {
  const { path, container, video } = source;
  if (isStillContainer(container)) throw ofStill(path);
  if (!video && soundStreams(source).length === 0) {
    throw mediaErrors.NOT_MEDIA(`${path}: has neither pictures nor sound`, { path });
  }
  if (request.mode === 'copy') return copyPackets(source, request, turn);
  if (request.mode === 'smart') return smartFilm(source, request, turn, encoders.software === endEncoder);
  if (!video) return preciseSound(source, request, turn);
  const open: EncoderOpener = (file, shape, stream) => encoders.open(file, shape, stream);
  return preciseFilm(source, request, turn, open);
}
