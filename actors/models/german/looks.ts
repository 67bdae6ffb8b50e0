// German for colours, tones, light, structure and scenes.
export const looks: readonly (readonly [english: string, german: string])[] = [
  // Colours.
  ['black, jet black', 'schwarz, tiefschwarz, pechschwarz'],
  ['blackish', 'schwärzlich'],
  ['white', 'weiß, schneeweiß'],
  ['whitish', 'weißlich'],
  ['grey, gray', 'grau, aschgrau'],
  ['greyish, grayish', 'gräulich'],
  ['red', 'rot, feuerrot, knallrot'],
  ['reddish', 'rötlich'],
  ['orange', 'orange, orangefarben, oranger, orangene, orangener, orangenes, orangenen, orangenem'],
  ['orangish', 'orangerot'],
  ['yellow', 'gelb'],
  ['yellowish', 'gelblich'],
  ['green', 'grün, grasgrün'],
  ['greenish', 'grünlich'],
  ['blue', 'blau, tintenblau'],
  ['bluish, blueish', 'bläulich'],
  ['purple', 'lila, purpur, purpurn'],
  ['purplish', 'lilafarben'],
  ['pink', 'rosa, pink, rosafarben, pinkfarben'],
  ['pinkish', 'rosig'],
  ['brown', 'braun, nussbraun'],
  ['brownish', 'bräunlich'],
  ['cyan, aqua, aquamarine', 'cyan, aquamarin, cyanblau'],
  ['turquoise', 'türkis, türkisfarben, türkisblau, türkisgrün'],
  ['teal, petrol, blue green, green blue', 'petrol, petrolfarben, blaugrün, grünblau'],
  ['navy, navy blue', 'marineblau, dunkelmarine'],
  ['midnight blue', 'mitternachtsblau, nachtblau'],
  ['sky blue, azure, baby blue', 'himmelblau, azurblau, babyblau'],
  ['royal blue, ultramarine, cobalt, cobalt blue', 'königsblau, ultramarin, kobaltblau, royalblau'],
  ['steel blue, denim', 'stahlblau, jeansblau'],
  ['indigo', 'indigo, indigoblau'],
  ['slate, blue grey, blue gray, steel', 'schiefergrau, blaugrau, graublau, stahlgrau'],
  ['maroon, burgundy, wine red, claret', 'weinrot, bordeaux, bordeauxrot, burgunderrot'],
  ['crimson, ruby, cherry red', 'karmesinrot, rubinrot, kirschrot, blutrot'],
  ['scarlet, vermilion, orange red', 'scharlachrot, zinnoberrot'],
  ['salmon, coral', 'lachs, lachsfarben, lachsrosa, korallenrot, korallenfarben'],
  ['brick, brick red, terracotta', 'ziegelrot, terrakotta, backsteinrot'],
  [
    'rust, rusty, copper, bronze, auburn',
    'rost, rostig, rostrot, rostbraun, kupfer, kupferfarben, bronze, bronzefarben',
  ],
  ['peach, apricot', 'pfirsich, pfirsichfarben, aprikose, apricot, aprikosenfarben'],
  ['amber', 'bernstein, bernsteinfarben'],
  ['gold, golden', 'gold, golden, goldfarben, goldgelb'],
  ['mustard, ochre, ocher, khaki', 'senf, senfgelb, senffarben, ocker, ockerfarben, ockergelb, khaki'],
  ['lemon, lemon yellow', 'zitronengelb'],
  [
    'cream, ivory, off white, eggshell',
    'creme, cremefarben, cremeweiß, elfenbein, elfenbeinfarben, eierschalenfarben',
  ],
  ['beige', 'beige, sandfarben'],
  ['tan, camel, caramel', 'hellbraun, karamell, karamellfarben, kamelfarben'],
  ['chocolate, coffee brown, umber', 'schokolade, schokoladenbraun, schokobraun, kaffeebraun, umbra'],
  ['olive, olive green, army green', 'oliv, olivgrün, olivfarben'],
  ['lime, lime green, chartreuse, yellow green', 'limettengrün, limonengrün, gelbgrün, giftgrün, neongrün'],
  ['mint, mint green', 'mint, mintgrün, minze, pfefferminzgrün'],
  ['emerald, emerald green', 'smaragdgrün, smaragd'],
  ['sea green', 'seegrün, meergrün'],
  ['violet', 'violett, veilchenblau'],
  ['lavender, lilac, mauve', 'lavendel, lavendelfarben, flieder, fliederfarben, malve, malvenfarben'],
  ['plum, aubergine', 'pflaume, pflaumenfarben, aubergine, auberginefarben'],
  ['magenta, fuchsia', 'magenta, magentarot, fuchsia'],
  ['hot pink', 'knallpink, knallrosa, neonpink'],
  ['rose', 'rosé, roséfarben, rosenfarben, altrosa'],
  ['silver, silvery', 'silber, silbern, silberfarben, silbrig, silbergrau'],
  ['charcoal, anthracite', 'anthrazit, anthrazitfarben, anthrazitgrau, kohlschwarz'],
  ['skin coloured, skin colored, flesh', 'hautfarben, fleischfarben'],

  // Tones of colours, and light.
  ['dark, darker', 'dunkel, finster, düster'],
  ['deep, deeper', 'tief, satt'],
  ['light, lighter', 'hell, licht'],
  ['pale, paler, soft', 'blass, zart, sanft, weich'],
  ['baby', 'baby, babys, säugling, säuglinge'],
  ['bright', 'leuchtend, strahlend'],
  ['intense, strong, pure, brilliant, hot', 'intensiv, kräftig, stark, rein, brillant, grell'],
  ['dusty', 'staubig'],
  [
    'luminous, brightly lit, well lit, light coloured, light colored',
    'hell erleuchtet, gut beleuchtet, hell beleuchtet, lichtdurchflutet',
  ],
  [
    'dim, gloomy, underexposed, poorly lit, dimly lit, shadow, shadowy',
    'trüb, unterbelichtet, schlecht beleuchtet, schwach beleuchtet, schatten, schattig, dämmrig, dunkelheit',
  ],
  ['overexposed, high key', 'überbelichtet, ausgebrannt'],
  ['washed out', 'ausgewaschen, verwaschen'],
  ['low key, moody', 'stimmungsvoll'],
  [
    'high contrast, contrasty, contrast, harsh light, hard light',
    'kontrastreich, kontrast, kontraste, hoher kontrast, starker kontrast, hartes licht, grelles licht',
  ],
  [
    'low contrast, flat light, flat',
    'kontrastarm, flau, flach, wenig kontrast, geringer kontrast, flaches licht',
  ],
  [
    'silhouette, backlit, backlight, against the light, contre jour',
    'silhouette, silhouetten, gegenlicht, im gegenlicht, gegen das licht, schattenriss, umriss vor licht',
  ],
  [
    'colourful, colorful, multicoloured, multicolored, many colours, many colors, rainbow',
    'bunt, farbenfroh, farbig, vielfarbig, mehrfarbig, viele farben, regenbogen',
  ],
  ['vivid, saturated', 'lebhaft, gesättigt, farbenprächtig'],
  ['neon', 'neon, neonfarben'],
  ['muted, dull', 'matt, gedämpft, stumpf'],
  ['faded, desaturated', 'verblasst, ausgeblichen, entsättigt'],
  ['subdued', 'dezent'],
  ['pastel', 'pastell, pastellig'],
  ['pastels', 'pastellfarben, pastelltöne'],
  [
    'black and white, black white, b w, bw, monochrome, monochromatic, grayscale, greyscale, grey scale, gray scale, ' +
      'colourless, colorless, without colour, without color',
    'schwarzweiß, schwarz weiß, schwarz und weiß, schwarzweißfilm, schwarzweißbild, schwarzweißfoto, schwarzweißaufnahme, ' +
      'schwarzweißaufnahmen, s w, sw, monochrom, einfarbig grau, graustufen, farblos, ohne farbe, ohne farben',
  ],
  ['sepia, vintage, old photo', 'sepia, sepiafarben, altes foto, alte fotos, altes bild, vintage'],
  [
    'warm, warm light, warm tones, warm colours, warm colors',
    'warm, warmes licht, warme farben, warme töne, warme farbtöne',
  ],
  [
    'cool, cold, cool tones, cool light, cool colours, cool colors, icy',
    'kühl, kalt, kühle farben, kühle töne, kaltes licht, kalte farben, kühles licht, eisig',
  ],

  // Sharpness, structure and layout.
  [
    'sharp, crisp, in focus, focused, detailed',
    'scharf, gestochen scharf, im fokus, fokussiert, detailliert, detailreich',
  ],
  [
    'blurred, blurry, blur, out of focus, defocused, unfocused, soft focus, unsharp, bokeh, motion blur',
    'unscharf, verschwommen, unschärfe, verwischt, weichgezeichnet, weichzeichner, bokeh, bewegungsunschärfe, nicht scharf, außer fokus',
  ],
  [
    'busy, crowded, cluttered, clutter, complex, chaotic',
    'belebt, überfüllt, unruhig, unordentlich, unordnung, vollgestopft, gedränge, komplex, chaotisch, chaos, durcheinander',
  ],
  [
    'crowd, crowds, group of people',
    'menschenmenge, menschenmengen, menge, mengen, menschenmassen, gruppe von menschen, gruppe von personen',
  ],
  [
    'plain, uniform, minimal, minimalist, minimalistic, simple, clean, monotone, solid, solid colour, solid color, ' +
      'plain background, plain backdrop, solid background',
    'schlicht, einfarbig, gleichmäßig, minimalistisch, minimal, einfach, sauber, eintönig, unifarben, ' +
      'einfarbiger hintergrund, einfarbigem hintergrund, schlichter hintergrund, schlichtem hintergrund, ' +
      'ruhiger hintergrund, glatter hintergrund',
  ],
  ['empty, blank, nothing, void', 'leer, leere, nichts'],
  [
    'textured, texture, rough, grainy, noisy, grain, noise',
    'strukturiert, struktur, textur, rau, körnig, verrauscht, körnung, rauschen, bildrauschen',
  ],
  ['smooth, gradient', 'glatt, verlauf, farbverlauf, gradient'],
  ['edges, contours, outline', 'kanten, konturen, umriss, umrisse'],
  [
    'horizontal lines, horizontal, horizon',
    'horizontale linien, horizontal, waagerecht, waagrecht, waagerechte linien, horizont',
  ],
  [
    'vertical lines, vertical, columns, pillars',
    'vertikale linien, vertikal, senkrecht, senkrechte linien, säulen, säule, pfeiler',
  ],
  [
    'diagonal lines, diagonal, slanted, tilted',
    'diagonale linien, diagonal, schräg, schräge linien, diagonale, gekippt',
  ],
  ['lines, line', 'linien, linie, striche, strich'],
  ['stripes, striped, stripy, bands, blinds', 'streifen, gestreift, bänder, jalousie, jalousien'],
  [
    'horizontal stripes, horizontally striped',
    'horizontale streifen, waagerechte streifen, quer gestreift, quergestreift, querstreifen',
  ],
  [
    'vertical stripes, vertically striped, bars',
    'vertikale streifen, senkrechte streifen, längs gestreift, längsgestreift, längsstreifen, balken, stäbe',
  ],
  [
    'diagonal stripes, diagonally striped',
    'diagonale streifen, schräge streifen, schräg gestreift, diagonal gestreift',
  ],
  [
    'grid, lattice, tiles, tiled, mesh',
    'gitter, raster, kacheln, fliesen, gekachelt, gefliest, netz, maschen',
  ],
  [
    'checkered, chequered, checker, checkerboard, chequerboard, chessboard, chess board, checked',
    'kariert, schachbrett, schachbrettmuster, karomuster, karo, schachmuster',
  ],
  [
    'brick wall, brick walls, bricks, brickwork, masonry',
    'ziegelmauer, backsteinmauer, ziegelwand, backsteinwand, ziegel, ziegelsteine, backstein, backsteine, mauerwerk, mauer',
  ],
  [
    'symmetry, symmetrical, symmetric, mirrored, reflection',
    'symmetrie, symmetrisch, gespiegelt, spiegelung, spiegelungen',
  ],

  // Scenes.
  ['sky', 'himmel'],
  [
    'blue sky, clear sky, sunny sky, summer sky',
    'blauer himmel, blauen himmel, blauem himmel, klarer himmel, wolkenloser himmel, sommerhimmel, wolkenlos',
  ],
  ['sunny, sunshine, daylight', 'sonnig, sonnenschein, sonne, tageslicht'],
  [
    'cloudy, overcast, grey sky, gray sky, cloudy sky',
    'bewölkt, wolkig, bedeckt, grauer himmel, bedeckter himmel, wolkenhimmel, bewölkter himmel, wolkenverhangen',
  ],
  ['cloud, clouds', 'wolke, wolken'],
  [
    'sea, ocean, water, lake, waves, wave, seascape, river',
    'meer, ozean, wasser, see, wellen, welle, fluss, meerblick, nordsee, ostsee, mittelmeer, gewässer, bergsee',
  ],
  [
    'underwater, under water, diving, aquarium',
    'unterwasser, unter wasser, tauchen, taucher, unterwasseraufnahme, unterwasserwelt, aquarium',
  ],
  [
    'foliage, leaves, leaf, bush, bushes, plants, plant, vegetation, garden, hedge, jungle',
    'laub, blätter, blatt, blattwerk, busch, gebüsch, strauch, pflanzen, pflanze, vegetation, garten, hecke, dschungel, urwald',
  ],
  [
    'forest, woods, woodland, trees, tree, rainforest',
    'wald, gehölz, waldstück, wäldchen, bäume, baum, regenwald, laubwald, nadelwald, mischwald, tannenwald, fichtenwald, buchenwald, waldweg, waldrand',
  ],
  [
    'grass, lawn, meadow, field, pasture, pitch, turf',
    'gras, rasen, wiese, blumenwiese, feld, acker, weide, spielfeld, fußballfeld, sportplatz',
  ],
  ['nature', 'natur'],
  [
    'snow, snowy, winter, ice, frost, glacier',
    'schnee, verschneit, schneebedeckt, winter, winterlich, eis, frost, gletscher, schneelandschaft, winterlandschaft, neuschnee, raureif',
  ],
  ['sand, sandy', 'sand, sandig'],
  ['beach, seaside, shore, coast', 'strand, sandstrand, meeresstrand, ufer, küste, badestrand'],
  ['desert, dune, dunes', 'wüste, düne, dünen, sandwüste'],
  [
    'night, nighttime, night time, at night, by night, midnight, nocturnal',
    'nacht, nachts, bei nacht, in der nacht, nächtlich, mitternacht, nachtaufnahme, nachtaufnahmen, nachtszene, nachtzeit',
  ],
  ['day, daytime, by day, at day', 'tag, tagsüber, bei tag, am tag, bei tage'],
  [
    'city lights, street lights, lights, lamps, night city, city at night, skyline at night, fairy lights',
    'lichter der stadt, stadtlichter, straßenlaternen, straßenlampen, laternen, laterne, lichter, lampen, nächtliche stadt, stadt bei nacht, ' +
      'stadt nachts, lichterkette, lichterketten, beleuchtung',
  ],
  [
    'stars, starry, starry sky, night sky, galaxy, milky way, space',
    'sterne, stern, sternenklar, sternenhimmel, sternhimmel, nachthimmel, galaxie, milchstraße, weltall, weltraum',
  ],
  [
    'sunset, sunrise, dusk, dawn, golden hour, sundown, afterglow, twilight, evening sky',
    'sonnenuntergang, sonnenaufgang, abenddämmerung, morgendämmerung, dämmerung, morgengrauen, goldene stunde, abendrot, morgenrot, zwielicht, abendhimmel',
  ],
  [
    'fire, flame, flames, burning, bonfire, campfire, explosion, candle, candlelight',
    'feuer, flamme, flammen, brennend, lagerfeuer, explosion, kerze, kerzen, kerzenlicht, kerzenschein',
  ],
  ['skin, close up of skin, hand, hands', 'haut, nahaufnahme von haut, nahaufnahme der haut, hand, hände'],
  [
    'face, face close up, close up of a face, facial',
    'gesicht, gesichter, nahaufnahme eines gesichts, nahaufnahme vom gesicht, nahaufnahme von gesichtern',
  ],
  [
    'close up, closeup, close-up, close up shot, close-up shot',
    'nahaufnahme, nahaufnahmen, großaufnahme, großaufnahmen',
  ],
  [
    'close up of, close-up of, closeup of, close up shot of, close-up shot of',
    'nahaufnahme von, nahaufnahmen von, nahaufnahme eines, nahaufnahme einer, großaufnahme von, großaufnahmen von, großaufnahme eines, großaufnahme einer',
  ],
  ['medium shot, mid shot, mid-shot', 'halbnahe, halbnah, halbnahaufnahme'],
  ['medium shot of, mid shot of', 'halbnahe von, halbnahe eines, halbnahe einer'],
  [
    'wide shot of, long shot of, full shot of',
    'totale von, totale eines, totale einer, halbtotale von, halbtotale eines, halbtotale einer',
  ],
  ['macro', 'makro, makroaufnahme, makroaufnahmen'],
  ['portrait, headshot, head shot', 'porträt, portrait, porträts, portraits, porträtaufnahme, kopfaufnahme'],
  [
    'landscape, scenery, panorama, vista, countryside',
    'landschaft, landschaften, panorama, aussicht, ausblick, ländlich, landschaftsaufnahme',
  ],
  ['wide shot, long shot, full shot', 'totale, totalen, halbtotale, halbtotalen'],
  [
    'document, page, paper, paperwork, letter, book page, form, whiteboard',
    'dokument, dokumente, seite, buchseite, papier, papiere, unterlagen, brief, formular, whiteboard, schriftstück',
  ],
  [
    'text, writing, words, letters, lettering, caption, captions, subtitles, title, titles, credits',
    'text, texte, schrift, wörter, worte, buchstaben, schriftzug, bildunterschrift, untertitel, titel, abspann, vorspann, beschriftung',
  ],
  [
    'fog, foggy, mist, misty, haze, hazy, smoke, smoky',
    'nebel, neblig, dunst, dunstig, diesig, rauch, rauchig, qualm, verraucht',
  ],
  [
    'rock, rocks, rocky, stone, stones, gravel, cliff, rubble',
    'fels, felsen, felsig, stein, steine, steinig, kies, schotter, klippe, klippen, geröll',
  ],
  [
    'concrete, asphalt, road, pavement, tarmac, cement',
    'beton, asphalt, straße, gehweg, gehsteig, bürgersteig, pflaster, teer, zement, landstraße, autobahn',
  ],
  ['soil, earth, mud, muddy, dirt, ground', 'erde, boden, erdboden, schlamm, schlammig, matsch, dreck'],
];
