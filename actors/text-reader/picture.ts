// Pixels in which text is looked for, and parts of them.

export interface Picture {
  /** width×height×3 RGB in rows; may be longer. *Borrowed.* */
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

export interface Area {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}
