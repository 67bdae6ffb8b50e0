// Writes the bits of an H.264 NAL unit.

export class BitWriter {
  readonly #bytes: number[] = [];
  #byte = 0;
  #count = 0;

  bits(value: number, count: number): this {
    if (this.#count === 0 && count === 8) {
      this.#bytes.push(value);
      return this;
    }
    for (let bit = count - 1; bit >= 0; bit--) {
      this.#byte = this.#byte * 2 + ((value >> bit) & 1);
      if (++this.#count === 8) this.align();
    }
    return this;
  }

  /** An unsigned Exp-Golomb number. */
  golomb(value: number): this {
    const length = Math.floor(Math.log2(value + 1));
    return this.bits(0, length).bits(value + 1, length + 1);
  }

  /** Fills the byte with zeros. */
  align() {
    if (this.#count > 0) this.#bytes.push((this.#byte << (8 - this.#count)) & 255);
    this.#byte = 0;
    this.#count = 0;
  }

  /** Adds the stop bit and returns the bytes. */
  end(): Buffer {
    this.bits(1, 1).align();
    return Buffer.from(this.#bytes);
  }
}

/** A NAL unit with its start code and emulation prevention. */
export function nal(header: number, payload: Buffer): Buffer {
  const bytes = [0, 0, 0, 1, header];
  let zeros = 0;
  for (const byte of payload) {
    if (zeros >= 2 && byte <= 3) {
      bytes.push(3);
      zeros = 0;
    }
    bytes.push(byte);
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return Buffer.from(bytes);
}
