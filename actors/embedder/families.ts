// Which code runs which family of visual models, by the row's `family`.
import { modelErrors, type VisualRow } from '../models/contract.ts';
import { onProcessor } from '../models/device.ts';
import { buildStarterVisual } from '../models/starter/graph/graph.ts';
import { DIMENSIONS, mirrorOrder } from '../models/starter/layout.ts';
import { PICTURE_SIDE } from '../models/starter/maps.ts';
import { queryVector } from '../models/starter/query/vector.ts';
import type { TextPart } from './contract.ts';
import type { Family, TextVectors, VisualFamily } from './family.ts';
import { towers } from './towers.ts';

// CLIP with its projections: the towers answer `image_embeds` and `text_embeds`. The text vector is taken at
// the first end token; exports that declare an attention mask are given one.

export const clip = towers({
  pictureOutputs: ['image_embeds'],
  textOutputs: ['text_embeds'],
  mask: true,
});

// SigLIP and SigLIP 2 with a fixed picture size: both towers answer `pooler_output`. The text vector is taken
// at the last position, so a text is always padded to the full length, and the graph takes no mask.

export const siglip = towers({
  pictureOutputs: ['pooler_output', 'image_embeds'],
  textOutputs: ['pooler_output', 'text_embeds'],
  mask: false,
});

// The family of starter-visual: its picture graph is built by code when it is opened; texts need no graph.

const PICTURE_BYTES = PICTURE_SIDE * PICTURE_SIDE * 3;

export const starterFamily: Family = {
  open: async (row, _file, openSession, _checkpoint, sides = 'both'): Promise<VisualFamily> => {
    const { shape, dimensions, batch } = row.visual;
    if (shape.width !== PICTURE_SIDE || shape.height !== PICTURE_SIDE || dimensions !== DIMENSIONS) {
      throw modelErrors.MODEL_INVALID(
        `${row.key}: the starter graph takes ${PICTURE_SIDE}x${PICTURE_SIDE} and gives ${DIMENSIONS} dimensions`,
      );
    }
    const session = sides === 'texts' ? null : await openSession(buildStarterVisual());
    // One buffer for all batches: a run reads it before the next one fills it.
    const pixels = new Uint8Array(batch * PICTURE_BYTES);
    return {
      dimensions: DIMENSIONS,
      batch,
      // It knows where in the frame things are, so a part of a picture is another picture to it.
      readings: ['plain', 'mirrored', 'middle', 'top_left', 'top_right', 'bottom_left', 'bottom_right'],
      mirror: mirrorOrder(),
      runsOn: session ?? onProcessor,
      pictures: async (pictures) => {
        if (!session) throw modelErrors.MODEL_RUN_FAILED(`${row.key}: is not open for pictures`);
        pictures.forEach((picture, i) => {
          if (picture.length !== PICTURE_BYTES) {
            throw modelErrors.MODEL_RUN_FAILED(`${row.key}: a picture of ${picture.length} bytes`);
          }
          pixels.set(picture, i * PICTURE_BYTES);
        });
        const data = pixels.subarray(0, pictures.length * PICTURE_BYTES);
        const dims = [pictures.length, PICTURE_SIDE, PICTURE_SIDE, 3];
        const { vector } = await session.run({ pixels: { data, dims } }, ['vector']);
        if (!(vector?.data instanceof Float32Array))
          throw modelErrors.MODEL_RUN_FAILED(`${row.key}: no vector`);
        return vector.data;
      },
      texts: async (texts) => textVectors(texts),
      close: async () => session?.release(),
    };
  },
};

function textVectors(texts: readonly string[]): TextVectors {
  const vectors = new Float32Array(texts.length * DIMENSIONS);
  const unknown: (readonly string[])[] = [];
  const known: boolean[] = [];
  const readings: (readonly string[])[] = [];
  const weak: (readonly string[])[] = [];
  const parts: TextPart[][] = [];
  texts.forEach((text, i) => {
    const { vector, knownWords, unknownWords, weakWords, understood, parts: own } = queryVector(text);
    known.push(understood);
    readings.push(knownWords);
    vectors.set(vector, i * DIMENSIONS);
    unknown.push(unknownWords);
    weak.push(weakWords);
    parts.push(own.map(({ vector: one, negated, isSure }) => ({ vector: one, negated, is_sure: isSure })));
  });
  return {
    ...{ vectors, knownWords: readings, unknownWords: unknown, weakWords: weak, parts },
    understood: known,
  };
}

const families: ReadonlyMap<string, Family> = new Map([
  ['starter', starterFamily],
  ['siglip', siglip],
  ['clip', clip],
]);

/** Throws MODEL_INVALID for a family that no code runs. */
export function familyOf(row: VisualRow): Family {
  const family = families.get(row.family);
  if (family) return family;
  const known = [...families.keys()].join(', ');
  throw modelErrors.MODEL_INVALID(
    `The model "${row.key}" is of the family "${row.family}"; there is ${known}`,
    {
      key: row.key,
    },
  );
}
