// RF-DETR: the pixels that it is given, and the boxes that its queries answer. Source: roboflow/rf-detr. Each
// query is one thing or none, so that no boxes are dropped because they overlap.
import { modelErrors } from '../models/contract.ts';
import { argmax } from '../models/session.ts';
import { mostSide } from './contract.ts';
import { type Detection, leastScore, type ObjectDetectorFamily, type Outputs } from './family.ts';

/** Logits of a query: one for each category id of COCO, 0 to 90. */
const ids = 91;
/** Ids that COCO gave to no class of its detection task. */
const unused = new Set([0, 12, 26, 29, 30, 45, 66, 68, 69, 71, 83]);
/** Positions in `classNames` by id; -1 for those without a class. */
const labels = Array.from({ length: ids }, (_, id) =>
  unused.has(id) ? -1 : id - [...unused].filter((unusedId) => unusedId <= id).length,
);

/** Names of the outputs in exports of transformers, and of the package rfdetr. */
const outputs = { boxes: ['pred_boxes', 'dets'], logits: ['logits', 'labels'] } as const;

/** Mean and deviation of red, green and blue in ImageNet, of values from 0 to 1. */
const normal = [
  [0.485, 0.229],
  [0.456, 0.224],
  [0.406, 0.225],
] as const;
const tables = normal.map(([mean, deviation]) =>
  Float32Array.from({ length: 256 }, (_, value) => (value / 255 - mean) / deviation),
);

/** `side`: of the picture, px. Throws MODEL_INVALID where pictures are never so large. */
export function rfDetr(side: number, key: string): ObjectDetectorFamily {
  if (side < 32 || side > mostSide) {
    const message = `The model "${key}" takes pictures of ${side} px (frame_resolution), not of 32 to ${mostSide}`;
    throw modelErrors.MODEL_INVALID(message, { key });
  }
  return {
    side,
    fit: 'stretch',
    outputs: Object.values(outputs),
    isConvolutional: false,
    eightBits: null,
    fillInput: ({ data, width, height }, planes) => {
      for (let y = 0; y < side; y++) {
        const row = Math.floor((y * height) / side) * width;
        for (let x = 0; x < side; x++) {
          const from = 3 * (row + Math.floor((x * width) / side));
          for (const [plane, table] of tables.entries())
            planes[(plane * side + y) * side + x] = table[data[from + plane]!]!;
        }
      }
    },
    detectionsOf: (answer) => detectionsOf(answer, key),
  };
}

function detectionsOf(answer: Outputs, key: string): Detection[] {
  const boxes = valuesOf(answer, outputs.boxes);
  const logits = valuesOf(answer, outputs.logits);
  const queries = boxes.length / 4;
  if (logits.length !== queries * ids) {
    const message = `The model "${key}" answers ${logits.length} logits for ${queries} boxes, not ${ids} for each`;
    throw modelErrors.MODEL_RUN_FAILED(message, { key });
  }
  const detections: Detection[] = [];
  for (let query = 0; query < queries; query++) {
    const best = argmax(logits, query * ids, (query + 1) * ids);
    const score = 1 / (1 + Math.exp(-logits[query * ids + best]!));
    const label = labels[best]!;
    // False for what is no number.
    if (!(score >= leastScore) || label < 0) continue;
    const box = boxWithin(boxes.subarray(query * 4, query * 4 + 4));
    if (box[2] > 0 && box[3] > 0) detections.push({ label, score, box });
  }
  return detections.sort((a, b) => b.score - a.score);
}

function valuesOf(answer: Outputs, names: readonly string[]): Float32Array {
  const name = names.find((candidate) => answer[candidate] !== undefined);
  return answer[name!]!.data as Float32Array;
}

/** From the middle, width and height of a box, in shares of the picture. */
function boxWithin([x = 0, y = 0, width = 0, height = 0]: Float32Array): Detection['box'] {
  const within = (value: number) => Math.min(1, Math.max(0, value));
  const [left, top] = [within(x - width / 2), within(y - height / 2)];
  return [left, top, within(x + width / 2) - left, within(y + height / 2) - top];
}
