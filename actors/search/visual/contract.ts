// How sure a match of pictures is, as searches say it.
import { type Static, Type } from 'typebox';
import { described, named, nullable, oneOf } from '../../../runtime/schema.ts';
import { ThingBox } from '../../things/contract.ts';

export const Band = described(
  oneOf('strong', 'likely', 'weak'),
  'How far it stands out from the rest of what is loaded: `strong` is right 9 times in 10 with the starter, as measured.',
);
export type Band = Static<typeof Band>;

/** The least sure one first. */
export const bandOrder: readonly Band[] = ['weak', 'likely', 'strong'];

export function isAtLeast(band: Band, least: Band): boolean {
  return bandOrder.indexOf(band) >= bandOrder.indexOf(least);
}

/** Matches that are looked at where the less sure ones are left out. */
export const leftOutOf = 10_000;

export const NotUnderstood = Type.Object({
  words: described(
    Type.Array(Type.String()),
    'Words of the query and of `exclude` that nothing in use understands; empty where they are only found roughly.',
  ),
  model_keys: described(
    Type.Array(Type.String()),
    'Models that know more, as POST /models/pull takes them: `sight` for words that are things. Empty where they are there, or none suits this machine.',
  ),
  advice: described(
    nullable(Type.String()),
    'The sentence of `warnings` that says what would help, as commands; null where nothing would.',
  ),
});
export type NotUnderstood = Static<typeof NotUnderstood>;

/** Of answers. */
export const Weaker = Type.Optional(
  described(
    Type.Integer({ minimum: 0 }),
    'With `min_band` alone: matches that are left out because they are less sure, among the best 10,000.',
  ),
);
const TextBand = Type.Object({ part: described(oneOf('text'), 'The words.'), band: Band });
const PictureBand = Type.Object({ part: described(oneOf('picture'), 'The picture.'), band: Band });
const SeenThing = Type.Object({
  class: described(Type.String(), 'What it is: a class of COCO.'),
  score: described(Type.Number(), 'Of the detector, 0 to 1, where it is seen best.'),
  box: described(ThingBox, 'Left, top, width and height there, relative to the picture.'),
  start_seconds: described(Type.Number(), 'When it comes to that place.'),
  end_seconds: described(Type.Number(), 'When it leaves it.'),
});
const ThingsBand = Type.Object({
  part: described(oneOf('things'), 'The things that the query names, as a detector has seen them.'),
  band: Band,
  boxes: Type.Optional(
    described(
      Type.Array(named('SeenThing', SeenThing)),
      'Those of them that are seen in the second of the match, best first; left out where there are none.',
    ),
  ),
});
const ExcludeEffect = Type.Object({
  part: described(oneOf('exclude'), 'One of what is excluded.'),
  text: described(Type.String(), 'As it was sent.'),
  effect: described(oneOf('none', 'lowered'), '`lowered`: the match resembles it, and lost by that.'),
});
export const Explanation = Type.Object({
  band: described(Band, 'Of the match as a whole: of the lower of its parts, less what `exclude` takes.'),
  parts: described(
    Type.Array(
      Type.Union([
        named('TextBand', TextBand),
        named('PictureBand', PictureBand),
        named('ThingsBand', ThingsBand),
        named('ExcludeEffect', ExcludeEffect),
      ]),
    ),
    'The words, the picture, and each of `exclude`, as far as they were asked for.',
  ),
});
export type Explanation = Static<typeof Explanation>;
