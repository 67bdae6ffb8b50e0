// The words for things in English and German, and those for their colours, places, sizes and numbers. Plurals
// are found by question.ts where the language makes them by a rule; others stand here.
import type { Thing } from '../../things/contract.ts';

type ClassName = Thing['class'];

/** One class, or several that a word is the whole of. Several spellings are separated by commas. */
export const thingWords: readonly (readonly [classes: readonly ClassName[], words: string])[] = [
  [
    ['person'],
    'person, people, human, man, men, woman, women, boy, girl, child, children, kid, baby, pedestrian, guy, lady, ' +
      'person, personen, mensch, menschen, leute, mann, männer, frau, frauen, junge, jungen, mädchen, kind, kinder, fußgänger',
  ],
  [['bicycle'], 'bicycle, bike, cycle, push bike, fahrrad, fahrräder, rad'],
  [['car'], 'car, automobile, sedan, sports car, suv, auto, autos, pkw, wagen'],
  [['motorcycle'], 'motorcycle, motorbike, moped, scooter, motorrad, motorräder, roller'],
  [['airplane'], 'airplane, aeroplane, plane, aircraft, jet, flugzeug, flugzeuge'],
  [['bus'], 'bus, buses, coach, busse'],
  [['train'], 'train, tram, locomotive, railway carriage, zug, züge, straßenbahn, lokomotive'],
  [['truck'], 'truck, lorry, lorries, van, pickup, pickup truck, lastwagen, lkw, lieferwagen'],
  [
    ['boat'],
    'boat, ship, sailboat, yacht, ferry, canoe, kayak, boot, boote, schiff, schiffe, segelboot, fähre',
  ],
  [['traffic light'], 'traffic light, stoplight, traffic signal, ampel, ampeln'],
  [['fire hydrant'], 'fire hydrant, hydrant, hydranten'],
  [['stop sign'], 'stop sign, stoppschild, stoppschilder'],
  [['parking meter'], 'parking meter, parkuhr, parkuhren'],
  [['bench'], 'bench, benches, park bench, parkbank, sitzbank'],
  [
    ['bird'],
    'bird, gull, seagull, pigeon, duck, swan, goose, geese, owl, eagle, vogel, vögel, möwe, taube, ente, schwan',
  ],
  [['cat'], 'cat, kitten, katze, katzen, kätzchen'],
  [['dog'], 'dog, puppy, puppies, hund, hunde, welpe'],
  [['horse'], 'horse, pony, ponies, foal, pferd, pferde'],
  [['sheep'], 'sheep, lamb, schaf, schafe, lamm'],
  [['cow'], 'cow, cattle, calf, calves, bull, kuh, kühe, rind, rinder, kalb'],
  [['elephant'], 'elephant, elefant, elefanten'],
  [['bear'], 'bear, bär, bären'],
  [['zebra'], 'zebra'],
  [['giraffe'], 'giraffe, giraffen'],
  [['backpack'], 'backpack, rucksack, rucksäcke'],
  [['umbrella'], 'umbrella, parasol, regenschirm, regenschirme, schirm, sonnenschirm'],
  [['handbag'], 'handbag, purse, bag, handtasche, tasche, taschen'],
  [['tie'], 'tie, necktie, krawatte, krawatten'],
  [['suitcase'], 'suitcase, luggage, koffer, gepäck'],
  [['frisbee'], 'frisbee'],
  [['skis'], 'ski, skis, skier'],
  [['snowboard'], 'snowboard'],
  [['sports ball'], 'ball, sports ball, football, soccer ball, basketball, tennis ball, fußball, bälle'],
  [['kite'], 'kite, drachen'],
  [['baseball bat'], 'baseball bat, baseballschläger'],
  [['baseball glove'], 'baseball glove, baseballhandschuh'],
  [['skateboard'], 'skateboard'],
  [['surfboard'], 'surfboard, surfbrett'],
  [['tennis racket'], 'tennis racket, tennis racquet, racket, tennisschläger'],
  [['bottle'], 'bottle, flasche, flaschen'],
  [['wine glass'], 'wine glass, wineglass, weinglas, weingläser'],
  [['cup'], 'cup, mug, coffee cup, tea cup, tasse, tassen, becher'],
  [['fork'], 'fork, gabel, gabeln'],
  [['knife'], 'knife, knives, messer'],
  [['spoon'], 'spoon, löffel'],
  [['bowl'], 'bowl, schüssel, schale'],
  [['banana'], 'banana, banane, bananen'],
  [['apple'], 'apple, apfel, äpfel'],
  [['sandwich'], 'sandwich, sandwiches'],
  [['orange'], 'oranges, an orange, orangen, apfelsine'],
  [['broccoli'], 'broccoli, brokkoli'],
  [['carrot'], 'carrot, karotte, karotten, möhre'],
  [['hot dog'], 'hot dog, hotdog'],
  [['pizza'], 'pizza, pizzen'],
  [['donut'], 'donut, doughnut'],
  [['cake'], 'cake, kuchen, torte'],
  [['chair'], 'chair, armchair, stool, stuhl, stühle, sessel, hocker'],
  [['couch'], 'couch, sofa, settee'],
  [['potted plant'], 'potted plant, pot plant, houseplant, house plant, topfpflanze, zimmerpflanze'],
  [['bed'], 'bed, bett, betten'],
  [['dining table'], 'table, dining table, tisch, tische, esstisch'],
  [['toilet'], 'toilet, toilette, klo'],
  [['tv'], 'tv, television, tv set, monitor, screen, fernseher, bildschirm'],
  [['laptop'], 'laptop, notebook computer, notebook'],
  [['mouse'], 'computer mouse, computermaus'],
  [['remote'], 'remote control, fernbedienung'],
  [['keyboard'], 'keyboard, tastatur'],
  [['cell phone'], 'phone, cell phone, mobile phone, smartphone, telephone, handy, handys, telefon'],
  [['microwave'], 'microwave, mikrowelle'],
  [['oven'], 'oven, stove, ofen, backofen, herd'],
  [['toaster'], 'toaster'],
  [['sink'], 'sink, washbasin, waschbecken, spüle'],
  [['refrigerator'], 'refrigerator, fridge, kühlschrank'],
  [['book'], 'book, buch, bücher'],
  [['clock'], 'clock, uhr, uhren, wanduhr'],
  [['vase'], 'vase, vasen'],
  [['scissors'], 'scissors, schere'],
  [['teddy bear'], 'teddy bear, teddy, teddybär'],
  [['hair drier'], 'hair drier, hair dryer, hairdryer, föhn, haartrockner'],
  [['toothbrush'], 'toothbrush, toothbrushes, zahnbürste'],
  // Wholes.
  [
    ['car', 'motorcycle', 'bus', 'truck', 'train', 'bicycle', 'boat', 'airplane'],
    'vehicle, fahrzeug, fahrzeuge, traffic, verkehr',
  ],
  [
    ['bird', 'cat', 'dog', 'horse', 'sheep', 'cow', 'elephant', 'bear', 'zebra', 'giraffe'],
    'animal, tier, tiere, wildlife',
  ],
  [['cat', 'dog'], 'pet, haustier, haustiere'],
  [['chair', 'couch', 'bed', 'dining table'], 'furniture, möbel'],
  [['banana', 'apple', 'orange'], 'fruit, fruits, obst, frucht, früchte'],
  [
    ['banana', 'apple', 'sandwich', 'orange', 'broccoli', 'carrot', 'hot dog', 'pizza', 'donut', 'cake'],
    'food, essen, mahlzeit',
  ],
  [['bottle', 'wine glass', 'cup'], 'drink, getränk, getränke'],
  [['fork', 'knife', 'spoon'], 'cutlery, besteck'],
];

