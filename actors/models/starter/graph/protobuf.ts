// The part of the protobuf wire format that writing needs: varints, 32-bit floats, strings, bytes and
// messages inside messages. A message is a list of pieces whose total length is known, so large payloads are
// never copied to be nested.

const VARINT = 0;
const DELIMITED = 2;
const FIXED32 = 5;

const encoder = new TextEncoder();

export class Message {
  /** Bytes of all pieces together. */
  length = 0;
  readonly #pieces: (Uint8Array | Message)[] = [];
  /** Bytes of small fields, collected until a payload or a message follows. */
  #tail: number[] = [];

  /** A whole number in the int64 range that a double holds exactly. */
  int(field: number, value: number | bigint): this {
    return this.#tag(field, VARINT).#varint(value);
  }

  float(field: number, value: number): this {
    return this.#tag(field, FIXED32).#little(value);
  }

  text(field: number, value: string): this {
    return this.bytes(field, encoder.encode(value));
  }

  /** `value` is *borrowed until the model is written*, not copied. */
  bytes(field: number, value: Uint8Array): this {
    this.#tag(field, DELIMITED).#varint(value.length);
    return this.#piece(value);
  }

  /** `value` must be complete: fields added to it later are lost. */
  message(field: number, value: Message): this {
    this.#tag(field, DELIMITED).#varint(value.length);
    return this.#piece(value);
  }

  /** Repeated whole numbers, packed. */
  ints(field: number, values: readonly (number | bigint)[]): this {
    const packed = new Message();
    for (const value of values) packed.#varint(value);
    return this.message(field, packed);
  }

  /** Repeated floats, packed. */
  floats(field: number, values: readonly number[]): this {
    const packed = new Message();
    for (const value of values) packed.#little(value);
    return this.message(field, packed);
  }

  /**
   * The bytes in order. Payload pieces are *borrowed*: write them before the arrays they came from change.
   */
  *chunks(): Generator<Uint8Array> {
    for (const piece of this.#pieces) {
      if (piece instanceof Message) yield* piece.chunks();
      else yield piece;
    }
    if (this.#tail.length > 0) yield Uint8Array.from(this.#tail);
  }

  #piece(value: Uint8Array | Message): this {
    this.length += value.length;
    const small = smallBytes(value);
    if (small !== undefined) {
      for (const byte of small) this.#tail.push(byte);
      return this;
    }
    if (this.#tail.length > 0) this.#pieces.push(Uint8Array.from(this.#tail));
    this.#tail = [];
    this.#pieces.push(value);
    return this;
  }

  /** The bytes of a message that is one run of small fields. */
  static small(message: Message): readonly number[] | undefined {
    return message.#pieces.length === 0 ? message.#tail : undefined;
  }

  #tag(field: number, wire: number): this {
    return this.#varint(field * 8 + wire);
  }

  #varint(value: number | bigint): this {
    if (typeof value === 'number' && !Number.isSafeInteger(value)) {
      throw new RangeError(`${value} is not a whole number`);
    }
    let rest = BigInt.asUintN(64, BigInt(value));
    while (rest > 127n) {
      this.#byte(Number(rest & 127n) | 128);
      rest >>= 7n;
    }
    return this.#byte(Number(rest));
  }

  #little(value: number): this {
    for (const byte of new Uint8Array(Float32Array.of(value).buffer)) this.#byte(byte);
    return this;
  }

  #byte(value: number): this {
    this.#tail.push(value);
    this.length += 1;
    return this;
  }
}

/** Bytes that are cheaper to copy than to keep as a piece of their own. */
const SMALL_BYTES = 256;

function smallBytes(value: Uint8Array | Message): Iterable<number> | undefined {
  if (value.length > SMALL_BYTES) return undefined;
  return value instanceof Message ? Message.small(value) : value;
}
