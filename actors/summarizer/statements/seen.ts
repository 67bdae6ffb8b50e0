// Sentences about the content of pictures: things first, then weather and light, the time of day, camera
// work, colours.
import { frameId } from '../facts/evidence.ts';
import type { RangeFacts } from '../facts/facts.ts';
import type { SeenSubject } from '../facts/film.ts';
import { listOf, type Statement, sentence, timeOf } from './statement.ts';

/** How many of each a sentence names. */
export interface Amount {
  readonly things: number;
  readonly conditions: number;
}

/** Concepts in the order of a sentence. */
interface Parts {
  readonly things: readonly SeenSubject[];
  readonly conditions: readonly SeenSubject[];
  readonly time: readonly SeenSubject[];
  readonly shots: readonly SeenSubject[];
  readonly colours: readonly SeenSubject[];
}

/** All other groups are things. */
const partOf: Readonly<Partial<Record<SeenSubject['group'], keyof Parts>>> = {
  ...{ weather: 'conditions', light: 'conditions' },
  ...{ time_of_day: 'time', shot_size: 'shots', colour: 'colours' },
};
/** Groups of alternatives, of which one is true: the number of people, and the sky. */
const alternatives = [
  new Set([
    'one person',
    'two people',
    'a small group of people',
    'a large crowd',
    'nobody in an empty room',
  ]),
  new Set(['a clear blue sky', 'white clouds', 'a grey overcast sky', 'the open sky']),
];
/** Actions that take two. */
const mutual = new Set(
  'talking to each other|kissing|hugging|shaking hands|clapping|cheering|dancing|marching|protesting|fighting|getting married|playing football|playing basketball|boxing|playing cards|playing chess'.split(
    '|',
  ),
);
/** Light that a picture is in; of other light it is with it. */
const surrounding = new Set(
  'bright light|dim light|backlight|candlelight|neon light|soft light|firelight|moonlight|almost complete darkness|fog|haze|rain|heavy rain|snowfall'.split(
    '|',
  ),
);

function partsOf(concepts: readonly SeenSubject[], amount: Amount): Parts {
  const shown = withoutRivals(concepts);
  const of = (part: keyof Parts, count: number) =>
    shown.filter(({ group }) => (partOf[group] ?? 'things') === part).slice(0, count);
  return {
    things: of('things', amount.things),
    conditions: of('conditions', amount.conditions),
    time: of('time', 1),
    shots: of('shots', 1),
    colours: of('colours', 1),
  };
}

/** Colours only where there is no thing. */
const inBrief = ({ things, conditions, time, colours }: Parts): SeenSubject[] => [
  ...[...things, ...conditions, ...time],
  ...(things.length > 0 ? [] : colours),
];

function withoutRivals(concepts: readonly SeenSubject[]): SeenSubject[] {
  return concepts.filter(({ name }, at) => {
    const rivals = alternatives.find((set) => set.has(name));
    return !rivals || !concepts.slice(0, at).some((stronger) => rivals.has(stronger.name));
  });
}

function nameOf({ name, group }: SeenSubject): string {
  return group === 'actions' ? `${mutual.has(name) ? 'people' : 'somebody'} ${name}` : name;
}

function conditionsOf(conditions: readonly SeenSubject[], hasThings: boolean): string {
  const within = conditions.filter(({ name }) => surrounding.has(name));
  const others = conditions.filter((condition) => !within.includes(condition));
  const names = (some: readonly SeenSubject[]) => listOf(some.map(nameOf));
  const parts = [
    ...(within.length > 0 ? [`in ${names(within)}`] : []),
    ...(others.length > 0 ? [`${hasThings || within.length > 0 ? 'with ' : ''}${names(others)}`] : []),
  ];
  return parts.join(' and ');
}

/**
 * A phrase without times, empty when nothing stands out: of a leaf, and of what is seen throughout,
 * `a forest and a stream in fog at dusk`; of what is not seen at the same time a plain list.
 */
export function seenPhrase(
  { seen, pictured }: Pick<RangeFacts, 'seen' | 'pictured'>,
  amount: Amount,
  isLeaf: boolean,
): { text: string; shown: readonly SeenSubject[] } {
  const parts = partsOf(seen, amount);
  const shown = inBrief(parts);
  if (!isLeaf && !shown.every((concept) => concept.seconds === pictured))
    return { text: listOf(shown.map(placed)), shown };
  const { things, conditions, time, colours } = parts;
  const clauses = [sceneOf(things, conditions, time), colourOf(things.length > 0 ? [] : colours)];
  return { text: clauses.filter((clause) => clause !== '').join('; '), shown };
}

