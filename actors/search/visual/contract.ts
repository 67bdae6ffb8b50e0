// How sure a match of pictures is, as searches say it.
import { type Static, Type } from 'typebox';
import { defaulted, described, named, nullable, oneOf, optional } from '../../../runtime/schema.ts';
import { ThingBox } from '../../things/contract.ts';

export const Band = described(
  oneOf('strong', 'likely', 'weak'),
  'How clearly the match stands out from the other loaded data. `strong` is right 9 times in 10 with ' +
    'the starter model, as measured.',
);
export type Band = Static<typeof Band>;

/** Field of requests: adds to each match how sure it is. */
export const explain = defaulted(
  described(
    Type.Boolean(),
    'Adds an `explanation` to each match found by its pictures. It has bands instead of scores, measured ' +
      'against the background of the loaded data.',
  ),
  false,
);

export const min_band = described(
  optional(Band),
  'Return only matches with at least this certainty, out of the best 10,000; `weaker` counts the ' +
    'others. Matches without a band, such as words that are said, are always returned. If omitted, all ' +
    'matches are returned.',
);

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
    'Words of the query and of `exclude` that no model in use understands; empty if they can be found ' +
      'only roughly.',
  ),
  model_keys: described(
    Type.Array(Type.String()),
    'Models that understand more, for use in POST /models/pull; `sight` for words that name things. ' +
      'Empty if they are already downloaded or none runs on this machine.',
  ),
  advice: described(
    nullable(Type.String()),
    'A sentence with the commands that would help; null if there are none.',
  ),
});
export type NotUnderstood = Static<typeof NotUnderstood>;

export const MaybeNotUnderstood = Type.Optional(
  described(
    named('NotUnderstood', NotUnderstood),
    'What the search did not understand; returned if words are not understood or can be found only roughly.',
  ),
);

export const Weaker = Type.Optional(
  described(
    Type.Integer({ minimum: 0 }),
    'Number of matches that were omitted because they are less certain, among the best 10,000. Returned ' +
      'only with `min_band`.',
  ),
);
const TextBand = Type.Object({ part: described(oneOf('text'), 'The words.'), band: Band });
const PictureBand = Type.Object({ part: described(oneOf('picture'), 'The picture.'), band: Band });
const SeenThing = Type.Object({
  class: described(Type.String(), 'Class of the thing, from COCO.'),
  score: described(Type.Number(), 'Score of the detector where the thing is seen best, from 0 to 1.'),
  box: described(
    ThingBox,
    'Left, top, width and height of the thing in that picture, relative to the picture.',
  ),
  start_seconds: described(Type.Number(), 'When the thing arrives in its place.'),
  end_seconds: described(Type.Number(), 'When the thing leaves its place.'),
});
const ThingsBand = Type.Object({
  part: described(oneOf('things'), 'Things named in the query that a detector has found.'),
  band: Band,
  boxes: Type.Optional(
    described(
      Type.Array(named('SeenThing', SeenThing)),
      'The things that are visible in the second of the match, best first; omitted if there are none.',
    ),
  ),
});
const ExcludeEffect = Type.Object({
  part: described(oneOf('exclude'), 'One of the excluded texts.'),
  text: described(Type.String(), 'The text as it was sent.'),
  effect: described(
    oneOf('none', 'lowered'),
    '`lowered`: the match resembles this text and was ranked lower.',
  ),
});
export const Explanation = Type.Object({
  band: described(
    Band,
    'Band of the match as a whole: the lowest of its parts, reduced by what `exclude` matches.',
  ),
  parts: described(
    Type.Array(
      Type.Union([
        named('TextBand', TextBand),
        named('PictureBand', PictureBand),
        named('ThingsBand', ThingsBand),
        named('ExcludeEffect', ExcludeEffect),
      ]),
    ),
    'Parts of the query: the words, the picture, and each text of `exclude`, as far as they were given.',
  ),
});
export type Explanation = Static<typeof Explanation>;
