// Which concepts stand out in a range of a film: those whose text is nearer to its frames than it is to
// pictures of the whole library. A cosine by itself says nothing: some texts are near to every picture.
import type { Steps } from '../../../runtime/sync/checkpoint.ts';
import { defaultModelKey } from '../../models/rows/list.ts';
import { addTo, dot, medianOf, outlineErrors } from '../outline/summary-inputs.ts';
import { RightSide } from '../products/products.ts';

// The lexicon: some 400 concepts that a picture may show, in groups, phrased for the text side of a visual
// model. Pure data.

export interface ConceptGroup {
  /** Concepts of the group exclude each other: at most one is named for a range. */
  readonly excludes: boolean;
  /** Phrases for the model; `*` stands for the concept. */
  readonly phrases: readonly string[];
  /** Phrases for use within a sentence, divided by `|`. */
  readonly concepts: string;
}

const photo = ['a photo of *', 'a film still that shows *'];

export const groups = {
  shot_size: {
    excludes: true,
    phrases: ['*', 'a film still, *'],
    concepts:
      'an extreme close-up|a close-up of a face|a close-up of hands|a close-up of an object|a medium shot of one person|a shot of two people|a group shot|a wide shot|a very wide landscape shot|an aerial shot|a shot from above|a shot from below|a shot over the shoulder|a macro shot|an underwater shot|a split screen',
  },
  time_of_day: {
    excludes: true,
    phrases: ['a photo taken *', 'an outdoor scene *'],
    concepts: 'at dawn|at sunrise|by day|at noon|at sunset|at dusk|at night',
  },
  weather: {
    excludes: false,
    phrases: ['a photo with *', 'an outdoor scene with *'],
    concepts:
      'a clear blue sky|white clouds|a grey overcast sky|rain|heavy rain|snowfall|snow on the ground|fog|haze|a thunderstorm|lightning|a rainbow|strong wind|ice and frost|dust in the air',
  },
  light: {
    excludes: false,
    phrases: ['a photo with *', 'a film still with *'],
    concepts:
      'bright light|dim light|backlight|a silhouette against the light|candlelight|neon light|stage lights|a spotlight|sunbeams|lens flare|hard shadows|soft light|firelight|fireworks|city lights|moonlight|flashing lights|almost complete darkness',
  },
  colour: {
    excludes: false,
    phrases: ['a picture that is *', 'a film still that is *'],
    concepts:
      'black and white|mostly red|mostly orange|mostly yellow|mostly green|mostly blue|mostly purple|mostly brown|mostly white|mostly black|in pastel colours|in strong colours|faded like an old film|tinted sepia',
  },
  nature: {
    excludes: false,
    phrases: photo,
    concepts:
      'a beach|the sea|waves|a rocky coast|a cliff|an island|a lake|a river|a stream|a waterfall|a swamp|a forest|a jungle|a pine wood|a meadow|a field of grain|a vineyard|an orchard|a desert|sand dunes|hills|mountains|a snowy mountain|a glacier|a valley|a canyon|a cave|a volcano|a coral reef|the open sky|stars|the moon|trees in autumn|palm trees|a bamboo grove|flowers|a garden|a park|a field of flowers|mushrooms|leaves|grass|rocks|mud|a puddle|icicles',
  },
  outdoors: {
    excludes: false,
    phrases: photo,
    concepts:
      'a city skyline|skyscrapers|a city street|a narrow alley|a market|a shopping street|a village|a farm|a barn|a castle|ruins|a church|a mosque|a temple|a cemetery|a bridge|a tunnel|a motorway|a country road|a crossing|a car park|a petrol station|a railway station|railway tracks|a harbour|a pier|a lighthouse|an airport|a runway|a stadium|a football pitch|a playground|a swimming pool|a campsite|a construction site|a factory|a power station|wind turbines|a dam|a mine|a rubbish dump|a fountain|a monument|a staircase|a balcony|a rooftop|a courtyard|a fence|a gate|a graffiti wall',
  },
  indoors: {
    excludes: false,
    phrases: photo,
    concepts:
      'a kitchen|a living room|a bedroom|a bathroom|a dining room|a hallway|an office|a meeting room|a classroom|a lecture hall|a library|a museum|an art gallery|a theatre|a cinema|a concert hall|a stage|a television studio|a recording studio|a restaurant|a café|a bar|a nightclub|a hotel lobby|a shop|a supermarket|a warehouse|a workshop|a garage|a laboratory|a hospital room|an operating theatre|a gym|a courtroom|a prison cell|a church interior|a lift|the inside of a car|the inside of a bus|the inside of a train|the inside of an aeroplane|a cockpit|a control room|a server room|a cellar|an attic|a greenhouse|a stable|a tent',
  },
  people: {
    excludes: false,
    phrases: photo,
    concepts:
      'one person|two people|a small group of people|a large crowd|nobody in an empty room|a woman|a man|a child|a baby|a teenager|an old person|a couple|a family|a bride|a soldier|a police officer|a firefighter|a doctor|a nurse|a cook|a waiter|a farmer|a worker with a helmet|a scientist|a teacher|a musician|a singer|a dancer|an actor in costume|an athlete|a journalist with a microphone|a person in a suit|a person with glasses|a person with a hat|a person with a mask|an audience',
  },
  actions: {
    excludes: false,
    phrases: ['a photo of people *', 'a film still of somebody *'],
    concepts:
      'talking to each other|speaking into a camera|being interviewed|giving a speech|listening|laughing|smiling|crying|shouting|whispering|kissing|hugging|shaking hands|waving|pointing|clapping|cheering|dancing|singing|playing music|walking|running|jumping|climbing|falling|sitting at a table|lying in bed|sleeping|eating|drinking|cooking|cutting food|washing up|cleaning|reading|writing|drawing|painting|typing on a computer|using a phone|taking a photo|working with tools|building something|repairing a machine|carrying something|digging|planting|harvesting|fishing|hunting|swimming|diving|surfing|sailing|rowing|skiing|skating|cycling|riding a horse|driving a car|playing football|playing basketball|playing tennis|boxing|fighting|shooting|marching|protesting|praying|getting married|giving birth|shopping|paying|waiting|opening a door|playing cards|playing chess|playing a video game|doing an experiment|operating on a patient',
  },
  animals: {
    excludes: false,
    phrases: photo,
    concepts:
      'a dog|a cat|a horse|a cow|sheep|a goat|a pig|chickens|ducks|a bird in flight|an eagle|an owl|a parrot|a penguin|fish|a shark|a whale|a dolphin|a turtle|a snake|a lizard|a frog|a spider|a butterfly|bees|ants|a deer|a fox|a wolf|a bear|a lion|a tiger|an elephant|a giraffe|a monkey|a rabbit|a mouse|a squirrel|a camel|a seal',
  },
  vehicles: {
    excludes: false,
    phrases: photo,
    concepts:
      'a car|a red car|a sports car|an old car|a lorry|a bus|a taxi|a police car|an ambulance|a fire engine|a motorcycle|a bicycle|a tram|a train|a steam engine|an aeroplane|a helicopter|a hot-air balloon|a drone|a rocket|a sailing boat|a rowing boat|a motor boat|a ferry|a cargo ship|a warship|a submarine|a tank|a tractor|an excavator|a crane|a cable car|a car crash|a traffic jam',
  },
  objects: {
    excludes: false,
    phrases: photo,
    concepts:
      'a table with food|bread|fruit|vegetables|meat on a grill|a cake|a cup of coffee|a glass of wine|bottles|a book|a newspaper|a map|a letter|a printed page|a blackboard|a whiteboard|a screen with a chart|a computer screen|a telephone|a television|a camera|a microphone|a guitar|a piano|a violin|drums|a clock|a lamp|a candle|a mirror|a window|a door|a chair|a bed|a sofa|a painting|a statue|a flag|a sign with text|a poster|a toy|a ball|a knife|a gun|money|jewellery|clothes|shoes|a bag|tools|a machine|pipes and cables|a robot|a microscope|medicine|flames|smoke|an explosion|broken glass|ruined furniture|a campfire',
  },
  graphics: {
    excludes: false,
    phrases: ['*', 'a film still that shows *'],
    concepts:
      'a title card|rolling credits|a logo|subtitles burnt into the picture|a cartoon|a computer animation|a diagram|a screen recording|a video game|a test card|a black picture|a white picture|an old photograph|a collage',
  },
} as const satisfies Readonly<Record<string, ConceptGroup>>;
export type GroupName = keyof typeof groups;

