// What detectors have seen in one media file: things, shot sizes, printed lines.
import { type Static, Type } from 'typebox';
import { described, field, named, nullable, oneOf } from '../../../runtime/schema.ts';
import { ContentHash, EndSeconds, FilePath, StartSeconds } from '../../index/store/contract.ts';
import { ShotSize } from '../../index/things/contract.ts';
import { ThingClass } from '../../things/contract.ts';

const Seconds = { start_seconds: StartSeconds, end_seconds: EndSeconds };

const SeenClass = Type.Object({
  class: described(ThingClass, 'Class of the things, one of the 80 classes of COCO.'),
  measured: described(
    Type.Boolean(),
    'Whether the accuracy of the class was measured. Only such classes count in `things.seen`.',
  ),
  score: described(Type.Number({ minimum: 0, maximum: 1 }), 'Where the thing is seen best.'),
  ranges: described(
    Type.Array(Type.Tuple([Type.Number(), Type.Number()])),
    'Half-open ranges in seconds in which at least one such thing is visible.',
  ),
});

const SeenShot = Type.Object({
  size: described(
    ShotSize,
    'How large people appear: `close_up` (down to the chest), `medium` (down to the waist or knees), or ' +
      '`wide` (whole or smaller).',
  ),
  ...Seconds,
});

const SeenLine = Type.Object({
  text: field('The visible line of text.', Type.String()),
  score: described(
    Type.Number({ minimum: 0, maximum: 1 }),
    'Certainty of the text recognition; a value below .9 is uncertain.',
  ),
  ...Seconds,
});

const looked = (what: string) =>
  described(
    nullable(oneOf('file', 'previews')),
    `Where ${what} were searched for: in the file itself or in its stored previews; null if they were ` +
      'not searched for.',
  );

export const SeenAnswer = Type.Object({
  hash_str: ContentHash,
  media_path: FilePath,
  things_from: looked('things'),
  things: described(
    Type.Array(named('SeenClass', SeenClass)),
    'Things with a score of .6 or more; those that are visible longest come first.',
  ),
  shots: described(
    Type.Array(named('SeenShot', SeenShot)),
    'Shot sizes in order of time, derived from the boxes of people and faces; empty if nobody is visible.',
  ),
  lines_from: looked('printed words'),
  lines: described(Type.Array(named('SeenLine', SeenLine)), 'Printed lines in order of time.'),
});
export type SeenAnswer = Static<typeof SeenAnswer>;
