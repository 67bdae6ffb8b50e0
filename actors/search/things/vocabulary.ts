// The English words for things, and those for their colours, places, sizes and numbers. German ones are in
// actors/models/german/. Plurals are found by question.ts where the language makes them by a rule; others
// stand here.
import type { Thing } from '../../things/contract.ts';

type ClassName = Thing['class'];

/**
 * One class, or several that a word is the whole of. `narrower`: words for a part of the class, all of which
 * is found for them as weak matches. Several spellings are separated by commas.
 */
export const thingWords: readonly (readonly [
  classes: readonly ClassName[],
  words: string,
  narrower?: string,
])[] = [
  [
    ['person'],
    'person, people, human, pedestrian',
    'man, men, woman, women, boy, girl, child, children, kid, baby, guy, lady',
  ],
  [['bicycle'], 'bicycle, bike, cycle, push bike'],
  [['car'], 'car, automobile', 'sedan, sports car, suv'],
  [['motorcycle'], 'motorcycle, motorbike', 'moped, scooter'],
  [['airplane'], 'airplane, aeroplane, plane, aircraft', 'jet'],
  [['bus'], 'bus, buses, coach'],
  [['train'], 'train', 'tram, locomotive, railway carriage'],
  [['truck'], 'truck, lorry, lorries', 'van, pickup, pickup truck'],
  [['boat'], 'boat, ship', 'sailboat, yacht, ferry, canoe, kayak'],
  [['traffic light'], 'traffic light, stoplight, traffic signal'],
  [['fire hydrant'], 'fire hydrant, hydrant'],
  [['stop sign'], 'stop sign'],
  [['parking meter'], 'parking meter'],
  [['bench'], 'bench, benches, park bench'],
  [['bird'], 'bird', 'gull, seagull, pigeon, duck, swan, goose, geese, owl, eagle'],
  [['cat'], 'cat', 'kitten'],
  [['dog'], 'dog', 'puppy, puppies'],
  [['horse'], 'horse', 'pony, ponies, foal'],
  [['sheep'], 'sheep', 'lamb'],
  [['cow'], 'cow, cattle', 'calf, calves, bull'],
  [['elephant'], 'elephant'],
  [['bear'], 'bear'],
  [['zebra'], 'zebra'],
  [['giraffe'], 'giraffe'],
  [['backpack'], 'backpack'],
  [['umbrella'], 'umbrella', 'parasol'],
  [['handbag'], 'handbag, purse, bag'],
  [['tie'], 'tie, necktie'],
  [['suitcase'], 'suitcase, luggage'],
  [['frisbee'], 'frisbee'],
  [['skis'], 'ski, skis, skier'],
  [['snowboard'], 'snowboard'],
  [['sports ball'], 'ball, sports ball', 'football, soccer ball, basketball, tennis ball'],
  [['kite'], 'kite'],
  [['baseball bat'], 'baseball bat'],
  [['baseball glove'], 'baseball glove'],
  [['skateboard'], 'skateboard'],
  [['surfboard'], 'surfboard'],
  [['tennis racket'], 'tennis racket, tennis racquet, racket'],
  [['bottle'], 'bottle'],
  [['wine glass'], 'wine glass, wineglass'],
  [['cup'], 'cup, mug, coffee cup, tea cup'],
  [['fork'], 'fork'],
  [['knife'], 'knife, knives'],
  [['spoon'], 'spoon'],
  [['bowl'], 'bowl'],
  [['banana'], 'banana'],
  [['apple'], 'apple'],
  [['sandwich'], 'sandwich, sandwiches'],
  [['orange'], 'oranges, an orange'],
  [['broccoli'], 'broccoli'],
  [['carrot'], 'carrot'],
  [['hot dog'], 'hot dog'],
  [['pizza'], 'pizza'],
  [['donut'], 'donut, doughnut'],
  [['cake'], 'cake'],
  [['chair'], 'chair', 'armchair, stool'],
  [['couch'], 'couch, sofa, settee'],
  [['potted plant'], 'potted plant, pot plant, houseplant, house plant'],
  [['bed'], 'bed'],
  [['dining table'], 'table, dining table'],
  [['toilet'], 'toilet'],
  [['tv'], 'tv, television, tv set, monitor, screen'],
  [['laptop'], 'laptop, notebook computer, notebook'],
  [['mouse'], 'computer mouse'],
  [['remote'], 'remote control'],
  [['keyboard'], 'keyboard'],
  [['cell phone'], 'phone, cell phone, mobile phone, smartphone, telephone'],
  [['microwave'], 'microwave'],
  [['oven'], 'oven, stove'],
  [['toaster'], 'toaster'],
  [['sink'], 'sink, washbasin'],
  [['refrigerator'], 'refrigerator, fridge'],
  [['book'], 'book'],
  [['clock'], 'clock'],
  [['vase'], 'vase'],
  [['scissors'], 'scissors'],
  [['teddy bear'], 'teddy bear, teddy'],
  [['hair drier'], 'hair drier, hair dryer, hairdryer'],
  [['toothbrush'], 'toothbrush, toothbrushes'],
  // Wholes.
  [['car', 'motorcycle', 'bus', 'truck', 'train', 'bicycle', 'boat', 'airplane'], 'vehicle, traffic'],
  [
    ['bird', 'cat', 'dog', 'horse', 'sheep', 'cow', 'elephant', 'bear', 'zebra', 'giraffe'],
    'animal, wildlife',
  ],
  [['cat', 'dog'], 'pet'],
  [['chair', 'couch', 'bed', 'dining table'], 'furniture'],
  [['banana', 'apple', 'orange'], 'fruit, fruits'],
  [
    ['banana', 'apple', 'sandwich', 'orange', 'broccoli', 'carrot', 'hot dog', 'pizza', 'donut', 'cake'],
    'food',
  ],
  [['bottle', 'wine glass', 'cup'], 'drink'],
  [['fork', 'knife', 'spoon'], 'cutlery'],
];

