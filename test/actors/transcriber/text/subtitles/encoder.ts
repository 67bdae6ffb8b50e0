// Writes a text in an older encoding: the decoder of the runtime, asked for every byte and pair of bytes,
// turned round.

export function encode(text: string, encoding: string): Uint8Array {
  const table = tableOf(encoding);
  const bytes = [...text].flatMap((sign) => {
    const found = table.get(sign);
    if (!found) throw new Error(`${encoding} has no ${sign}`);
    return found;
  });
  return Uint8Array.from(bytes);
}

const tables = new Map<string, ReadonlyMap<string, readonly number[]>>();

function tableOf(encoding: string): ReadonlyMap<string, readonly number[]> {
  const known = tables.get(encoding);
  if (known) return known;
  const decoder = new TextDecoder(encoding, { fatal: true });
  const table = new Map<string, readonly number[]>();
  const learn = (bytes: readonly number[]) => {
    let sign: string;
    try {
      sign = decoder.decode(Uint8Array.from(bytes));
    } catch {
      return;
    }
    if ([...sign].length === 1 && !table.has(sign)) table.set(sign, bytes);
  };
  for (let one = 0; one < 256; one++) learn([one]);
  for (let one = 0x81; one < 255; one++) for (let two = 0x40; two < 255; two++) learn([one, two]);
  tables.set(encoding, table);
  return table;
}
