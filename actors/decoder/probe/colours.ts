// Names of the code points for colour spaces, transfer functions and primaries (ITU-T H.273).

const spaces: Readonly<Record<number, string>> = {
  0: 'rgb',
  1: 'bt709',
  4: 'fcc',
  5: 'bt470bg',
  6: 'smpte170m',
  7: 'smpte240m',
  8: 'ycgco',
  9: 'bt2020nc',
  10: 'bt2020c',
  11: 'smpte2085',
  12: 'chroma-derived-nc',
  13: 'chroma-derived-c',
  14: 'ictcp',
};
const transfers: Readonly<Record<number, string>> = {
  1: 'bt709',
  4: 'bt470m',
  5: 'bt470bg',
  6: 'smpte170m',
  7: 'smpte240m',
  8: 'linear',
  9: 'log100',
  10: 'log316',
  11: 'iec61966-2-4',
  12: 'bt1361e',
  13: 'iec61966-2-1',
  14: 'bt2020-10',
  15: 'bt2020-12',
  16: 'smpte2084',
  17: 'smpte428',
  18: 'arib-std-b67',
};
const primaries: Readonly<Record<number, string>> = {
  1: 'bt709',
  4: 'bt470m',
  5: 'bt470bg',
  6: 'smpte170m',
  7: 'smpte240m',
  8: 'film',
  9: 'bt2020',
  10: 'smpte428',
  11: 'smpte431',
  12: 'smpte432',
  22: 'ebu3213',
};

/** Name of a code point; null when unspecified or unknown. */
export const colourSpace = (code: number): string | null => spaces[code] ?? null;
export const colourTransfer = (code: number): string | null => transfers[code] ?? null;
export const colourPrimaries = (code: number): string | null => primaries[code] ?? null;

/** High dynamic range by its transfer function: PQ or HLG. */
export const isHdr = (transfer: number): boolean => transfer === 16 || transfer === 18;
