// The object detector finds the things in a picture, of the classes of COCO, with the colours of each.
import { type Static, Type } from 'typebox';
import { ask, Bytes, contract, SlotHandle } from '../../runtime/contract.ts';
import { nullable, oneOf } from '../../runtime/schema.ts';
import { basicColours } from '../models/starter/palette.ts';

// The classes of COCO that detectors are trained on, in the order of their outputs. Source: Lin et al.,
// "Microsoft COCO: Common Objects in Context", 2014; the 80 classes of its detection task.

export const classNames = [
  ...['person', 'bicycle', 'car', 'motorcycle', 'airplane', 'bus', 'train', 'truck', 'boat', 'traffic light'],
  ...['fire hydrant', 'stop sign', 'parking meter', 'bench', 'bird', 'cat', 'dog', 'horse', 'sheep', 'cow'],
  ...[
    'elephant',
    'bear',
    'zebra',
    'giraffe',
    'backpack',
    'umbrella',
    'handbag',
    'tie',
    'suitcase',
    'frisbee',
  ],
  ...[
    'skis',
    'snowboard',
    'sports ball',
    'kite',
    'baseball bat',
    'baseball glove',
    'skateboard',
    'surfboard',
  ],
  ...['tennis racket', 'bottle', 'wine glass', 'cup', 'fork', 'knife', 'spoon', 'bowl', 'banana', 'apple'],
  ...['sandwich', 'orange', 'broccoli', 'carrot', 'hot dog', 'pizza', 'donut', 'cake', 'chair', 'couch'],
  ...['potted plant', 'bed', 'dining table', 'toilet', 'tv', 'laptop', 'mouse', 'remote', 'keyboard'],
  ...[
    'cell phone',
    'microwave',
    'oven',
    'toaster',
    'sink',
    'refrigerator',
    'book',
    'clock',
    'vase',
    'scissors',
  ],
  ...['teddy bear', 'hair drier', 'toothbrush'],
] as const;
export type ClassName = (typeof classNames)[number];

/** Longest side of a picture that a detector may take, px: a square of it fills a slot. */
export const mostSide = 512;

const Share = Type.Number({ minimum: 0, maximum: 1 });

export const ThingClass = oneOf(...classNames);

export const ThingColour = oneOf(...basicColours);

/** Left, top, width, height as shares of the picture's width and height. */
export const ThingBox = Type.Tuple([Share, Share, Share, Share]);

export const Thing = Type.Object({
  class: ThingClass,
  /** Score of the detector, 0 to 1. */
  score: Share,
  box: ThingBox,
  /** Most first; empty where no colour is more than a little of it. */
  colours: Type.Array(Type.Object({ colour: ThingColour, share: Share })),
});
export type Thing = Static<typeof Thing>;

/** Things in a picture, and its blocks. */
export const Sight = Type.Object({
  /** Best first. */
  things: Type.Array(Thing),
  /** Mean brightness of the blocks of the picture in rows. */
  blocks: Bytes,
  columns: Type.Integer({ minimum: 1 }),
});
export type Sight = Static<typeof Sight>;

export const ObjectDetector = Type.Object({
  model_key: Type.String(),
  /** cpu, cuda, webgpu, dml, coreml. */
  device: Type.String(),
  /** Why no better device is in use; null where none was refused. */
  device_reason: nullable(Type.String()),
  /** Longest side of the pictures that `find` is given, px. */
  side: Type.Integer({ minimum: 1, maximum: mostSide }),
  /** `inside`: pictures keep their proportions. `stretch`: both sides are made as long as `side`. */
  fit: oneOf('inside', 'stretch'),
});
export type ObjectDetector = Static<typeof ObjectDetector>;

export const thingsContract = contract(
  'things',
  {
    /**
     * Loads the detector that is downloaded; answers at once when it is loaded. NO_OBJECT_DETECTOR, and what
     * opening throws.
     */
    load: ask(Type.Object({}), ObjectDetector),
    unload: ask(Type.Object({}), Type.Object({})),
    /**
     * The things in a picture whose slot holds width×height RGB, of the size that `load` answered. `picture`
     * is *borrowed until answered*. `before`: the answer for the picture before it of the same film, which is
     * answered again where this one looks as that did. MODEL_NOT_LOADED, MODEL_RUN_FAILED.
     */
    find: ask(
      Type.Object({
        model_key: Type.String(),
        picture: SlotHandle,
        width: Type.Integer({ minimum: 1, maximum: mostSide }),
        height: Type.Integer({ minimum: 1, maximum: mostSide }),
        before: nullable(Sight),
      }),
      Sight,
    ),
  },
  { concurrency: 4, turnLimitMs: 300_000 },
);
