// How a coded picture relates to the pictures around it, as far as its own header says.

/** Facts about the picture in one packet, read from its bytes without decoding it. */
export interface CodedPicture {
  /** False only when it is certain that no other picture references this one. */
  readonly reference: boolean;
  /** False for a picture that is decoded but never shown. */
  readonly shown: boolean;
  /**
   * Whether this is a random access point. `closed`: no picture after it in decoding order references one
   * before it. `open`: only its leading pictures, which follow it in decoding order and are shown before it,
   * may do so.
   */
  readonly entry: 'closed' | 'open' | 'no';
  /**
   * True for a leading picture that a decoder drops by itself when it started at the random access point
   * before.
   */
  readonly skipped: boolean;
}

/** Assumed of a picture whose bytes are not understood. */
export const unknownPicture: CodedPicture = { reference: true, shown: true, entry: 'no', skipped: false };
