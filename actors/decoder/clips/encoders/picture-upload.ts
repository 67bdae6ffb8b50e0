// Copies pictures to a device for an encoder that takes no others. Owns its native objects.
import {
  avGetPixFmtFromName,
  type CodecContext,
  type Frame,
  HardwareDeviceContext,
  HardwareFramesContext,
} from '../../ffmpeg.ts';
import type { PictureInput } from '../picture-fitter.ts';

type DeviceKind = Parameters<typeof HardwareDeviceContext.findTypeByName>[0];

/** Pictures on the device at once; encoders hold a few. */
const poolSize = 20;

export class PictureUpload {
  readonly #kind: string;
  readonly #path: string | null;
  readonly #input: PictureInput;
  readonly #device = new HardwareDeviceContext();
  readonly #frames = new HardwareFramesContext();

  /** `kind`: FFmpeg's name of the kind of device, which is that of its pixel format too. */
  constructor(kind: string, path: string | null, input: PictureInput) {
    this.#kind = kind;
    this.#path = path;
    this.#input = input;
  }

  /** Opens the device for a context that is not open yet. Answers FFmpeg's number of an error, or 0. */
  open(context: CodecContext): number {
    const type = HardwareDeviceContext.findTypeByName(this.#kind as unknown as DeviceKind);
    const created = this.#device.create(type, this.#path, null);
    if (created < 0) return created;
    const format = avGetPixFmtFromName(this.#kind as never);
    this.#frames.alloc(this.#device);
    this.#frames.format = format;
    this.#frames.swFormat = this.#input.pixelFormat;
    this.#frames.width = this.#input.width;
    this.#frames.height = this.#input.height;
    this.#frames.initialPoolSize = poolSize;
    const ready = this.#frames.init();
    if (ready < 0) return ready;
    context.pixelFormat = format;
    context.hwFramesCtx = this.#frames;
    return 0;
  }

  /**
   * Takes memory of the device for `copy`, an empty frame, and fills it. Answers FFmpeg's number of an error,
   * or 0.
   */
  async fill(copy: Frame, picture: Frame): Promise<number> {
    const taken = this.#frames.getBuffer(copy);
    if (taken < 0) return taken;
    const filled = await this.#frames.transferData(copy, picture);
    return filled < 0 ? filled : copy.copyProps(picture);
  }

  close() {
    this.#frames.free();
    this.#device.free();
  }
}
