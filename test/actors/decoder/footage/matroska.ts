// Elements of Matroska files (RFC 9559) that are made by hand.

export const ebml = 0x1a45dfa3;
export const segment = 0x18538067;
export const seekHead = 0x114d9b74;
export const seekPoint = 0x4dbb;
export const seekPosition = 0x53ac;
export const cluster = 0x1f43b675;
export const attachments = 0x1941a469;

/** Its head with a length of 8 bytes, and what is there of its content. */
export function element(id: number, length: number, content: Buffer = Buffer.alloc(0)): Buffer {
  const name = Buffer.from(id.toString(16), 'hex');
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE(BigInt(length) | (1n << 56n));
  return Buffer.concat([name, size, content]);
}
