// English words that begin sentences and are no names: stop words, the words of the concept lexicon, and
// those that texts about pictures begin with. What is not here counts as a name when a sentence begins with
// it.
import { lexicon } from '../../concepts/lexicon.ts';
import { isStopWord } from '../../text/stop-words.ts';
import { termsOf } from '../../text/terms.ts';

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
