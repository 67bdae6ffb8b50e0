// The families of language models: chat format, preparation of pictures, and positions.
import type { ExpectedInput } from '../../models/session.ts';
import {
  fittedSize,
  gridOf,
  gridPositions,
  patchesOf,
  patchValues,
  plainPositions,
  tokensOf,
} from './decoder.ts';
import type { Family, Piece } from './model.ts';

// Qwen3-VL: pictures keep their proportions, and every 32×32 px are a token with a row and a column.

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

// SmolVLM and SmolVLM2: a picture is squeezed into one square and becomes 64 tokens.

/** Tokens of a picture: patches of 16 px of a square of 512, 16 to a token. */
const pictureTokens = 64;

const names = { system: 'System', user: 'User', assistant: 'Assistant' } as const;

export const smolvlm: Family = {
  axes: 1,
  visionInputs: () => [
    { name: 'pixel_values', type: 'float32', shape: [1, 1, 3, null, null] },
    { name: 'pixel_attention_mask', type: 'bool', shape: [1, 1, null, null] },
  ],
  format: (tokenizer, { frame_resolution: side }) => {
    const begin = tokenizer.mark('<|im_start|>');
    const end = tokenizer.mark('<end_of_utterance>');
    const around = tokenizer.mark('<fake_token_around_image>');
    const whole = tokenizer.mark('<global-img>');
    const seenAs = (seen: Extract<Piece, { picture: unknown }>): Piece[] => [
      { ids: [around, whole] },
      seen,
      { ids: [around] },
    ];
    return {
      ends: new Set([end]),
      pieces: ({ turns, pictures }) => {
        const shown = turns.findIndex(({ role }) => role === 'user');
        const pieces = turns.flatMap(({ role, text }, at): Piece[] => {
          const seen = at === shown ? pictures : [];
          const head = `${names[role]}:`;
          const close = [end, ...tokenizer.text('\n')];
          // Without pictures a space follows, which belongs to the token of the next word.
          if (seen.length === 0) return [{ ids: [...tokenizer.text(`${head} ${text}`), ...close] }];
          const shownText = [...tokenizer.text(text), ...close];
          return [{ ids: tokenizer.text(head) }, ...seen.flatMap(seenAs), { ids: shownText }];
        });
        return [{ ids: [begin] }, ...pieces, { ids: tokenizer.text('Assistant:') }];
      },
      positions: (pieces) =>
        plainPositions(
          pieces.reduce((sum, piece) => sum + ('ids' in piece ? piece.ids.length : piece.tokens), 0),
        ),
      fitted: () => ({ width: side, height: side, tokens: pictureTokens }),
      pixels: ({ rgb }) => ({
        pixel_values: { data: planes(rgb, side), dims: [1, 1, 3, side, side] },
        pixel_attention_mask: {
          data: new Uint8Array(side * side).fill(1),
          dims: [1, 1, side, side],
          type: 'bool',
        },
      }),
    };
  },
};

/** Three planes of values from -1 to 1. */
export function planes(rgb: Uint8Array, side: number): Float32Array {
  const values = new Float32Array(3 * side * side);
  for (let channel = 0; channel < 3; channel++)
    for (let pixel = 0; pixel < side * side; pixel++)
      values[channel * side * side + pixel] = rgb[pixel * 3 + channel]! / 127.5 - 1;
  return values;
}
