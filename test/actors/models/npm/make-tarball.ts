// A package as npm packs it: a tar archive with pax headers for long paths, compressed. Damaged on demand.
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

export interface Member {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** `0` for a file, which is left out; `5` a folder. */
  readonly type?: string;
}

/** The archive alone; `package/` goes before every path. */
export function tarOf(members: readonly Member[]): Buffer {
  const blocks = members.flatMap(({ path, bytes, type = '0' }) => {
    const full = `package/${path}`;
    const long = full.length > 100 ? [...entry('PaxHeader', 'x', paxRecord('path', full))] : [];
    return [...long, ...entry(full.slice(0, 100), type, bytes)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

export function tarballOf(members: readonly Member[]): { bytes: Buffer; integrity: string } {
  const bytes = gzipSync(tarOf(members));
  return { bytes, integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}` };
}

function entry(path: string, type: string, bytes: Uint8Array): Buffer[] {
  const header = Buffer.alloc(512);
  header.write(path, 0);
  header.write('000644 \0', 100);
  header.write(`${bytes.length.toString(8).padStart(11, '0')} `, 124);
  header.write(' '.repeat(8), 148);
  header.write(type, 156);
  header.write('ustar\u000000', 257);
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return [header, Buffer.from(bytes), Buffer.alloc((512 - (bytes.length % 512)) % 512)];
}

export function paxRecord(key: string, value: string): Buffer {
  const rest = ` ${key}=${value}\n`;
  const length = rest.length + String(rest.length).length;
  return Buffer.from(`${length + (String(length).length > String(rest.length).length ? 1 : 0)}${rest}`);
}
