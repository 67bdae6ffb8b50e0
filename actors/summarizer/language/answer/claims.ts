// Finds claims in a sentence of a language model that the stored facts do not support: names, times,
// quotations, and spoken words presented as what happens. The rules read the surface of English and are
// strict in cases of doubt.
import { lexicon } from '../../concepts/concepts.ts';
import { isStopWord, termsOf } from '../../text/sentences.ts';
import type { NodeMaterial } from '../contract.ts';

// Facts that a text may state: people, speech, and the range. Made once for a node.

export interface EvidenceFacts {
  readonly range: readonly [start: number, end: number];
  /** Folded words of names of people and speakers, and capitalised ones of texts that were checked before. */
  readonly names: ReadonlySet<string>;
  /** Folded words that are said. */
  readonly heard: ReadonlySet<string>;
  /** All that is said, folded, with texts of children behind it. */
  readonly quotable: string;
  /** All that is said, folded. */
  readonly said: string;
  /** Times as they are said: `10:30`. */
  readonly saidTimes: ReadonlySet<string>;
}

export const timePattern = /(?<![\d:.])\d{1,3}:\d{2}(?::\d{2})?(?![\d:])/g;

export function evidenceFacts({ range, evidence, children }: NodeMaterial): EvidenceFacts {
  const { people, speakers, transcript } = evidence;
  const saidText = transcript.map(({ text }) => text).join('\n');
  const childText = children.map(({ text }) => text).join('\n');
  const said = foldedLine(saidText);
  return {
    range,
    names: new Set([
      ...[...people, ...speakers].flatMap(foldedWords),
      ...transcript.flatMap(({ speaker }) => (speaker === null ? [] : foldedWords(speaker))),
      ...foldedWords(withoutQuotes(childText)),
    ]),
    heard: new Set(said.trim().split(' ')),
    quotable: said + foldedLine(childText),
    said,
    saidTimes: new Set(saidText.normalize('NFKC').match(timePattern) ?? []),
  };
}

const foldedWords = (text: string) => wordsOf(text.normalize('NFKC')).map((word) => folded(word.text));

