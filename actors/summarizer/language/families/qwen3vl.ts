// Qwen3-VL: pictures keep their proportions, and every 32×32 px are a token with a row and a column.
import type { ExpectedInput } from '../../../models/graph.ts';
import type { Family, Piece } from '../model.ts';
import { fittedSize, gridOf, gridPositions, patchesOf, patchValues, tokensOf } from '../positions.ts';

/** The grid of a picture has one of these names, by the age of the export. */
const gridNames = ['grid_thw', 'image_grid_thw'] as const;

function visionInputs(declared: readonly string[]): ExpectedInput[] {
  return [
    { name: 'pixel_values', type: 'float32', shape: [null, patchValues] },
    { name: gridName(declared), type: 'int64', shape: [1, 3] },
  ];
}

const gridName = (declared: readonly string[]) =>
  gridNames.find((name) => declared.includes(name)) ?? gridNames[0];

const stretchOf = (piece: Piece) =>
  'ids' in piece ? { tokens: piece.ids.length } : { grid: gridOf(piece.picture) };

export const qwen3vl: Family = {
  axes: 3,
  visionInputs,
  format: (tokenizer, row, declared) => {
    const mark = (content: string) => tokenizer.mark(content);
    const [begin, end] = [mark('<|im_start|>'), mark('<|im_end|>')];
    const [before, after] = [mark('<|vision_start|>'), mark('<|vision_end|>')];
    const line = tokenizer.text('\n');
    const mostPixels = row.frame_resolution ** 2;
    const grid = gridName(declared);
    return {
      ends: new Set([end, mark('<|endoftext|>')]),
      pieces: ({ turns, pictures }) => {
        const shown = turns.findIndex(({ role }) => role === 'user');
        const pieces = turns.flatMap(({ role, text }, at): Piece[] => [
          { ids: [begin, ...tokenizer.text(`${role}\n`)] },
          ...(at === shown ? pictures : []).flatMap((seen) => [{ ids: [before] }, seen, { ids: [after] }]),
          { ids: [...tokenizer.text(text), end, ...line] },
        ]);
        return [...pieces, { ids: [begin, ...tokenizer.text('assistant\n')] }];
      },
      positions: (pieces) => gridPositions(pieces.map(stretchOf)),
      fitted: (size) => {
        const fitted = fittedSize(size, mostPixels);
        return { ...fitted, tokens: tokensOf(gridOf(fitted)) };
      },
      pixels: (picture) => {
        const { rows, columns } = gridOf(picture);
        return {
          pixel_values: { data: patchesOf(picture), dims: [rows * columns, patchValues] },
          [grid]: { data: BigInt64Array.of(1n, BigInt(rows), BigInt(columns)), dims: [1, 3] },
        };
      },
    };
  },
};
