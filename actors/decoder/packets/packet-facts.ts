// Facts about a packet for the frame plan, read from the container and from the header of the coded picture,
// without decoding.
import { AV_PKT_FLAG_DISCARD, type Packet, ticks } from '../ffmpeg.ts';
import type { PictureReader } from './reference.ts';

/** Times are ticks of the stream's time base. */
export interface PacketFacts {
  /**
   * Presentation time; null when the file does not say. Such a packet can be a reference but never a wanted
   * picture.
   */
  readonly pts: number | null;
  readonly reference: boolean;
  /** False for pictures that are never shown: hidden ones, and those an edit list cuts away. */
  readonly shown: boolean;
  /** Decoding can start here unless `no`; see `CodedPicture`. */
  readonly entry: 'closed' | 'open' | 'no';
  /** The decoder drops it by itself when it started at the random access point before it. */
  readonly skipped: boolean;
  /** Bytes. */
  readonly size: number;
}

const noBytes = new Uint8Array();

export function packetFacts(packet: Packet, reader: PictureReader): PacketFacts {
  const coded = reader.read(() => packet.data ?? noBytes, packet.isKeyframe);
  return {
    pts: ticks(packet.pts),
    reference: coded.reference,
    // FFmpeg applies edit lists by marking the packets they hide.
    shown: coded.shown && (packet.flags & AV_PKT_FLAG_DISCARD) === 0,
    entry: packet.isKeyframe ? coded.entry : 'no',
    skipped: coded.skipped,
    size: packet.size,
  };
}
