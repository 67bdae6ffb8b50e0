// Queries of the table: words within the powers of starter-visual, and what a right answer shows.

export interface TestQuery {
  readonly kind:
    | 'colour'
    | 'colour at a place'
    | 'light'
    | 'texture'
    | 'layout'
    | 'scene'
    | 'negation'
    | 'two words';
  readonly query: string;
  /** A right picture shows all of these … */
  readonly all: readonly string[];
  /** … and surely none of these. */
  readonly none?: readonly string[];
}

const each = (kind: TestQuery['kind'], entries: Readonly<Record<string, string>>): TestQuery[] =>
  Object.entries(entries).map(([query, tag]) => ({ kind, query, all: [tag] }));

export const queries: readonly TestQuery[] = [
  ...each('colour', {
    red: 'red',
    'an orange picture': 'orange',
    yellow: 'yellow',
    green: 'green',
    'mostly blue': 'blue',
    purple: 'purple',
    'something pink': 'pink',
    brown: 'brown',
    black: 'black',
    white: 'white',
    grey: 'grey',
  }),
  ...each('colour at a place', {
    'red on the left': 'red left',
    'red on the right': 'red right',
    'red at the top': 'red top',
    'blue at the bottom': 'blue bottom',
    'blue in the middle': 'blue centre',
    'yellow on the left': 'yellow left',
    'yellow at the top': 'yellow top',
    'yellow in the centre': 'yellow centre',
  }),
  ...each('light', {
    bright: 'bright',
    'dark picture': 'dark',
    'black and white': 'colourless',
    sepia: 'sepia',
    'vivid colours': 'vivid',
    pastel: 'pastel',
    'out of focus': 'blurred',
    silhouette: 'backlit',
  }),
  ...each('texture', {
    stripes: 'stripes',
    'horizontal stripes': 'horizontal stripes',
    'vertical stripes': 'vertical stripes',
    'diagonal stripes': 'diagonal stripes',
    grid: 'grid',
    checkerboard: 'checker',
    'brick wall': 'brick wall',
    'rough texture': 'textured',
    stone: 'rock',
  }),
  ...each('layout', { cluttered: 'busy', 'plain background': 'plain', symmetrical: 'symmetrical' }),
  ...each('scene', {
    'blue sky': 'blue sky',
    cloudy: 'overcast',
    clouds: 'clouds',
    sea: 'water',
    underwater: 'underwater',
    forest: 'forest',
    leaves: 'foliage',
    grass: 'grass',
    snow: 'snow',
    beach: 'beach',
    sand: 'sand',
    desert: 'desert',
    'at night': 'night',
    'city lights': 'city lights',
    'starry sky': 'stars',
    sunset: 'sunset',
    fire: 'fire',
    fog: 'fog',
    landscape: 'landscape',
    'page of text': 'document',
    face: 'face',
    text: 'text',
  }),
  { kind: 'negation', query: 'beach, not sunset', all: ['beach'], none: ['sunset'] },
  { kind: 'negation', query: 'sunset, not the sea', all: ['sunset'], none: ['water'] },
  { kind: 'negation', query: 'night without city lights', all: ['night'], none: ['city lights'] },
  { kind: 'negation', query: 'snow, no blue sky', all: ['snow'], none: ['blue sky'] },
  { kind: 'negation', query: 'grass, no sky', all: ['grass'], none: ['blue sky', 'clouds'] },
  { kind: 'negation', query: 'stripes, not vertical', all: ['stripes'], none: ['vertical stripes'] },
  { kind: 'negation', query: 'sand, not desert', all: ['sand'], none: ['desert'] },
  { kind: 'two words', query: 'sunset over the sea', all: ['sunset over water'] },
  { kind: 'two words', query: 'green grass under a blue sky', all: ['grass under sky'] },
  { kind: 'two words', query: 'red stripes', all: ['stripes', 'red'] },
  { kind: 'two words', query: 'stars at night', all: ['stars', 'night'] },
  { kind: 'two words', query: 'grey stone', all: ['rock', 'grey'] },
  { kind: 'two words', query: 'beach and blue sky', all: ['beach', 'blue sky'] },
  { kind: 'two words', query: 'snow and blue sky', all: ['snow', 'blue sky'] },
];

/** 1: right, 0: wrong, null: neither, because it may be said to be right. */
export function judged(
  { all, none = [] }: TestQuery,
  tags: readonly string[],
  maybe: readonly string[],
): 0 | 1 | null {
  const absent = (tag: string) => !tags.includes(tag) && !maybe.includes(tag);
  if (all.some(absent) || none.some((tag) => tags.includes(tag))) return 0;
  return all.every((tag) => tags.includes(tag)) && none.every(absent) ? 1 : null;
}
