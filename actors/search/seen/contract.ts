// What detectors have seen in one media file: things, shot sizes, printed lines.
import { type Static, Type } from 'typebox';
import { described, named, nullable, oneOf } from '../../../runtime/schema.ts';
import { ShotSize } from '../../index/things/contract.ts';
import { ThingClass } from '../../things/contract.ts';

const Seconds = { start_seconds: Type.Number(), end_seconds: Type.Number() };

const SeenClass = Type.Object({
  class: described(ThingClass, 'Of the 80 classes of COCO.'),
  measured: described(
    Type.Boolean(),
    'Whether it was measured how often the class is right; only such classes count in `things.seen`.',
  ),
  score: described(Type.Number({ minimum: 0, maximum: 1 }), 'Where it is seen best.'),
  ranges: described(
    Type.Array(Type.Tuple([Type.Number(), Type.Number()])),
    'Half-open, in seconds: when at least one is seen.',
  ),
});

const SeenShot = Type.Object({
  size: described(
    ShotSize,
    'How large the people are that are shown: `close_up` down to the chest, `medium` down to the waist or the knees, `wide` whole or smaller.',
  ),
  ...Seconds,
});

const SeenLine = Type.Object({
  text: Type.String(),
  score: described(
    Type.Number({ minimum: 0, maximum: 1 }),
    'How well it was read; below .9 it is uncertain.',
  ),
  ...Seconds,
});

const looked = (what: string) =>
  described(
    nullable(oneOf('file', 'previews')),
    `In what ${what} were looked for: the file itself, or its stored previews; null where nobody looked.`,
  );

export const SeenAnswer = Type.Object({
  hash_str: Type.String(),
  media_path: Type.String(),
  things_from: looked('things'),
  things: described(
    Type.Array(named('SeenClass', SeenClass)),
    'With a score of .6 or more; what is seen longest comes first.',
  ),
  shots: described(
    Type.Array(named('SeenShot', SeenShot)),
    'In the order of time, from the boxes of people and faces; nothing where nobody is seen.',
  ),
  lines_from: looked('printed words'),
  lines: described(Type.Array(named('SeenLine', SeenLine)), 'In the order of time.'),
});
export type SeenAnswer = Static<typeof SeenAnswer>;
