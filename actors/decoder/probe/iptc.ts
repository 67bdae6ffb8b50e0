// Keywords from the IPTC block of a still (IIM 4.2), as older photo programs write them: in a resource of
// Photoshop, as data sets of a record, a number and a length each.

/** Resource of Photoshop that holds IPTC. */
const iptcResource = 0x0404;
const photoshop = 'Photoshop 3.0\0';
/** Data sets by record and number. */
const [codedCharacterSet, keyword] = ['1:90', '2:25'];
/** The escape sequence of ISO 2022 for UTF-8. */
const utf8 = '\x1b%G';
/** Bytes of a keyword are 64 at most; programs write more. */
const mostBytes = 256;

/** Empty for a block that has none, or ends early. */
export function keywordsOfIptc(block: Uint8Array): string[] {
  const bytes = Buffer.from(block.buffer, block.byteOffset, block.length);
  const sets = dataSets(resourceOf(bytes) ?? bytes);
  const isUtf8 = sets.some(
    ({ name, value }) => name === codedCharacterSet && value.toString('latin1') === utf8,
  );
  return sets.flatMap(({ name, value }) =>
    name === keyword && value.length <= mostBytes ? [decoded(value, isUtf8)] : [],
  );
}

/** The bytes of IPTC among the resources; null where the block is no list of resources. */
function resourceOf(bytes: Buffer): Buffer | null {
  const start = bytes.toString('latin1', 0, photoshop.length) === photoshop ? photoshop.length : 0;
  if (bytes.toString('latin1', start, start + 4) !== '8BIM') return null;
  for (let at = start; at + 12 <= bytes.length && bytes.toString('latin1', at, at + 4) === '8BIM'; ) {
    const id = bytes.readUInt16BE(at + 4);
    // A name with its length in front, and the content, have an even number of bytes.
    const from = at + 6 + even(1 + bytes[at + 6]!) + 4;
    if (from > bytes.length) break;
    const length = bytes.readUInt32BE(from - 4);
    if (id === iptcResource) return bytes.subarray(from, from + length);
    at = from + even(length);
  }
  return Buffer.alloc(0);
}

const even = (count: number) => count + (count % 2);

function dataSets(bytes: Buffer) {
  const sets: { readonly name: string; readonly value: Buffer }[] = [];
  for (let at = 0; at + 5 <= bytes.length && bytes[at] === 0x1c; ) {
    const length = bytes.readUInt16BE(at + 3);
    // A longer length would say how many bytes it has itself; no keyword is that long.
    if (length > 0x7fff || at + 5 + length > bytes.length) break;
    sets.push({ name: `${bytes[at + 1]}:${bytes[at + 2]}`, value: bytes.subarray(at + 5, at + 5 + length) });
    at += 5 + length;
  }
  return sets;
}

/** Many programs write UTF-8 without saying so. */
function decoded(value: Buffer, isUtf8: boolean): string {
  try {
    return new TextDecoder('utf-8', { fatal: !isUtf8 }).decode(value);
  } catch {
    return new TextDecoder('windows-1252').decode(value);
  }
}
