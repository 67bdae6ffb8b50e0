// What kind of sentence a sentence is, by signs on its surface: figures and questions in every language,
// words of English, German, French and Spanish. A sign is no proof, it only helps to choose.

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
