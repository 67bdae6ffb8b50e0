// The text in a subtitle packet, by codec.

/** Codecs whose extradata is a text header. */
export function hasHeader(codec: string): boolean {
  return codec === 'ass' || codec === 'ssa' || codec === 'webvtt';
}

/** Text of a packet; empty for one that only ends the event before. */
export function packetText(codec: string, data: Uint8Array): string {
  if (codec === 'mov_text') return timedText(data);
  if (codec === 'webvtt' && isBox(data)) return boxedCues(data);
  return decoded(data);
}

/** 3GPP timed text: a length of two bytes, the text, then boxes with styles. */
function timedText(data: Uint8Array): string {
  if (data.length < 2) return '';
  const length = (data[0]! << 8) | data[1]!;
  return decoded(data.subarray(2, 2 + length));
}

/** UTF-8, or UTF-16 with a byte order mark; invalid bytes become U+FFFD. Text ends at the first NUL. */
function decoded(data: Uint8Array): string {
  const [first, second] = data;
  const wide =
    first === 0xfe && second === 0xff ? 'utf-16be' : first === 0xff && second === 0xfe ? 'utf-16le' : null;
  const text = new TextDecoder(wide ?? 'utf-8').decode(data);
  const end = text.indexOf('\0');
  return end < 0 ? text : text.slice(0, end);
}

const cueBoxes = new Set(['vttc', 'vtte', 'vtta']);

/** WebVTT in MP4 (ISO/IEC 14496-30) is in boxes; elsewhere it is plain text. */
function isBox(data: Uint8Array): boolean {
  return data.length >= 8 && cueBoxes.has(boxes(data)[0]?.name ?? '');
}

/** The payloads of all cues of a sample. */
function boxedCues(data: Uint8Array): string {
  const cues = boxes(data).filter(({ name }) => name === 'vttc');
  const payloads = cues.flatMap(({ body }) => boxes(body).filter(({ name }) => name === 'payl'));
  return payloads.map(({ body }) => decoded(body)).join('\n');
}

/** Consecutive boxes, up to the first invalid one. */
function boxes(data: Uint8Array): { readonly name: string; readonly body: Uint8Array }[] {
  const found: { name: string; body: Uint8Array }[] = [];
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  for (let at = 0; at + 8 <= data.length; ) {
    const size = view.getUint32(at);
    if (size < 8 || at + size > data.length) break;
    const name = String.fromCharCode(...data.subarray(at + 4, at + 8));
    found.push({ name, body: data.subarray(at + 8, at + size) });
    at += size;
  }
  return found;
}
