// Whether a sentence reports what somebody says: only then it may name what is heard and not seen.

const verbs =
  /\b(?:say|says|said|saying|mention|mentions|mentioned|mentioning|talk|talks|talked|talking|tell|tells|told|telling|speak|speaks|spoke|speaking|ask|asks|asked|asking|discuss|discusses|discussed|discussing|explain|explains|explained|explaining|describe|describes|described|describing|refer|refers|referred|referring|call|calls|called|introduce|introduces|introduced|announce|announces|announced|recall|recalls|recalled|claim|claims|claimed|argue|argues|argued|state|states|stated|recount|recounts|recounted|conversation|dialogue|speech|interview|narrator|voice)\b/i;

export const reportsSpeech = (sentence: string): boolean => verbs.test(sentence);
