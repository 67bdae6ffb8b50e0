// Queries of the mixed set, and how well they have to be answered.
import type { Claim } from './set.ts';

/** Kinds with random colours, which may be any colour. */
const random = [
  'cluttered',
  'vivid',
  'symmetrical',
  'bright',
  'dark',
  'blurred',
  'plain',
  'room',
  'horizontal stripes',
  'vertical stripes',
  'diagonal stripes',
  'checker',
  'face',
  'title',
];
const places = ['top', 'bottom', 'left', 'right', 'centre'];
const anywhere = (name: string) => places.map((place) => `${name} ${place}`);
const underSky = ['sky over land', 'sea', 'beach', 'desert', 'grass', 'snow'];

function colour(query: string, kinds: readonly string[], also: readonly string[] = []): Claim {
  return { query, kinds, also: [...also, ...random], bar: 0.95 };
}

const colourClaims: readonly Claim[] = [
  colour('red', ['red', 'dark red', ...anywhere('red')], ['red', 'dark red', 'sunset', 'fire']),
  colour('orange', ['orange'], ['orange', 'gold', 'sunset', 'fire']),
  colour('yellow', ['yellow', 'gold'], ['yellow', 'gold', 'orange', 'fire', 'sunset']),
  colour(
    'green',
    ['green', 'dark green', 'light green', 'foliage', 'forest', 'grass', ...anywhere('green')],
    ['green', 'olive', 'turquoise', 'sky over land', 'overcast'],
  ),
  colour(
    'blue',
    ['blue', 'dark blue', 'light blue', 'blue sky', ...anywhere('blue')],
    ['blue', 'turquoise', 'lavender', 'night', 'city lights', 'overcast', 'fog', ...underSky],
  ),
  colour('purple', ['purple', 'lavender'], ['purple', 'magenta', 'sunset', 'night', 'city lights']),
  colour('pink', ['pink'], ['pink', 'magenta', 'lavender', 'dark red']),
  colour(
    'brown',
    ['brown'],
    [
      'brown',
      'beige',
      'gold',
      'olive',
      'dark red',
      'orange',
      'street',
      'forest',
      'foliage',
      'sky over land',
      'overcast',
      'beach',
      'desert',
      'fire',
      'sunset',
      'sepia',
    ],
  ),
  colour(
    'black',
    ['black', 'night', 'city lights'],
    ['black', 'dark blue', 'dark green', 'sunset', 'fire', 'forest', 'foliage', 'sepia', 'colourless'],
  ),
  colour(
    'white',
    ['white', 'document'],
    ['white', 'beige', 'lavender', 'snow', 'colourless', 'sepia', 'blue sky'],
  ),
  colour(
    'grey',
    ['grey', 'overcast', 'fog', 'street', 'colourless'],
    ['grey', 'snow', 'sea', 'grass', 'sky over land', 'sepia'],
  ),
  colour('dark blue', ['dark blue'], ['dark blue', 'night', 'city lights']),
  colour('navy', ['dark blue'], ['dark blue', 'blue', 'night', 'city lights', 'sea']),
  colour('light blue', ['light blue', 'blue sky'], ['light blue', 'turquoise', ...underSky]),
  colour('dark green', ['dark green'], ['dark green', 'green', 'foliage', 'forest', 'sky over land', 'snow']),
  colour('pale green', ['light green'], ['light green']),
  colour('dark red', ['dark red'], ['dark red', 'red']),
  colour('turquoise', ['turquoise'], ['turquoise', 'beach']),
  colour('beige', ['beige'], ['beige', 'beach', 'desert', 'document', 'sepia']),
  colour('golden', ['gold'], ['gold', 'yellow', 'orange', 'sunset', 'fire']),
  colour(
    'olive green',
    ['olive'],
    ['olive', 'green', 'dark green', 'foliage', 'forest', 'grass', 'sky over land', 'overcast'],
  ),
  colour('lavender', ['lavender'], ['lavender']),
  colour('magenta', ['magenta'], ['magenta', 'purple']),
  ...['red', 'blue', 'green'].flatMap((name) =>
    places.map((place) =>
      colour(
        place === 'centre' ? `${name} in the middle` : `${name} at the ${place}`,
        [`${name} ${place}`],
        // A thing of the colour lies anywhere, and a backdrop may fade into it.
        [
          name,
          `dark ${name}`,
          `light ${name}`,
          'turquoise',
          'olive',
          ...underSky,
          'blue sky',
          'overcast',
          'foliage',
          'forest',
          'night',
          'city lights',
          ...random,
        ].filter((also) => also !== name),
      ),
    ),
  ),
];