/** Quoted speech is removed: names in it belong to people that nobody has seen. */
const withoutQuotes = (text: string) => text.replaceAll(/["“„«][^"”“»]*["”“»]/gu, ' ');

// Words of texts in the form in which claims are compared with the material: without case, width and marks.

const wordPattern = /[\p{L}\p{M}\p{N}]+(?:['’-][\p{L}\p{M}\p{N}]+)*/gu;

interface Word {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export function wordsOf(text: string): Word[] {
  return [...text.matchAll(wordPattern)].map(({ 0: word, index }) => ({
    text: word,
    start: index,
    end: index + word.length,
  }));
}

/** Case, width, accents and the ending of the genitive do not count. */
export function folded(word: string): string {
  return word
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/['’]s?$/u, '');
}

/** Words with a space before and after each, so that only whole words are found in it. */
function foldedLine(text: string): string {
  const words = wordsOf(text.normalize('NFKC')).map((word) => folded(word.text));
  return ` ${words.join(' ')} `;
}

// English words that begin sentences and are no names: stop words, the words of the concept lexicon, and
// those that texts about pictures begin with. What is not here counts as a name when a sentence begins with
// it.

const starters = [
  'people person persons woman women man men girl girls boy boys child children kid kids adult adults baby friend friends crowd group groups couple family team teams audience spectator spectators viewer viewers visitor visitors passenger passengers pedestrian pedestrians worker workers player players dancer dancers speaker speakers presenter narrator host guest guests interviewer voice voices nobody',
  'scene scenes frame frames camera cameras shot shots view views picture pictures image images range film video footage clip part parts sequence moment moments beginning start end middle ending opening closing background foreground screen text title titles caption captions subtitle subtitles credits logo animation music sound sounds silence noise speech conversation discussion dialogue interview talk lecture presentation narration commentary audio transcript words topic topics question questions answer answers',
  'one two three four five six seven eight nine ten several many few some various different multiple numerous both each every other others another first second third last next later earlier finally initially meanwhile afterwards together overall throughout during while although though because since until unless despite besides instead however therefore thus hence also',
  'outside inside indoors outdoors behind above below beneath beside between among around across along near nearby beyond within without against under over through toward towards upon elsewhere somewhere far close left right front back top bottom',
  'large small big little long short tall wide narrow high low old young new bright dark light dim colourful colorful red orange yellow green blue purple brown black white grey gray pink golden silver warm cold hot cool wet dry clean dirty empty full quiet loud slow slowly fast quickly suddenly gradually briefly clearly mostly mainly apparently probably possibly perhaps maybe clouds cloud trees tree water waves wave sea ocean river mountain mountains hill hills forest field fields flowers flower grass sand snow rain fog smoke fire flames sky sun sunlight moon stars city street streets road roads traffic cars car vehicle vehicles boat boats ship ships train trains building buildings house houses room rooms wall walls window windows door doors table tables food animals animal bird birds dog dogs cat cats horse horses hands hand face faces lights shadow shadows shadows colour colours color colors',
  'nothing something everything someone somebody everyone everybody anyone anybody neither either none not no yes it its he she they we you i his her their our my this that these those there here what who when where why how which whose a an the at in on by for from of off to with as if is are was were be has have had do does did can could may might must shall should will would',
].join(' ');

const ordinary: ReadonlySet<string> = new Set([
  ...starters.split(' '),
  ...lexicon.flatMap(({ name }) => name.toLowerCase().split(/[^\p{L}]+/u)),
]);

/** Endings that names of people do not have. */
const noName = /(?:tion|tions|ness|less|ful|able|ically)$/;

/** `word`: folded. */
export function isOrdinary(word: string): boolean {
  if (ordinary.has(word) || noName.test(word)) return true;
  const [term] = termsOf(word);
  return term !== undefined && term === word && isStopWord(term);
}

// Detects sentences that report speech: only these may name what is heard but not seen.

const verbs =
  /\b(?:say|says|said|saying|mention|mentions|mentioned|mentioning|talk|talks|talked|talking|tell|tells|told|telling|speak|speaks|spoke|speaking|ask|asks|asked|asking|discuss|discusses|discussed|discussing|explain|explains|explained|explaining|describe|describes|described|describing|refer|refers|referred|referring|call|calls|called|introduce|introduces|introduced|announce|announces|announced|recall|recalls|recalled|claim|claims|claimed|argue|argues|argued|state|states|stated|recount|recounts|recounted|conversation|dialogue|speech|interview|narrator|voice)\b/i;

const reportsSpeech = (sentence: string): boolean => verbs.test(sentence);

export interface UnheldClaim {
  readonly kind: 'name' | 'time' | 'quote' | 'copy';
  /** The part of the sentence that is not held. */
  readonly what: string;
}

/**
 * Null when the material holds what the sentence says. `outsiders`: folded words that the model itself calls
 * names.
 */
export function claimOf(
  sentence: string,
  facts: EvidenceFacts,
  outsiders: ReadonlySet<string>,
): UnheldClaim | null {
  return (
    quoteClaim(sentence, facts) ??
    timeClaim(sentence, facts) ??
    nameClaim(sentence, facts, outsiders) ??
    copyClaim(sentence, facts)
  );
}

const quotePattern =
  /["“”„«»]([^"“”„«»]*)(?:["“”„«»]|$)|(?<![\p{L}\p{N}])['‘]([^'‘’]+)(?:['’](?![\p{L}\p{N}])|$)/gu;

function quoteClaim(sentence: string, { quotable, names }: EvidenceFacts): UnheldClaim | null {
  for (const [, double, single] of sentence.matchAll(quotePattern)) {
    const quote = double ?? single ?? '';
    for (const piece of quote.split(/…|\.\.\./)) {
      const line = foldedLine(piece);
      if (line.trim() === '' || quotable.includes(line)) continue;
      if (
        line
          .trim()
          .split(' ')
          .every((word) => names.has(word))
      )
        continue;
      return { kind: 'quote', what: quote.trim() };
    }
  }
  return null;
}

const spelledTimes = [
  /\b(?:at|from|until|till|around|by)\s+(?:about\s+|around\s+)?(\d+(?:\.\d+)?)\s*-?\s*(seconds?|secs?|s|minutes?|mins?|hours?)\b/gi,
  /\b(\d+)(?:st|nd|rd|th)[\s-]+(seconds?|minutes?)\b/gi,
];
const namedTimes = /\b(second|minute|timestamp|time|frame)\s+(?:number\s+)?(\d+)\b/gi;

function timeClaim(sentence: string, { range: [start, end], saidTimes }: EvidenceFacts): UnheldClaim | null {
  const text = sentence.normalize('NFKC');
  const isIn = (seconds: number) => seconds >= start && seconds <= end;
  const [foreign] = text.match(/(?![0-9])\p{Nd}+/u) ?? [];
  if (foreign) return { kind: 'time', what: foreign };
  for (const [time] of text.matchAll(timePattern)) {
    if (!saidTimes.has(time) && !isIn(secondsOf(time))) return { kind: 'time', what: time };
  }
  for (const pattern of spelledTimes)
    for (const [what, count, unit] of text.matchAll(pattern)) {
      if (!isIn(Number(count) * factorOf(unit!))) return { kind: 'time', what };
    }
  for (const [what, unit, count] of text.matchAll(namedTimes)) {
    if (!isIn(Number(count) * factorOf(unit!))) return { kind: 'time', what };
  }
  return null;
}

/** Parses `65:00`, `1:05` or `1:01:05`. */
export function secondsOf(time: string): number {
  return time.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
}

const factorOf = (unit: string) => (/^h/i.test(unit) ? 3600 : /^m/i.test(unit) ? 60 : 1);

/** Words that English writes with a capital and that name nobody. */
const capitals = new Set(
  'i tv cctv led dvd cd uk us usa eu gps t-shirt t-shirts x-ray x-rays monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december christmas easter english'.split(
    ' ',
  ),
);

function nameClaim(
  sentence: string,
  facts: EvidenceFacts,
  outsiders: ReadonlySet<string>,
): UnheldClaim | null {
  // Quotations are held word for word.
  const unquoted = sentence.replaceAll(quotePattern, (quote) => ' '.repeat(quote.length));
  const words = wordsOf(unquoted);
  const reports = reportsSpeech(unquoted);
  for (const [at, { text, start }] of words.entries()) {
    const isFirst = at === 0 || /[.:;!?]\s*$/u.test(unquoted.slice(0, start));
    const word = folded(text);
    if (outsiders.has(word)) return { kind: 'name', what: text };
    if (facts.names.has(word) || capitals.has(word)) continue;
    if (reports && facts.heard.has(word)) continue;
    const isForeign = /(?!\p{Script=Latin})\p{L}/u.test(text);
    const isCapital = /^\p{Lu}|\p{Lt}/u.test(text) || /[-'’]\p{Lu}/u.test(text);
    if (isForeign || (isCapital && !(isFirst && isOrdinary(word)))) return { kind: 'name', what: text };
  }
  return null;
}

/** Fewer words that are the same are chance. */
const leastCopied = 7;

function copyClaim(sentence: string, { said }: EvidenceFacts): UnheldClaim | null {
  const line = foldedLine(sentence.replaceAll(quotePattern, ' '));
  const words = line.trim().split(' ');
  for (let from = 0; from + leastCopied <= words.length; from++) {
    const run = words.slice(from, from + leastCopied).join(' ');
    if (said.includes(` ${run} `)) return { kind: 'copy', what: run };
  }
  return null;
}
