// A large JSON value on its way between two threads: as pieces, of which each is put together in a turn of
// the event loop of its own. Received as one message, it would block the thread that receives it nearly as
// long as parsing it does.
import { deserialize, serialize } from 'node:v8';

/** About the bytes of a piece; the one with a longer text has that text alone. */
export const PIECE_BYTES = 256 * 1024;
/** Memory of a value beside its text. */
const VALUE_BYTES = 16;
/** Levels of lists and objects in each other; more would outgrow the stack. */
export const MOST_LEVELS = 1000;

/** A serialized value; or a list or an object in parts. */
export type ValuePiece =
  | Uint8Array<ArrayBuffer>
  | { readonly kind: 'list' | 'object'; readonly parts: Part[] };
/**
 * Serialized items of a list, or names and values of an object in turn; or one value that is itself in
 * pieces.
 */
type Part = Uint8Array<ArrayBuffer> | { readonly name: string; readonly piece: ValuePiece };

/** Null when the value nests deeper than 1000 levels. */
export function toPieces(value: unknown): ValuePiece | null {
  try {
    const { cut } = divide(value, 0);
    return cut ?? bytesOf(value);
  } catch (error) {
    if (error === tooDeep) return null;
    throw error;
  }
}

/** All buffers of a piece, to be moved to the other thread. */
export function buffersOf(piece: ValuePiece): ArrayBuffer[] {
  if (piece instanceof Uint8Array) return [piece.buffer];
  return piece.parts.flatMap((part) => (part instanceof Uint8Array ? [part.buffer] : buffersOf(part.piece)));
}

/**
 * `pause` is awaited before each piece; what it throws ends the work. The parts are *taken out* of the piece.
 */
export async function fromPieces(piece: ValuePiece, pause: () => Promise<void>): Promise<unknown> {
  if (piece instanceof Uint8Array) {
    await pause();
    return deserialize(piece);
  }
  const list: unknown[] = [];
  const object: Record<string, unknown> = {};
  const add = (name: string, value: unknown) =>
    piece.kind === 'list' ? list.push(value) : setField(object, name, value);
  // Taken out, so that the memory of a part is free when its value is there.
  for (let part = piece.parts.shift(); part; part = piece.parts.shift()) {
    if (!(part instanceof Uint8Array)) {
      add(part.name, await fromPieces(part.piece, pause));
      continue;
    }
    await pause();
    const run = deserialize(part) as unknown[];
    if (piece.kind === 'list') for (const item of run) list.push(item);
    else for (let i = 0; i < run.length; i += 2) setField(object, run[i] as string, run[i + 1]);
  }
  return piece.kind === 'list' ? list : object;
}

const tooDeep = new RangeError('too many levels');

/** Each value is looked at once: `cut` is null while it is light enough to go with its neighbours. */
function divide(value: unknown, level: number): { bytes: number; cut: ValuePiece | null } {
  if (typeof value === 'string') {
    const bytes = VALUE_BYTES + value.length;
    return { bytes, cut: bytes > PIECE_BYTES ? bytesOf(value) : null };
  }
  if (typeof value !== 'object' || value === null) return { bytes: VALUE_BYTES, cut: null };
  if (level === MOST_LEVELS) throw tooDeep;
  const isList = Array.isArray(value);
  const parts: Part[] = [];
  let run: unknown[] = [];
  let bytes = VALUE_BYTES;
  const flush = () => {
    if (run.length > 0) parts.push(bytesOf(run));
    run = [];
    bytes = VALUE_BYTES;
  };
  const add = (name: string, item: unknown) => {
    const inside = divide(item, level + 1);
    if (inside.cut) {
      flush();
      parts.push({ name, piece: inside.cut });
      return;
    }
    const more = inside.bytes + (isList ? 0 : VALUE_BYTES + name.length);
    if (bytes + more > PIECE_BYTES) flush();
    bytes += more;
    if (isList) run.push(item);
    else run.push(name, item);
  };
  if (isList) for (const item of value) add('', item);
  else for (const [name, item] of Object.entries(value)) add(name, item);
  if (parts.length === 0) return { bytes, cut: null };
  flush();
  return { bytes: 0, cut: { kind: isList ? 'list' : 'object', parts } };
}

function bytesOf(value: unknown): Uint8Array<ArrayBuffer> {
  // Serialized values have a buffer of their own, so it can be moved.
  return serialize(value) as Uint8Array<ArrayBuffer>;
}

/** Sets a field as JSON.parse does: an assignment to `__proto__` would change what the object inherits. */
function setField(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}