/** So many persons, and more, are a crowd. */
export const crowd = {
  words: 'crowd, crowds, group of people, menschenmenge, menge, gruppe von menschen',
  least: 5,
};

export const numberWords: Readonly<Record<number, string>> = {
  1: '1, one, single, ein einzelner, eine einzelne',
  2: '2, two, pair of, couple of, zwei',
  3: '3, three, drei',
  4: '4, four, vier',
  5: '5, five, fünf',
  6: '6, six, sechs',
};
/** At least so many. */
export const several = { words: 'several, many, lots of, a lot of, mehrere, viele', least: 3 };

/** In German with their endings. */
export const thingColours: Readonly<Record<Thing['colours'][number]['colour'], string>> = {
  black: 'black, schwarz',
  white: 'white, weiß, weiss',
  grey: 'grey, gray, silver, grau, silbern',
  red: 'red, rot',
  orange: 'orange',
  yellow: 'yellow, golden, gelb',
  green: 'green, grün',
  cyan: 'cyan, turquoise, türkis',
  blue: 'blue, navy, blau',
  purple: 'purple, violet, lila, violett',
  pink: 'pink, rosa',
  brown: 'brown, beige, braun',
};

export const thingPlaces = {
  left: 'on the left, at the left, to the left, on the left side, left, links, auf der linken seite',
  right: 'on the right, at the right, to the right, on the right side, right, rechts, auf der rechten seite',
  top: 'at the top, above, oben',
  bottom: 'at the bottom, below, unten',
  centre: 'in the middle, in the centre, in the center, centered, in der mitte',
} as const;

export const farAway = 'in the distance, far away, distant, in der ferne, weit weg';

/** Of persons how film makers name it; of other things how much of the picture they fill. */
export const shotWords = {
  close_up:
    'close up of, close-up of, closeup of, close up shot of, close-up shot of, close up, close-up, closeup, ' +
    'close up shot, close-up shot, nahaufnahme von, nahaufnahme, nahaufnahmen, großaufnahme von, großaufnahme, großaufnahmen',
  medium: 'medium shot of, mid shot of, medium shot, mid shot, mid-shot, halbnahe von, halbnahe, halbnah',
  wide:
    'wide shot of, long shot of, full shot of, wide shot, long shot, full shot, totale von, totale, totalen, halbtotale von, ' +
    'halbtotale, halbtotalen',
} as const;

export const negations = 'no, not, without, ohne, kein, keine, keinen, keiner, nicht';

/** Between a number or a colour and its thing, and before it, they say nothing. */
export const fillers =
  'a, an, the, any, some, of, with, in, ein, eine, einen, einem, einer, der, die, das, den, dem, von, mit, und, and';
