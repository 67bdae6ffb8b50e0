// A frame number drawn as a pattern of cells, large enough to survive compression, scaling and a change of
// the aspect ratio: 6×4 cells with 16 bits of number, 6 check bits, and two fixed cells by which a rotated
// picture is recognised.
const columns = 6;
const rows = 4;
const numberBits = 16;
const checkBits = 6;
const fixed = 0b01;
const dark = 24;
const light = 232;

function check(n: number): number {
  return (n * 37 + (n >> 5) * 11 + (n >> 10) * 5 + 21) & (2 ** checkBits - 1);
}

function pattern(n: number): number {
  return n | (check(n) << numberBits) | (fixed << (numberBits + checkBits));
}

/** Draws number n (0 to 65535) over a pattern that moves with n into width×height×3 RGB bytes. */
export function drawStamp(n: number, rgb: Uint8Array, width: number, height: number): void {
  const bits = pattern(n);
  const cellOf = (at: number, size: number, cells: number) => {
    const cell = Math.floor(((at + 0.5) * cells) / size);
    const inside = ((at + 0.5) * cells) / size - cell;
    return inside > 0.15 && inside < 0.85 ? cell : -1;
  };
  const cellOfX = Array.from({ length: width }, (_, x) => cellOf(x, width, columns));
  for (let y = 0, at = 0; y < height; y++) {
    const row = cellOf(y, height, rows);
    for (let x = 0; x < width; x++, at += 3) {
      const column = cellOfX[x]!;
      if (row >= 0 && column >= 0) {
        const value = (bits >> (row * columns + column)) & 1 ? light : dark;
        rgb[at] = value;
        rgb[at + 1] = value;
        rgb[at + 2] = value;
      } else {
        rgb[at] = 64 + ((x * 2 + n * 5) & 127);
        rgb[at + 1] = 64 + ((y * 3 + n * 2) & 127);
        rgb[at + 2] = 64 + ((x + y + n * 4) & 127);
      }
    }
  }
}

/** The number in a picture of any size; null when there is none or a check fails. */
export function readStamp(rgb: Uint8Array, width: number, height: number): number | null {
  let bits = 0;
  for (let cell = 0; cell < columns * rows; cell++) {
    const level = cellLevel(rgb, width, height, cell % columns, Math.floor(cell / columns));
    if (level > 96 && level < 160) return null;
    if (level >= 160) bits |= 1 << cell;
  }
  const n = bits & (2 ** numberBits - 1);
  return bits === pattern(n) ? n : null;
}

/** Mean level of the centre of a cell. */
function cellLevel(rgb: Uint8Array, width: number, height: number, column: number, row: number): number {
  const span = (cell: number, cells: number, size: number) => {
    const first = Math.floor(((cell + 0.35) * size) / cells);
    return [first, Math.max(first + 1, Math.ceil(((cell + 0.65) * size) / cells))] as const;
  };
  const [left, right] = span(column, columns, width);
  const [top, bottom] = span(row, rows, height);
  let sum = 0;
  for (let y = top; y < bottom; y++) {
    for (let at = (y * width + left) * 3; at < (y * width + right) * 3; at++) sum += rgb[at]!;
  }
  return sum / ((right - left) * (bottom - top) * 3);
}
