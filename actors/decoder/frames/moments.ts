// Thumbnails: the pictures of several moments of one file as JPEG, in one pass.
import { Sent, type Turn } from '../../../runtime/actor.ts';
import type { Request } from '../../../runtime/contract.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import type { decoderContract, MomentPicture } from '../contract.ts';
import { PreviewMaker } from '../pixels/preview.ts';
import { stillJpeg } from '../pixels/still.ts';
import { readFileStamp } from '../source/file-stamp.ts';
import { isStillContainer } from '../source/formats.ts';
import { openSource, type Source } from '../source/source.ts';
import { openStill } from '../source/still.ts';
import { codedSize } from '../source/stream.ts';
import type { GridPicture } from './gop-walk.ts';
import { momentPictures } from './moment-walk.ts';

type MomentsRequest = Request<typeof decoderContract, 'moments'>;

/** In the order of the moments. Errors: those of `frames`, INVALID_MESSAGE. */
export async function* moments(request: MomentsRequest, turn: Turn): AsyncGenerator<Sent<MomentPicture>> {
  const { path, seconds } = request;
  if (seconds.some((at, i) => at < (seconds[i - 1] ?? 0)))
    throw engineErrors.INVALID_MESSAGE('seconds are not ascending');
  await readFileStamp(path);
  const still = await openStill(path);
  if (!still) {
    yield* filmMoments(request, turn);
    return;
  }
  turn.throwIfCancelled();
  const jpeg = await stillJpeg(still, request.preview, turn);
  for (const moment of seconds.keys()) {
    turn.throwIfCancelled();
    yield sent(moment, 0, jpeg);
  }
}

async function* filmMoments(
  { path, seconds, preview }: MomentsRequest,
  turn: Turn,
): AsyncGenerator<Sent<MomentPicture>> {
  const source = await openSource(path, { turn });
  const jpegs = new Jpegs(source, preview);
  try {
    const moments = isStillContainer(source.container) ? seconds.map(() => 0) : seconds;
    const found = momentPictures(source, {
      moments,
      turn,
      onEnd: (counts) => turn.log.debug('walked', { path, ...counts }),
    });
    for await (const picture of found) {
      turn.throwIfCancelled();
      yield sent(picture.second, picture.seconds, jpegs.of(picture));
    }
  } finally {
    jpegs.close();
    source.close();
  }
}

/** Encodes each picture once, since moments close to each other may show the same one. Owns its encoder. */
class Jpegs {
  readonly #source: Source;
  readonly #maker: PreviewMaker;
  #last: { readonly seconds: number; readonly jpeg: Uint8Array } | null = null;

  constructor(source: Source, preview: MomentsRequest['preview']) {
    this.#source = source;
    this.#maker = new PreviewMaker(preview, source.video?.codecpar.colorTrc ?? 0);
  }

  /** *Borrowed until the next call.* */
  of({ frame, seconds }: GridPicture): Uint8Array {
    if (this.#last?.seconds !== seconds) {
      this.#last = { seconds, jpeg: this.#maker.make(frame, codedSize(this.#source.video!)) };
    }
    return this.#last.jpeg;
  }

  close() {
    this.#maker.close();
  }
}

/** What is sent is moved, so each moment gets a copy. */
function sent(moment: number, seconds: number, shared: Uint8Array): Sent<MomentPicture> {
  const jpeg = Uint8Array.from(shared);
  return new Sent({ moment, seconds, jpeg }, { transfer: [jpeg.buffer] });
}