const lightClaims: readonly Claim[] = [
  {
    query: 'bright',
    kinds: ['bright', 'snow', 'document'],
    also: ['white', 'yellow', 'beige', 'fog', 'plain', 'light blue', 'blue sky'],
    bar: 0.9,
  },
  {
    query: 'dark',
    kinds: ['dark', 'night', 'city lights', 'title'],
    also: ['black', 'fire', 'dark blue', 'dark green', 'dark red', 'brown', 'plain'],
    bar: 0.95,
  },
  {
    query: 'black and white',
    kinds: ['colourless'],
    also: [
      'fog',
      'overcast',
      'street',
      'grey',
      'black',
      'white',
      'night',
      'document',
      'title',
      'plain',
      'snow',
      'city lights',
    ],
    bar: 0.95,
  },
  {
    query: 'sepia',
    kinds: ['sepia'],
    also: ['desert', 'document', 'plain', 'room', 'brown', 'beige'],
    bar: 0.9,
  },
  {
    query: 'colourful',
    kinds: ['cluttered', 'vivid'],
    also: ['red', 'orange', 'yellow', 'green', 'blue', 'purple', 'pink', 'magenta', 'turquoise'],
    bar: 0.9,
  },
  {
    query: 'vivid',
    kinds: ['vivid'],
    also: ['red', 'orange', 'yellow', 'green', 'blue', 'purple', 'pink', 'magenta', 'turquoise', 'cluttered'],
    bar: 0.9,
  },
  {
    query: 'warm colours',
    kinds: ['sunset', 'fire', 'orange', 'gold'],
    also: ['red', 'orange', 'brown', 'yellow', 'pink', 'gold', 'beige', 'sepia', ...random],
    bar: 0.9,
  },
  {
    query: 'cold',
    kinds: ['sea', 'blue sky', 'blue', 'blue top', 'blue bottom'],
    also: ['blue', 'turquoise', 'light blue', 'dark blue', 'sky over land', ...random],
    bar: 0.9,
  },
  { query: 'out of focus', kinds: ['blurred'], also: ['fog'], bar: 0.9 },
  {
    query: 'busy',
    kinds: ['cluttered', 'forest', 'foliage'],
    also: ['checker', 'document', 'street', 'horizontal stripes', 'vertical stripes', 'diagonal stripes'],
    bar: 0.9,
  },
  { query: 'plain', kinds: ['plain'], also: ['fog', 'blue sky', 'overcast'], bar: 0.9 },
  { query: 'stripes', kinds: ['horizontal stripes', 'vertical stripes', 'diagonal stripes'], bar: 0.95 },
  { query: 'horizontal stripes', kinds: ['horizontal stripes'], bar: 0.95 },
  { query: 'vertical stripes', kinds: ['vertical stripes'], bar: 0.95 },
  { query: 'diagonal stripes', kinds: ['diagonal stripes'], bar: 0.95 },
  { query: 'checkered', kinds: ['checker'], also: ['document', 'title', 'street'], bar: 0.95 },
  {
    query: 'symmetrical',
    kinds: ['symmetrical'],
    also: [
      'face',
      'checker',
      'vertical stripes',
      ...anywhere('red'),
      ...anywhere('blue'),
      ...anywhere('green'),
    ],
    bar: 0.9,
  },
];

const sceneClaims: readonly Claim[] = [
  {
    query: 'blue sky',
    kinds: ['blue sky', 'sky over land'],
    also: ['light blue', 'blue', ...underSky],
    bar: 0.9,
  },
  {
    query: 'sky',
    kinds: ['blue sky', 'sky over land', 'overcast'],
    also: ['light blue', 'blue', 'street', 'fog', ...underSky],
    bar: 0.9,
  },
  { query: 'cloudy', kinds: ['overcast'], also: ['street', 'fog', 'blue sky', ...underSky], bar: 0.85 },
  { query: 'sea', kinds: ['sea'], also: ['beach'], bar: 0.9 },
  { query: 'forest', kinds: ['forest', 'foliage'], bar: 0.9 },
  { query: 'foliage', kinds: ['foliage', 'forest'], also: ['grass'], bar: 0.9 },
  { query: 'grass', kinds: ['grass'], also: ['green bottom', 'foliage', 'forest'], bar: 0.9 },
  { query: 'snow', kinds: ['snow'], also: ['white', 'bright'], bar: 0.9 },
  { query: 'sand', kinds: ['beach', 'desert'], also: ['beige'], bar: 0.9 },
  { query: 'beach', kinds: ['beach'], also: ['desert'], bar: 0.9 },
  { query: 'desert', kinds: ['desert'], also: ['beach'], bar: 0.9 },
  { query: 'at night', kinds: ['night', 'city lights'], also: ['dark', 'title', 'fire'], bar: 0.95 },
  { query: 'city lights', kinds: ['city lights'], also: ['night'], bar: 0.9 },
  { query: 'sunset', kinds: ['sunset'], bar: 0.9 },
  { query: 'fire', kinds: ['fire'], bar: 0.9 },
  { query: 'face', kinds: ['face'], bar: 0.85 },
  { query: 'document', kinds: ['document'], bar: 0.9 },
  { query: 'text', kinds: ['document', 'title'], also: ['checker'], bar: 0.85 },
  { query: 'fog', kinds: ['fog'], also: ['overcast', 'plain'], bar: 0.9 },
  {
    query: 'landscape',
    kinds: ['sky over land', 'grass', 'desert', 'beach'],
    also: ['sea', 'snow', 'overcast', 'sunset', 'blue sky'],
    bar: 0.85,
  },
];

export const claims: readonly Claim[] = [...colourClaims, ...lightClaims, ...sceneClaims];
