// The body of a request: how much is received, the memory it may hold until the request is answered, and
// where it is parsed.
import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import type { TObject } from 'typebox';
import { engineErrors, fromFields } from '../../runtime/errors.ts';
import { createPool } from '../../runtime/pool.ts';
import { moduleUrl } from '../../runtime/process/program.ts';
import type { AccessDecision } from '../license/decision.ts';
import { type Body, BodyRefusal, bufferOf, holdsMoreValues, parseBody } from './body.ts';
import type { LargeBody, ParsedLargeBody } from './parse-large-body.ts';
import { fromPieces } from './pieces.ts';
import { askAgain, plainError, type RawResponse } from './response.ts';
import type { FieldError, Validate } from './validation.ts';

interface IntakeOptions {
  readonly budget: BodyBudget;
  /** Bytes of one body. */
  readonly mostBytes: number;
  /** Decision about the key in the header; null without one. */
  license(): AccessDecision | Promise<AccessDecision> | null;
}

export class Intake {
  readonly #options: IntakeOptions;
  #mostBytes: number;
  #bytes = 0;
  /** Reservation for a body that comes in parts. */
  #hold: BodyHold | undefined;

  constructor(options: IntakeOptions) {
    this.#options = options;
    this.#mostBytes = options.mostBytes;
  }

  /** Bytes of the body. */
  get mostBytes(): number {
    return this.#mostBytes;
  }

  /** Takes no larger bodies than that. */
  limit(mostBytes: number): void {
    this.#mostBytes = Math.min(this.#mostBytes, mostBytes);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * The answer to a body that may not be received. What comes in one part is small and nothing is kept of it,
   * so it passes also while others fill the memory.
   */
  receive(bytes: number, isLast: boolean): RawResponse | null {
    this.#bytes += bytes;
    if (this.#bytes > this.#mostBytes) return this.tooLarge();
    if (isLast) return null;
    this.#hold ??= this.#open();
    if (this.#hold.take(bytes)) return null;
    const message = 'Request bodies are using too much memory at the moment; send this request again';
    return plainError(503, 'Too many large bodies', message, askAgain);
  }

  tooLarge(): RawResponse {
    return plainError(413, 'Body too large', `A body can have at most ${this.#mostBytes} bytes`);
  }

  /** The request has shown a good key. */
  trust(): void {
    this.#hold?.trust();
  }

  release(): void {
    this.#hold?.release();
  }

  /**
   * A key in the body counts before the one in the header, so a wrong one here only leaves the tighter bound.
   */
  #open(): BodyHold {
    const hold = this.#options.budget.open();
    const trustIf = (decision: AccessDecision | null) => decision?.ok && hold.trust();
    // A check that fails is repeated with the whole request, which answers it.
    try {
      const decision = this.#options.license();
      if (decision instanceof Promise) decision.then(trustIf, () => {});
      else trustIf(decision);
    } catch {}
    return hold;
  }
}

// Bounds the memory of bodies that are received at the same time, and tighter that of bodies whose sender has
// not shown a key yet: anybody who reaches the port can send those.

export interface BodyBudget {
  /** For the body of one request. */
  open(): BodyHold;
  /** Bytes held now. */
  readonly bytes: number;
}

interface BodyHold {
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
      let heldBytes = 0;
      let trusted = false;
      const trust = () => {
        if (trusted) return;
        trusted = true;
        untrusted -= heldBytes;
      };
      return {
        trust,
        take: (bytes) => {
          if (all + bytes > most || (!trusted && untrusted + bytes > mostUntrusted)) return false;
          heldBytes += bytes;
          all += bytes;
          if (!trusted) untrusted += bytes;
          return true;
        },
        release: () => {
          trust();
          all -= heldBytes;
          heldBytes = 0;
        },
      };
    },
  };
}

// Parses and validates the bodies of requests: small ones at once, large ones in a thread of their own, so
// that other requests are answered meanwhile.

export interface ParsedBody {
  readonly body: Body;
  /** Validates it; to be called once, when the key of the request has been granted. */
  readonly validate: () => FieldError[] | null;
}

/** How a route takes its body. */
export interface BodyForm {
  /** Null for a route that takes none. */
  readonly schema: TObject | null;
  /** The validator of that schema. */
  readonly validate: Validate | null;
}

export interface BodyParser {
  /**
   * `chunks`: the body as it was received; those of a large one are *moved* away. Rejects with CANCELLED when
   * the signal aborts, and retryably when the thread ends. `signal` is called for large bodies only.
   */
  parse(
    chunks: readonly Uint8Array[],
    signal: () => AbortSignal,
    form: BodyForm,
  ): ParsedBody | BodyRefusal | Promise<ParsedBody | BodyRefusal>;
  /** Ends what is being parsed. */
  close(): Promise<void>;
}

/**
 * Bytes. Below it the message to the thread and back costs as much as parsing, which takes about a
 * millisecond.
 */
export const LARGE_BODY = 1024 * 1024;
/** A body with more values is large, too: validating them can take longer than parsing a megabyte. */
const MANY_VALUES = 20_000;
/** Heap of the thread: the text of the largest body, its values, and its pieces. */
const MOST_MEGABYTES = 1024;

/** `module`: exports `parseLargeBody`. The bodies that may wait are bounded where they are received. */
export function createBodyParser(module = moduleUrl('./parse-large-body', import.meta.url)): BodyParser {
  const name = 'parseLargeBody';
  // One: a thread holds several times the bytes of its body, and a second body waits for a fraction of a
  // second.
  const pool = createPool<LargeBody, ParsedLargeBody>({
    module,
    name,
    threads: 1,
    mostMegabytes: MOST_MEGABYTES,
  });
  const parseLarge = async (
    chunks: readonly Uint8Array[],
    signal: AbortSignal,
    schema: TObject | null,
  ): Promise<ParsedBody | BodyRefusal> => {
    const copies = chunks.map(withOwnBuffer);
    const parsed = await pool.run(
      { chunks: copies, schema },
      signal,
      copies.map(({ buffer }) => buffer),
    );
    if ('refused' in parsed) return new BodyRefusal(parsed.refused, parsed.status);
    const pause = async () => {
      await eventLoopTurn();
      if (signal.aborted) throw engineErrors.CANCELLED('while a body was received');
    };
    const { problems } = parsed;
    const body = (await fromPieces(parsed.body, pause)) as Body;
    const validate = () => {
      // Its only field that is not of the route.
      delete body['license_key'];
      if (problems && 'thrown' in problems) throw fromFields(problems.thrown);
      return problems?.fields ?? null;
    };
    return { body, validate };
  };
  return {
    parse: (chunks, signal, { schema, validate }) => {
      const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
      if (bytes > LARGE_BODY) return parseLarge(chunks, signal(), schema);
      const whole = bufferOf(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
      // A copy: the memory of a chunk that comes alone is the socket's.
      if (holdsMoreValues(whole, MANY_VALUES)) return parseLarge([new Uint8Array(whole)], signal(), schema);
      const body = parseBody(whole);
      return body instanceof BodyRefusal ? body : { body, validate: () => validate?.(body) ?? null };
    },
    close: pool.close,
  };
}

/** A view of a part of a buffer cannot be moved alone. */
function withOwnBuffer(chunk: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = chunk;
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
  return isWhole ? new Uint8Array(buffer) : new Uint8Array(chunk);
}
