// Hardware decoding: opens a device of this machine once and attaches it to decoders. What fails in hardware
// is decoded in software instead; only the log says so.
import type { Log } from '../../../runtime/log.ts';
import { type Codec, type CodecContext, type Frame, HardwareDeviceContext } from '../ffmpeg.ts';

type DeviceKind = Parameters<typeof HardwareDeviceContext.findTypeByName>[0];
/** The binding types FFmpeg's names as branded strings. */
const named = (...names: string[]) => names as unknown as readonly DeviceKind[];

/** Kinds of device by platform, best one first. */
const kinds: Readonly<Record<string, readonly DeviceKind[]>> = {
  linux: named('cuda', 'vaapi'),
  darwin: named('videotoolbox'),
  win32: named('d3d11va', 'cuda'),
};

export class Hardware {
  readonly #kind: DeviceKind;
  readonly #device: HardwareDeviceContext;

  private constructor(kind: DeviceKind, device: HardwareDeviceContext) {
    this.#kind = kind;
    this.#device = device;
  }

  /** The first device that can be opened; null when there is none. The caller closes it. */
  static find(platform: string, log: Log): Hardware | null {
    for (const kind of kinds[platform] ?? []) {
      const device = new HardwareDeviceContext();
      const result = device.create(HardwareDeviceContext.findTypeByName(kind), null, null);
      if (result >= 0) {
        log.info('decoding in hardware', { device: kind });
        return new Hardware(kind, device);
      }
      device.free();
    }
    log.info('decoding in software', { tried: kinds[platform] ?? [] });
    return null;
  }

  /**
   * Configures a context, before it is opened, to decode on the device; false when the device lacks this
   * codec.
   */
  attach(context: CodecContext, codec: Codec): boolean {
    const type = HardwareDeviceContext.findTypeByName(this.#kind);
    for (let i = 0; ; i++) {
      const config = codec.getHwConfig(i);
      if (!config) return false;
      if (config.deviceType !== type) continue;
      context.hwDeviceCtx = this.#device;
      context.setHardwarePixelFormat(config.pixFmt);
      return true;
    }
  }

  close() {
    this.#device.free();
  }
}

/** Copies a picture and its timestamps and colours from the device into memory; false when that fails. */
export function download(from: Frame, to: Frame): boolean {
  return from.hwframeTransferDataSync(to) >= 0 && to.copyProps(from) >= 0;
}
