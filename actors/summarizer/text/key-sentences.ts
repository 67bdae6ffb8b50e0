// The sentences of a transcript that say most of it: those the others lead to, that hold much and bear the
// signs that are asked for, without saying the same twice.
import { documentFrequencies, isStopWord, type Sentence, termsOf } from './sentences.ts';

// Classifies sentences by signs on their surface: figures and questions in every language, words of English,
// German, French and Spanish. A sign is no proof; it only supports a choice.

export const signNames = [
  'number',
  'question',
  'name',
  'claim',
  'conflict',
  'feeling',
  'humor',
  'reveal',
  'process',
  'outcome',
  'danger',
  'place',
  'bond',
  'cheer',
  'rare',
] as const;
export type Sign = (typeof signNames)[number];

/** Words and phrases, divided by `|`; one that ends with `-` may go on. */
const words: Readonly<Record<Exclude<Sign, 'question' | 'name'>, string>> = {
  number:
    'hundred-|thousand-|million-|billion-|percent|dozen-|half|twice|hundert-|tausend-|prozent|cent|mille|millions|cien-|mil|millones',
  claim:
    'because|therefore|prove-|evidence|shows|showed|found that|according to|study|studies|data|means that|research-|never|always|must|weil|deshalb|beweis-|studie-|bedeutet|laut|forsch-|donc|parce que|preuve-|étude-|selon|porque|por eso|prueba-|estudio-|según',
  conflict:
    'wrong|not true|lie|lied|lying|refus-|against|argue-|fight-|angry|blame-|fault|enemy|threat-|disagree-|unfair|falsch|lüge-|gegen|streit-|schuld|wütend|faux|mensonge-|contre|dispute-|falso|mentira-|contra|pelea-|culpa',
  feeling:
    'love-|hate-|afraid|scared|cried|crying|tears|proud|happy|sad|sorry|lonely|miss|missed|hoped|felt|feel|feels|liebe-|angst|weine-|stolz|traurig|glücklich|amour|peur|fier|triste-|heureu-|amor|miedo|orgullos-|llor-|feliz',
  humor:
    'haha-|laugh-|joke-|funny|hilarious|lachen|lacht|gelacht|witz-|lustig|rire-|drôle|blague-|risa-|chiste-|gracios-',
  reveal:
    'suddenly|actually|turns out|turned out|secret-|surpris-|discover-|realiz-|realis-|nobody knew|until then|plötzlich|geheim-|entdeck-|überrasch-|soudain|découv-|surpr-|de repente|secreto-|descubr-|resulta que',
  process:
    'first|firstly|then|next|after that|step|steps|finally|mix-|press|turn|put|make sure|zuerst|dann|danach|schritt-|als nächstes|abord|ensuite|puis|étape-|primero|luego|después|paso',
  outcome:
    'in the end|finally|at last|result-|decided|decision-|conclu-|agreed|solved|answer-|remains|still|won|next year|am ende|schließlich|ergebnis-|entschied-|beschloss-|gelöst|à la fin|enfin|résultat-|décid-|al final|por fin|resultado-|decidi-',
  danger:
    'danger-|fire|fires|explo-|crash-|gun|guns|weapon-|kill-|dead|death|died|blood-|attack-|storm-|flood-|fell|falling|rescue-|emergency|gefahr-|feuer|schuss|tot|unfall-|sturm-|feu|mort|attaque-|tempête|peligro-|fuego|muert-|ataque-',
  place:
    'city|village-|street-|river-|mountain-|valley-|island-|bridge-|sea|coast-|forest-|harbour-|harbor-|house|room|stadt|dorf|straße|fluss|berg-|insel-|brücke-|meer|wald|ville|rue|rivière|montagne-|île|pont|mer|forêt|ciudad|calle|río|montaña-|isla|puente-|mar|bosque',
  bond: 'mother-|father-|brother-|sister-|wife|husband|friend-|daughter-|son|family|married|together|mutter|vater|bruder|schwester|freund-|familie|zusammen|mère|père|frère|sœur|ami|amis|famille|ensemble|madre|padre|herman-|amig-|familia|juntos',
  cheer:
    'crowd-|cheer-|applau-|everybody|everyone|fans|audience|celebrat-|party|parade-|festival-|menge|jubel-|publikum|fest|foule-|fête-|public|multitud-|fiesta-|público',
  rare: 'first time|only time|never before|never seen|rare|unique|original|unknown|lost|archive-|einzig-|selten-|zum ersten mal|unbekannt-|première fois|jamais vu|primera vez|nunca antes|archivo-',
};

