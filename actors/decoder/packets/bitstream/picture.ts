// What a coded picture is to the pictures around it, as far as its own header says so.

/** The facts the walk needs about one packet, read from its bytes without decoding it. */
export interface CodedPicture {
  /** False only when it is certain that no other picture is predicted from this one. */
  readonly reference: boolean;
  /** False for a picture that is decoded but never shown. */
  readonly shown: boolean;
  /**
   * Whether decoding can begin here. `closed`: everything after it in the file needs nothing before it.
   * `open`: everything shown after it needs nothing before it; pictures shown earlier, its leading pictures, may.
   */
  readonly entry: 'closed' | 'open' | 'no';
  /** True when a decoder that begins at the entry before it leaves this picture out by itself. */
  readonly skipped: boolean;
}

/** What is assumed of a picture whose bytes say nothing. */
export const unknownPicture: CodedPicture = { reference: true, shown: true, entry: 'no', skipped: false };