interface Concept {
  /** Phrase for use within a sentence: `a beach`, `at night`. */
  readonly name: string;
  readonly group: GroupName;
  readonly excludes: boolean;
  /** For the text side of a model; its vector is the mean of theirs, L2-normalised. */
  readonly phrases: readonly string[];
}

export const lexicon: readonly Concept[] = (Object.entries(groups) as [GroupName, ConceptGroup][]).flatMap(
  ([group, { excludes, phrases, concepts }]) =>
    concepts.split('|').map((name) => ({
      name,
      group,
      excludes,
      phrases: phrases.map((phrase) => phrase.replace('*', name)),
    })),
);

/** Rows of vectors, L2-normalised. *Borrowed.* */
export interface VectorRows {
  readonly vectors: Float32Array;
  readonly dimensions: number;
}

/**
 * How near each concept usually is to a picture: the median of its cosines, and their deviation, the larger
 * one of that from the median deviation and half the standard deviation. The first alone is next to nothing
 * where most pictures have nothing of a concept; the second alone hides what many pictures show.
 */
export interface ConceptBackground {
  readonly middles: Float64Array;
  readonly deviations: Float64Array;
  /** Pictures it was made of. */
  readonly pictures: number;
}

/** Fewest pictures from which the usual similarity of a concept can be estimated. */
export const leastPictures = 100;
/** Deviations by which a concept has to lead the next one of its group where they exclude each other. */
const leastLead = 0.5;
/**
 * Concepts whose texts are nearer than this are one to the model: the stronger is named, of equal ones the
 * first.
 */
