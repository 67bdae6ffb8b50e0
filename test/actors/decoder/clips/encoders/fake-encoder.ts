// Encoders of devices that no machine has: libx264 behind another name, which can misbehave in every way that
// is looked for.
import type {
  DeviceEncoderOptions,
  EncoderCandidate,
} from '../../../../../actors/decoder/clips/encoders/device-encoder.ts';
import {
  AVERROR_ENOMEM,
  CodecContext,
  type Frame,
  type Packet,
} from '../../../../../actors/decoder/ffmpeg.ts';
import { manualClock } from '../../../../runtime/manual-clock.ts';

/** A good device: pictures come back in another order, as those of libx264 do. */
export function fakeCandidate(more: Partial<EncoderCandidate> = {}): EncoderCandidate {
  return {
    name: 'h264_fake',
    codec: 'libx264',
    path: null,
    upload: null,
    options: { preset: 'fast', crf: '17' },
    ...more,
  };
}

/** Ways in which a device fails; a number counts pictures from 0. */
export interface Faults {
  /** It cannot be opened, or never answers when it is. */
  readonly opening?: 'fails' | 'hangs';
  readonly failsAt?: number;
  readonly hangsAt?: number;
  readonly dropsAt?: number;
  /** Its packet has another time. */
  readonly wrongTimeAt?: number;
  /** Every picture is the green of zeros. */
  readonly green?: true;
}

class FaultyContext extends CodecContext {
  readonly #faults: Faults;
  readonly #onHang: () => void;
  #sent = 0;
  #received = 0;

  constructor(faults: Faults, onHang: () => void) {
    super();
    this.#faults = faults;
    this.#onHang = onHang;
  }

  override async open2(...args: Parameters<CodecContext['open2']>): Promise<number> {
    const { opening } = this.#faults;
    if (opening === 'hangs') return this.#hang();
    return opening ? AVERROR_ENOMEM : super.open2(...args);
  }

  override async sendFrame(frame: Frame | null): Promise<number> {
    const { failsAt, hangsAt, dropsAt, green } = this.#faults;
    const n = this.#sent++;
    if (n === failsAt) return AVERROR_ENOMEM;
    if (n === hangsAt) return this.#hang();
    if (n === dropsAt && frame) return 0;
    if (green && frame) {
      frame.makeWritable();
      for (const plane of frame.data!) plane.fill(0);
    }
    return super.sendFrame(frame);
  }

  #hang(): Promise<number> {
    this.#onHang();
    return new Promise(() => {});
  }

  override async receivePacket(packet: Packet): Promise<number> {
    const result = await super.receivePacket(packet);
    if (result >= 0 && this.#received++ === this.#faults.wrongTimeAt) packet.pts += 1n;
    return result;
  }
}

const limitMs = 20_000;

/** A device with such faults; where it hangs, its time limit passes at once. */
export function faulty(faults: Faults = {}): DeviceEncoderOptions {
  const clock = manualClock();
  const onHang = () => setImmediate(() => clock.advance(limitMs));
  return { clock, limitMs, newContext: () => new FaultyContext(faults, onHang) };
}
