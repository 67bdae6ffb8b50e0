// German for places, numbers, amounts and negations, and for words that say nothing about a picture.
export const grammar: readonly (readonly [english: string, german: string])[] = [
  // Places in the picture.
  ['top, upper, on top, overhead', 'obere, oberer, oberen, oberes, ganz oben'],
  [
    'at the top, upper half, top half, upper part',
    'oben, obere hälfte, oberen hälfte, oberer hälfte, oberer teil, oberen teil, am oberen rand, oberer rand',
  ],
  ['bottom, lower', 'untere, unterer, unteren, unteres, ganz unten'],
  [
    'at the bottom, lower half, bottom half, lower part',
    'unten, untere hälfte, unteren hälfte, unterer teil, unteren teil, am unteren rand, unterer rand',
  ],
  ['left half, left hand side', 'linke hälfte, linken hälfte'],
  [
    'left, left side, on the left, at the left, to the left, on the left side',
    'links, linke, linken, linke seite, linken seite, auf der linken seite',
  ],
  ['right half, right hand side', 'rechte hälfte, rechten hälfte'],
  [
    'right, right side, on the right, at the right, to the right, on the right side',
    'rechts, rechte, rechten, rechte seite, rechten seite, auf der rechten seite',
  ],
  ['centre, center, middle, central', 'mitte, bildmitte, zentrum, zentral'],
  ['in the middle, in the centre, in the center', 'in der mitte, in der bildmitte, im zentrum, mittig'],
  ['centered', 'zentriert'],
  [
    'top left, upper left, left top, top left corner, upper left corner',
    'oben links, links oben, obere linke ecke, oberen linken ecke, linke obere ecke, linken oberen ecke',
  ],
  [
    'top right, upper right, right top, top right corner, upper right corner',
    'oben rechts, rechts oben, obere rechte ecke, oberen rechten ecke, rechte obere ecke, rechten oberen ecke',
  ],
  [
    'bottom left, lower left, left bottom, bottom left corner, lower left corner',
    'unten links, links unten, untere linke ecke, unteren linken ecke, linke untere ecke, linken unteren ecke',
  ],
  [
    'bottom right, lower right, right bottom, bottom right corner, lower right corner',
    'unten rechts, rechts unten, untere rechte ecke, unteren rechten ecke, rechte untere ecke, rechten unteren ecke',
  ],
  [
    'background, backdrop, behind, in the background, surroundings',
    'hintergrund, im hintergrund, hinten, dahinter, umgebung',
  ],
  [
    'foreground, in front, in the foreground, subject',
    'vordergrund, im vordergrund, vorn, vorne, hauptmotiv, motiv',
  ],
  [
    'side, sides, edge of the frame, border, frame border, around the edges',
    'seiten, bildrand, rand, ränder, am rand, an den rändern',
  ],
  ['corner, corners', 'ecke, ecken'],
  ['in the distance, far away, distant', 'in der ferne, weit weg, weit entfernt, entfernt'],
  ['above', 'darüber, oberhalb'],
  ['below', 'darunter, unterhalb'],
  ['over, on top of', 'über, oberhalb von'],
  ['under, underneath, beneath', 'unter, unterhalb von'],
  ['left of, to the left of, on the left of', 'links von, links neben, links vom'],
  ['right of, to the right of, on the right of', 'rechts von, rechts neben, rechts vom'],
  [
    'on a, in front of a, against a, surrounded by',
    'auf, auf einem, auf einer, vor, vor einem, vor einer, umgeben von',
  ],

  // Amounts, numbers and what is not to be there.
  [
    'little, a little, a bit of, a bit, bit of, a touch of, touch of, touch, hint, hint of, a hint of, slightly, small, tiny, spot of, small spot of',
    'wenig, ein wenig, ein bisschen, bisschen, ein hauch, hauch, leicht, klein, winzig, ein fleck, fleck',
  ],
  ['some', 'etwas, einige'],
  ['a few, few', 'wenige'],
  [
    'mostly, mainly, predominantly, largely, entirely, completely, all, only, full of, filled with, covered in, covered with, everything, totally, ' +
      'dominated by, nothing but',
    'meist, meistens, hauptsächlich, überwiegend, größtenteils, vorwiegend, ganz, vollständig, völlig, alles, alle, nur, voll, voller, ' +
      'voll von, gefüllt mit, bedeckt mit, nichts als',
  ],
  [
    'much, plenty of, very, really, big, large, huge, extremely, more, strongly',
    'viel, sehr, wirklich, groß, riesig, extrem, mehr',
  ],
  ['many, lots of, a lot of', 'viele, vielen, jede menge, eine menge, haufenweise'],
  ['lot of', 'unmengen'],
  ['several', 'mehrere, mehreren, ein paar'],
  ['herd of, herds of, flock of, flocks of', 'eine herde, herde von, schar von, schwarm von'],
  [
    '1, one, single',
    'eins, einzeln, einzig, ein einzelner, eine einzelne, ein einzelnes, ein einziger, eine einzige, ein einziges',
  ],
  ['2, two, pair of, couple of', 'zwei, zwo, beide, beiden, zweien'],
  ['3, three', 'drei, dreien'],
  ['4, four', 'vier'],
  ['5, five', 'fünf'],
  ['6, six', 'sechs'],
  ['not, non, isn t, aren t, never, but not', 'nicht, nie, niemals, aber nicht'],
  ['minus, except, except for, excluding, avoid, less', 'minus, außer, ausgenommen, bis auf, abgesehen von'],
  ['rather than, instead of', 'statt, anstatt, anstelle von'],
  ['no', 'kein, keine, keinen, keiner, keinem, keines, keinerlei'],
  ['without', 'ohne'],
  ['neither, none of', 'weder'],

  // Words that join, or say nothing of a picture.
  ['and', 'und, sowie'],
  ['but', 'aber, sondern, doch'],
  ['with', 'mit'],
  ['while, plus, then, also, as well as, yet', 'während, plus, dann, auch'],
  ['or', 'oder'],
  ['nor', 'noch'],
  ['a, an', 'ein, eine, einen, einem, einer, eines'],
  ['the', 'der, die, das, den, dem, des'],
  ['of', 'von, vom'],
  ['in', 'in, im, ins'],
  ['any', 'irgendein, irgendeine, irgendwelche, jeder, jede, jedes'],
  ['on, at, to, from, by, for', 'an, am, bei, beim, zu, zum, zur, aus, für, nach, um, ans'],
  ['is, are, was, were, be, been, being', 'ist, sind, waren, sein, wird, werden, wurde'],
  [
    'it, its, this, that, these, those, there, here',
    'es, dies, diese, dieser, dieses, diesem, diesen, da, dort, hier',
  ],
  ['which, who, what, where, when, how', 'welche, welcher, welches, wer, was, wo, wann, wenn, wie'],
  [
    'i, me, my, we, us, our, you, your, he, she, they, them, their, his, her',
    'ich, mich, mir, mein, meine, wir, uns, unser, du, dein, er, sie, ihr, ihre, seine',
  ],
  [
    'picture, pictures, photo, photos, image, images, frame, frames, video, videos, clip, clips, shot, shots, footage, scene, scenes, film, movie',
    'bild, bilder, bildern, foto, fotos, video, videos, clip, clips, aufnahme, aufnahmen, szene, szenen, einstellung, einstellungen, film, filme, filmen',
  ],
  [
    'shows, show, showing, find, search, look, looking',
    'zeigt, zeige, zeigen, zeig, finde, finden, suche, suchen, such, sieht, sehen, schau',
  ],
  ['has, have, can, should, will', 'haben, kann, soll, will, gibt'],
  [
    'near, next, along, across, through, around, between, inside, up, down, off, out',
    'neben, entlang, durch, herum, zwischen, innen, drinnen, drin, hinauf, hinunter',
  ],
  ['so, too, just, quite, rather, almost, nearly', 'so, zu, eben, ziemlich, eher, beinahe'],
  ['thing, things, something, anything', 'ding, dinge, sache, sachen, irgendetwas'],
  [
    'color, colors, colour, colours, coloured, colored, tone, tones, shade, shades',
    'farbe, farben, farbton, farbtöne',
  ],
  ['area, areas, part, parts, region', 'bereich, bereiche, teil, teile, fläche'],
  ['kind of, kinds of, sort, type, style', 'art von, sorte, sorte von, typ, stil'],
  ['please', 'bitte'],
];