const same = 0.95;

/**
 * Vectors of concepts, each the mean of those of its phrases, L2-normalised; `counts`: phrases of each, in
 * order.
 */
export function conceptVectors(
  { vectors, dimensions: d }: VectorRows,
  counts: readonly number[],
): VectorRows {
  const means = new Float32Array(counts.length * d);
  let phrase = 0;
  counts.forEach((count, concept) => {
    for (const end = phrase + count; phrase < end; phrase++)
      addTo(means, concept * d, vectors, phrase * d, d);
    const length = Math.sqrt(dot(means, concept * d, means, concept * d, d));
    // A text that a model does not understand has no direction, and is near to nothing.
    for (let k = 0; k < d && length > 0; k++) means[concept * d + k]! /= length;
  });
  return { vectors: means, dimensions: d };
}

/** Pictures and concepts of one step. */
const step = { pictures: 128, concepts: 8 };

/** O(concepts · pictures · d). `pictures`: of the library, some thousand taken evenly are enough. */
export function* backgroundSteps(concepts: VectorRows, pictures: VectorRows): Steps<ConceptBackground> {
  const d = concepts.dimensions;
  const [count, shown] = [concepts.vectors.length / d, pictures.vectors.length / d];
  const all = yield* cosinesOf(concepts, pictures);
  const [middles, deviations] = [new Float64Array(count), new Float64Array(count)];
  for (let concept = 0; concept < count; concept++) {
    if (concept % step.concepts === 0) yield;
    const cosines = all.subarray(concept * shown, (concept + 1) * shown);
    const middle = medianOf(cosines);
    middles[concept] = middle;
    const robust = 1.4826 * medianOf(cosines.map((cosine) => Math.abs(cosine - middle)));
    deviations[concept] = Math.max(robust, standardDeviation(cosines) / 2);
  }
  return { middles, deviations, pictures: shown };
}

/** Concepts × pictures. */
function* cosinesOf(concepts: VectorRows, { vectors, dimensions: d }: VectorRows): Steps<Float32Array> {
  const [count, shown] = [concepts.vectors.length / d, vectors.length / d];
  const all = new Float32Array(count * shown);
  for (let first = 0; first < shown; first += step.pictures) {
    const side = new RightSide({
      vectors: vectors.subarray(first * d, (first + step.pictures) * d),
      dimensions: d,
    });
    const products = side.times(concepts, 0, count);
    for (let concept = 0; concept < count; concept++) {
      const from = concept * side.width;
      all.set(products.subarray(from, from + side.count), concept * shown + first);
    }
    yield;
  }
  return all;
}

function standardDeviation(values: Float32Array): number {
  if (values.length === 0) return 0;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
}

interface Strength {
  readonly concept: number;
  /** Deviations above the middle, mean over the frames. */
  readonly strength: number;
}

export interface StandingOut extends Strength {
  /** The frame that shows it most, a row of what was given: the evidence. */
  readonly frame: number;
}

/**
 * Concepts of a range, the strongest first. A concept stands out that is √(2 ln concepts) deviations above
 * its middle: so high comes less than one of all of them by chance. Where concepts exclude each other
 * (`exclusive`: by concept the name of its group, or null), only the best is named, and only when it leads
 * clearly. None where the background is too small.
 */