/** Least number of persons that form a crowd. */
export const crowd = { words: 'crowd, crowds, group of people', least: 5 };

export const numberWords: Readonly<Record<number, string>> = {
  1: '1, one, single',
  2: '2, two, pair of, couple of',
  3: '3, three',
  4: '4, four',
  5: '5, five',
  6: '6, six',
};
/** At least so many. */
export const several = {
  words: 'several, many, lots of, a lot of, herd of, herds of, flock of, flocks of',
  least: 3,
};

export const thingColours: Readonly<Record<Thing['colours'][number]['colour'], string>> = {
  black: 'black',
  white: 'white',
  grey: 'grey, gray, silver',
  red: 'red',
  orange: 'orange',
  yellow: 'yellow, golden',
  green: 'green',
  cyan: 'cyan, turquoise',
  blue: 'blue, navy',
  purple: 'purple, violet',
  pink: 'pink',
  brown: 'brown, beige',
};

export const thingPlaces = {
  left: 'on the left, at the left, to the left, on the left side, left',
  right: 'on the right, at the right, to the right, on the right side, right',
  top: 'at the top, above',
  bottom: 'at the bottom, below',
  centre: 'in the middle, in the centre, in the center, centered',
} as const;

export const farAway = 'in the distance, far away, distant';

/** Shot sizes of persons in film makers' terms; for other things the share of the picture that they fill. */
export const shotWords = {
  close_up:
    'close up of, close-up of, closeup of, close up shot of, close-up shot of, close up, close-up, closeup, ' +
    'close up shot, close-up shot',
  medium: 'medium shot of, mid shot of, medium shot, mid shot, mid-shot',
  wide: 'wide shot of, long shot of, full shot of, wide shot, long shot, full shot',
} as const;

export const negations = 'no, not, without';

/** Between a number or a colour and its thing, and before it, they say nothing. */
export const fillers = 'a, an, the, any, some, of, with, in, and, kind of, kinds of';
