// Bounds the memory of bodies that are received at the same time, and tighter that of bodies whose sender has
// not shown a key yet: anybody who reaches the port can send those.

export interface BodyBudget {
  /** For the body of one request. */
  open(): BodyHold;
  /** Bytes held now. */
  readonly bytes: number;
}

export interface BodyHold {
  /** The key of this request was granted: from now on only the bound of all bodies holds. */
  trust(): void;
  /** False when a bound does not allow these bytes; nothing is held then. */
  take(bytes: number): boolean;
  /** Called when the body is not needed any more; a second time does nothing. */
  release(): void;
}

/** `most`: bytes of all bodies together; `mostUntrusted`: of those without a key. */
export function createBodyBudget(most: number, mostUntrusted: number): BodyBudget {
  let all = 0;
  let untrusted = 0;
  return {
    get bytes() {
      return all;
    },
    open: () => {
      let held = 0;
      let trusted = false;
      const trust = () => {
        if (trusted) return;
        trusted = true;
        untrusted -= held;
      };
      return {
        trust,
        take: (bytes) => {
          if (all + bytes > most || (!trusted && untrusted + bytes > mostUntrusted)) return false;
          held += bytes;
          all += bytes;
          if (!trusted) untrusted += bytes;
          return true;
        },
        release: () => {
          trust();
          all -= held;
          held = 0;
        },
      };
    },
  };
}