export function standingOut(
  concepts: VectorRows,
  frames: VectorRows,
  background: ConceptBackground,
  exclusive: readonly (string | null)[],
): StandingOut[] {
  const d = concepts.dimensions;
  const count = concepts.vectors.length / d;
  const rows = frames.vectors.length / d;
  if (rows === 0 || background.pictures < leastPictures) return [];
  const least = leastStrength(count);
  const mean = new Float64Array(d);
  for (let at = 0; at < rows * d; at += d)
    for (let k = 0; k < d; k++) mean[k]! += frames.vectors[at + k]! / rows;
  const all: Strength[] = [];
  for (let concept = 0; concept < count; concept++) {
    const deviation = background.deviations[concept]!;
    if (deviation < 1e-6) continue;
    const cosine = dot(concepts.vectors, concept * d, mean, 0, d);
    all.push({ concept, strength: (cosine - background.middles[concept]!) / deviation });
  }
  all.sort((a, b) => b.strength - a.strength || a.concept - b.concept);
  const leading = all.filter((candidate) => candidate.strength >= least && leads(candidate, all, exclusive));
  const isSame = (a: Strength, b: Strength) =>
    dot(concepts.vectors, a.concept * d, concepts.vectors, b.concept * d, d) > same;
  return leading
    .filter((candidate, at) => !leading.slice(0, at).some((stronger) => isSame(stronger, candidate)))
    .map((candidate) => ({ ...candidate, frame: nearest(concepts, candidate.concept, frames) }));
}

/** Deviations above its middle from which on one of so many concepts stands out. */
export function leastStrength(count: number): number {
  return Math.sqrt(2 * Math.log(Math.max(2, count)));
}

/** The row of the frames that is nearest to a concept, the first of equal ones. */
function nearest(concepts: VectorRows, concept: number, { vectors, dimensions: d }: VectorRows): number {
  let [best, most] = [0, Number.NEGATIVE_INFINITY];
  for (let row = 0; row < vectors.length / d; row++) {
    const cosine = dot(concepts.vectors, concept * d, vectors, row * d, d);
    if (cosine > most) [best, most] = [row, cosine];
  }
  return best;
}

function leads(
  candidate: Strength,
  all: readonly Strength[],
  exclusive: readonly (string | null)[],
): boolean {
  const group = exclusive[candidate.concept];
  if (group == null) return true;
  return all.every(
    (rival) =>
      rival === candidate ||
      exclusive[rival.concept] !== group ||
      candidate.strength - rival.strength >= leastLead,
  );
}

// The lexicon as one visual model sees it: a vector for each concept, and its usual similarity to a picture.

export interface KnownConcepts {
  readonly model_key: string;
  /** A row for each concept of the lexicon. */
  readonly vectors: VectorRows;
  readonly background: ConceptBackground;
}

export const conceptPhrases: readonly string[] = lexicon.flatMap(({ phrases }) => phrases);

/**
 * `phrases`: vectors of `conceptPhrases`; null to keep those that are known of the same model, and for a
 * model that understands no words. `pictures`: of the library. Throws MATERIAL_INVALID.
 */
export function* knownConceptsSteps(
  model_key: string,
  dimensions: number,
  { phrases, pictures }: { readonly phrases: Float32Array | null; readonly pictures: Float32Array },
  before: KnownConcepts | null,
): Steps<KnownConcepts> {
  const isSame = before?.model_key === model_key && before.vectors.dimensions === dimensions;
  if (phrases && phrases.length !== conceptPhrases.length * dimensions)
    throw outlineErrors.MATERIAL_INVALID(
      `phrases: ${phrases.length} numbers for ${conceptPhrases.length} of ${dimensions} dimensions`,
    );
  if (pictures.length % dimensions !== 0)
    throw outlineErrors.MATERIAL_INVALID(`pictures: ${pictures.length} numbers of ${dimensions} dimensions`);
  const vectors = phrases
    ? conceptVectors(
        { vectors: phrases, dimensions },
        lexicon.map((concept) => concept.phrases.length),
      )
    : isSame
      ? before.vectors
      : { vectors: new Float32Array(lexicon.length * dimensions), dimensions };
  const background = yield* backgroundSteps(vectors, { vectors: pictures, dimensions });
  return { model_key, vectors, background };
}

/**
 * The model that comes with the program compares colours, light and shapes: of 68 photographs of which it was
 * sure, a third were named wrongly (`the sea` for a motorcycle). It finds and orders, and names nothing.
 */
export const namesConcepts = (model_key: string): boolean => model_key !== defaultModelKey;

export const canName = ({ background }: KnownConcepts): boolean => background.pictures >= leastPictures;
