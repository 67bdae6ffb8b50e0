// The words of a text in the form in which they are compared: without case, width and inflected endings, in
// scripts without spaces by ICU's dictionaries.

const letters = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)*/gu;
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const wordBoundaries = new Intl.Segmenter('und', { granularity: 'word' });
/** Letters of a word that count: a cheap stem that needs no language. */
const stem = 6;
/** UTF-16 units that are given to ICU at once. */
const longest = 500;

/** In order, with repeats. A text without letters and digits has none. */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  for (const [run] of text.normalize('NFKC').toLowerCase().matchAll(letters)) {
    if (!unspaced.test(run)) terms.push(termOf(run));
    else
      for (let at = 0; at < run.length; at += longest)
        for (const { segment, isWordLike } of wordBoundaries.segment(run.slice(at, at + longest)))
          if (isWordLike) terms.push(segment);
  }
  return terms;
}

function termOf(word: string): string {
  const bare = word.replace(/['’].*$/u, '');
  // "don't" keeps its n, "bridge's" loses its s.
  const whole = /n['’]t$/.test(word) ? word : bare;
  return whole.length > stem ? whole.slice(0, stem) : whole;
}

/** How many of the texts have each term. */
export function documentFrequencies(texts: readonly (readonly string[])[]): Map<string, number> {
  const frequencies = new Map<string, number>();
  for (const terms of texts)
    for (const term of new Set(terms)) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
  return frequencies;
}

/**
 * Words that say nothing by themselves, of the languages that most footage is in; in others frequency alone
 * tells.
 */
const lists = [
  // English
  "a an the and or but if so of to in on at by for with from into about as is are was were be been am it its this that these those there here i me my we us our you your he him his she her they them their who what which when where how why do does did done have has had will would can could should may might not no yes just very really well okay ok oh um uh like know think get got go going one also too up out then than all some any more most much many because don't didn't isn't wasn't",
  'see seen say said saying tell talk talking want wanted let make made come coming give take look looking try guess mean hope wish sit ask thing things something anything everything nothing somebody everybody anybody someone everyone anyone people way time times good nice great lovely fine sure right kind little bit lot quite always again away back still even ever now yet simply usually course absolutely exactly please thank thanks hello hi hey bye sorry welcome alright yeah yes wow mm hm however wherever whatever over under between behind before after while through without each every during until upon onto off down own',
  // German
  'der die das den dem des ein eine einer einem einen und oder aber wenn so von zu in im an am auf bei für mit aus um als ist sind war waren sein bin es dies diese dieser ich mich mir wir uns du dich dir ihr er ihn ihm sie wer was wie wo wann warum nicht kein keine ja nein auch nur sehr noch schon doch mal haben hat habe hatte wird werden kann dass man da hier dann',
  // French
  "le la les un une des et ou mais si de du à au aux en dans par pour avec sur est sont était être il elle ils elles je me moi nous vous tu te ce cet cette ces qui que quoi où quand comment ne pas non oui se sa son ses leur on plus très bien là y avoir ai as a ont c'est",
  // Spanish
  'el la los las un una unos unas y o pero si de del a al en por para con sobre es son era ser estar está yo me mi nosotros nos tú te usted él ella ellos ellas se su sus lo le que qué quien cómo cuando donde no sí muy más también ya hay ha he como este esta eso',
  // Italian, Portuguese, Dutch
  'il lo gli i uno e o ma se di da in con su per tra è sono era non sì che chi come quando dove mi ti si ci vi io tu lui lei noi voi loro questo quella molto più anche',
  'o a os as um uma e ou mas se de do da dos das em no na por para com é são era não sim que quem como quando onde me te nos eu você ele ela eles muito mais também já',
  'de het een en of maar als van te in op aan bij voor met uit is zijn was waren ben niet geen ja nee ik me mij wij ons je jij u hij hem zij haar wie wat hoe waar ook nog wel dan dat dit die er',
];

const stopWords = new Set(lists.flatMap((list) => termsOf(list)));

export const isStopWord = (term: string): boolean => stopWords.has(term);