const patterns = Object.entries(words).map(([sign, list]) => [sign as Sign, patternOf(list)] as const);
const figures = /\p{N}/u;
export const endsAsking = /[?？؟՞]["'”’»）)\]】」』]*$/u;
/** A capital letter within a sentence, of a word that is no `I`. */
const capital = /[\p{Ll}\p{N},;:]\s+(?!I\b)\p{Lu}\p{L}+/u;

function patternOf(list: string): RegExp {
  const parts = list.split('|').map((word) => (word.endsWith('-') ? `${word.slice(0, -1)}\\p{L}*` : word));
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${parts.join('|')})(?![\\p{L}\\p{N}])`, 'iu');
}

/**
 * The signs that a sentence bears. `language`: BCP 47; nouns of German begin with capitals, so there only
 * `names` are names. `names`: of people and speakers that are known.
 */
export function signsOf(text: string, language = 'und', names: readonly string[] = []): ReadonlySet<Sign> {
  const signs = new Set<Sign>();
  for (const [sign, pattern] of patterns) if (pattern.test(text)) signs.add(sign);
  if (figures.test(text)) signs.add('number');
  if (endsAsking.test(text)) signs.add('question');
  const isNamed = names.some((name) => name !== '' && text.includes(name));
  if (isNamed || (!/^(de|lb)\b/i.test(language) && capital.test(text))) signs.add('name');
  return signs;
}

export interface SentenceOptions {
  /** How many to choose at most. */
  readonly count: number;
  /** BCP 47 of what is spoken. */
  readonly language?: string;
  /** Names of known people and speakers. */
  readonly names?: readonly string[];
  /** Merit that each sign adds to a score of 0 to 1. */
  readonly signs?: Readonly<Partial<Record<Sign, number>>>;
  /** Words of an instruction: sentences that have them come first. */
  readonly about?: string;
}

interface KeySentence {
  /** Position in the sentences that were given. */
  readonly sentence: number;
  /** 0 to 1 without signs and an instruction. */
  readonly score: number;
}

/** Signs that make a sentence worth keeping whatever is asked for. */
export const usualSigns: Readonly<Partial<Record<Sign, number>>> = {
  number: 0.15,
  name: 0.1,
  claim: 0.05,
  question: 0.05,
  reveal: 0.05,
  outcome: 0.05,
};

/** Sentences that are ranked against each other at once. */
const block = 256;
const weights = { rank: 0.2, content: 0.8, density: 0.5, about: 1, repetition: 0.7 };
/** Words that say something, of which a sentence with as many has half of the content. */
const halfContent = 4;

/**
 * In the order of time, at most `count`, of long transcripts at most 256; a sentence without a word that says
 * something only where there is no other. Above 256 sentences each 256 that follow one another choose theirs
 * by what they have in common with all of these, and only those are ranked as a graph: O(sentences) and 256²
 * at the end.
 */
export function keySentences(sentences: readonly Sentence[], options: SentenceOptions): KeySentence[] {
  if (options.count <= 0) return [];
  const terms = sentences.map(({ text }) => termsOf(text));
  const vectors = wordVectors(terms);
  const about = options.about ? wordVectors([termsOf(options.about)])[0]! : null;
  const merits = sentences.map(({ text }, i) => {
    const merit = meritOf(vectors[i]!, terms[i]!.length) + signMerit(text, options);
    return merit + (about ? weights.about * overlap(vectors[i]!, about) : 0);
  });
  let remaining = sentences.map((_, i) => i);
  while (remaining.length > block) {
    const each = Math.min(
      block / 2,
      Math.max(1, Math.ceil((options.count * 2 * block) / remaining.length), 8),
    );
    const blocks = Array.from({ length: Math.ceil(remaining.length / block) }, (_, at) =>
      remaining.slice(at * block, (at + 1) * block),
    );
    remaining = blocks.flatMap((members) =>
      chosenOf(members, vectors, merits, each, centrality).map(({ sentence }) => sentence),
    );
  }
  return chosenOf(remaining, vectors, merits, options.count, textRank);
}

/** Merit of a sentence of `words` words by its content: high if there is much of it, densely. */
function meritOf(vector: WordVector, words: number): number {
  const amount = vector.size / (vector.size + halfContent);
  return weights.content * amount * Math.min(1, vector.size / Math.max(1, words)) ** weights.density;
}

function signMerit(text: string, { language, names, signs = usualSigns }: SentenceOptions): number {
  let merit = 0;
  for (const sign of signsOf(text, language, names)) merit += signs[sign] ?? 0;
  return merit;
}

/**
 * Maximal marginal relevance: the best of those left, less what it repeats of those chosen; in the order of
 * time.
 */
function chosenOf(
  candidates: readonly number[],
  vectors: readonly WordVector[],
  merits: readonly number[],
  count: number,
  rankOf: (vectors: readonly WordVector[]) => Float64Array,
): KeySentence[] {
  const candidateVectors = candidates.map((i) => vectors[i]!);
  const scores = rankOf(candidateVectors).map((rank, at) => weights.rank * rank + merits[candidates[at]!]!);
  const repeated = new Float64Array(candidateVectors.length);
  const remaining = new Set(candidateVectors.keys());
  const chosen: KeySentence[] = [];
  while (chosen.length < count && remaining.size > 0) {
    let [best, most] = [-1, Number.NEGATIVE_INFINITY];
    for (const at of remaining) {
      const worth =
        scores[at]! - weights.repetition * repeated[at]! - (candidateVectors[at]!.size === 0 ? 10 : 0);
      if (worth > most) [best, most] = [at, worth];
    }
    if (candidateVectors[best]!.size === 0 && chosen.length > 0) break;
    remaining.delete(best);
    chosen.push({ sentence: candidates[best]!, score: scores[best]! });
    for (const at of remaining)
      repeated[at] = Math.max(repeated[at]!, overlap(candidateVectors[at]!, candidateVectors[best]!));
  }
  return chosen.sort((a, b) => a.sentence - b.sentence);
}

// How much sentences have in common, and which of them the others lead to: TextRank over cosines of their
// weighted words.

/** Weights by term, of length 1; empty where a sentence has no word that says anything. */
type WordVector = ReadonlyMap<string, number>;

/** The words of each sentence by its terms; rare ones weigh more. */
function wordVectors(sentences: readonly (readonly string[])[]): WordVector[] {
  const terms = sentences.map((words) => words.filter((term) => !isStopWord(term)));
  const frequencies = documentFrequencies(terms);
  return terms.map((words) => {
    const weights = new Map<string, number>();
    for (const term of words) {
      const rarity = Math.log(1 + sentences.length / frequencies.get(term)!);
      weights.set(term, (weights.get(term) ?? 0) + rarity);
    }
    const length = Math.sqrt([...weights.values()].reduce((sum, weight) => sum + weight * weight, 0));
    return new Map([...weights].map(([term, weight]) => [term, weight / length]));
  });
}

/** Cosine of two. */
function overlap(a: WordVector, b: WordVector): number {
  const [few, many] = a.size <= b.size ? [a, b] : [b, a];
  let sum = 0;
  for (const [term, weight] of few) sum += weight * (many.get(term) ?? 0);
  return sum;
}

/** How much each has in common with all others together, the highest 1. O(words). */
function centrality(vectors: readonly WordVector[]): Float64Array {
  const sum = new Map<string, number>();
  for (const vector of vectors)
    for (const [term, weight] of vector) sum.set(term, (sum.get(term) ?? 0) + weight);
  return upToOne(
    Float64Array.from(vectors, (vector) => Math.max(0, overlap(vector, sum) - overlap(vector, vector))),
  );
}

function upToOne(ranks: Float64Array): Float64Array {
  const highest = ranks.reduce((most, rank) => Math.max(most, rank), 0);
  return highest > 0 ? ranks.map((rank) => rank / highest) : ranks;
}

const damping = 0.85;
const rounds = 30;

/** The rank of each, the highest 1; O(n²) at worst, so a caller bounds n. */
function textRank(vectors: readonly WordVector[]): Float64Array {
  const n = vectors.length;
  const links = linksOf(vectors);
  const totals = new Float64Array(n);
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) totals[i]! += links[i * n + j]!;
  let ranks = new Float64Array(n).fill(1);
  for (let round = 0; round < rounds; round++) {
    const next = new Float64Array(n).fill(1 - damping);
    for (let i = 0; i < n; i++) {
      if (totals[i] === 0) continue;
      const share = (damping * ranks[i]!) / totals[i]!;
      for (let j = 0; j < n; j++) next[j]! += share * links[i * n + j]!;
    }
    ranks = next;
  }
  return upToOne(ranks);
}

/**
 * n×n, symmetric, nothing on the diagonal; summed up term by term, so that only sentences that share one are
 * touched.
 */
function linksOf(vectors: readonly WordVector[]): Float32Array {
  const n = vectors.length;
  const links = new Float32Array(n * n);
  const having = new Map<string, [number, number][]>();
  for (const [i, vector] of vectors.entries()) {
    for (const [term, weight] of vector) {
      const before = having.get(term);
      if (!before) having.set(term, [[i, weight]]);
      else {
        for (const [j, otherWeight] of before) {
          links[i * n + j]! += weight * otherWeight;
          links[j * n + i]! += weight * otherWeight;
        }
        before.push([i, weight]);
      }
    }
  }
  return links;
}
