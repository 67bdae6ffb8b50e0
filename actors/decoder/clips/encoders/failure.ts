// What is thrown when the encoder of a device fails: the clip is then made without it. Does not leave the
// decoder.

export class EncoderFailure extends Error {
  /** The encoder. */
  readonly encoder: string;
  /** It gave no sign of life within its limit. */
  readonly isHung: boolean;

  constructor(encoder: string, what: string, isHung = false) {
    super(`${encoder}: ${what}`);
    this.name = 'EncoderFailure';
    this.encoder = encoder;
    this.isHung = isHung;
  }
}