/** `the picture is mostly orange`. */
function colourOf(colours: readonly SeenSubject[]): string {
  return listOf(colours.map((colour) => `the picture is ${nameOf(colour)}`));
}

/** `a forest and a stream in fog at dusk`. */
function sceneOf(
  things: readonly SeenSubject[],
  around: readonly SeenSubject[],
  time: readonly SeenSubject[],
  named: (concept: SeenSubject) => string = nameOf,
): string {
  const parts = [
    listOf(things.map(named)),
    conditionsOf(around, things.length > 0),
    listOf(time.map(nameOf)),
  ];
  return parts.filter((part) => part !== '').join(' ');
}

/** Null when nothing stands out. */
export function seenInLeaf({ seen, pictured }: RangeFacts, amount: Amount): Statement | null {
  const { things, conditions: around, time, shots: sizes, colours } = partsOf(seen, amount);
  const named = (concept: SeenSubject) =>
    isLasting(concept, pictured) ? nameOf(concept) : `${nameOf(concept)} (${timeOf(concept.frames[0]!)})`;
  // Lasting things have no time; the times of others ascend.
  const placeOf = (concept: SeenSubject) => (isLasting(concept, pictured) ? -1 : concept.frames[0]!);
  const inTime = things.toSorted((a, b) => placeOf(a) - placeOf(b));
  const clauses = [sceneOf(inTime, around, time, named), listOf(sizes.map(nameOf)), colourOf(colours)].filter(
    (clause) => clause !== '',
  );
  if (clauses.length === 0) return null;
  return statement(clauses.join('; '), [...things, ...around, ...time, ...sizes, ...colours]);
}

/**
 * Sentence for a node above the leaves: first lasting things, then others with the place that shows them
 * most, in order of time. Null if there are none.
 */
export function seenInNode({ seen, pictured }: RangeFacts, amount: Amount): Statement | null {
  const shown = inBrief(partsOf(seen, amount));
  const lasting = shown.filter((concept) => isLasting(concept, pictured));
  const passing = shown
    .filter((concept) => !lasting.includes(concept))
    .sort((a, b) => a.frames[0]! - b.frames[0]!);
  const at = (concept: SeenSubject) => `${placed(concept)} (${timeOf(concept.frames[0]!)})`;
  const parts = [
    ...lastingClauses(lasting, pictured),
    ...(passing.length > 0 ? [`${lasting.length > 0 ? 'also ' : ''}${listOf(passing.map(at))}`] : []),
  ];
  return parts.length === 0 ? null : statement(parts.join('; '), shown);
}

const isLasting = ({ seconds }: SeenSubject, pictured: number) => seconds >= 0.6 * pictured;

/** `the sea and a beach most of the time`, `mostly at night`, `the picture is mostly green`. */
function lastingClauses(lasting: readonly SeenSubject[], pictured: number): string[] {
  const [times, colours] = (['time_of_day', 'colour'] as const).map((group) =>
    lasting.filter((concept) => concept.group === group),
  ) as [SeenSubject[], SeenSubject[]];
  const others = lasting.filter((concept) => !times.includes(concept) && !colours.includes(concept));
  const isThroughout = (some: readonly SeenSubject[]) => some.every(({ seconds }) => seconds === pictured);
  const mostly = (some: readonly SeenSubject[]) => {
    const names = listOf(some.map(nameOf));
    return isThroughout(some) || names.startsWith('mostly ') ? names : `mostly ${names}`;
  };
  const usual = isThroughout(others) ? '' : ' most of the time';
  return [
    ...(others.length > 0 ? [`${listOf(others.map(placed))}${usual}`] : []),
    ...(times.length > 0 ? [mostly(times)] : []),
    ...(colours.length > 0 ? [`the picture is ${mostly(colours)}`] : []),
  ];
}

/** A name that needs nothing before it. */
function placed(concept: SeenSubject): string {
  const { name, group } = concept;
  if (group === 'time_of_day') return `scenes ${name}`;
  if (group !== 'colour') return nameOf(concept);
  return /^mostly |^black and white$/.test(name) ? `${name} pictures` : `pictures ${name}`;
}

function statement(text: string, shown: readonly SeenSubject[]): Statement {
  const evidence = [...new Set(shown.flatMap(({ frames }) => frames.map(frameId)))];
  return { kind: 'seen', text: sentence(text), evidence, rank: 1 };
}
