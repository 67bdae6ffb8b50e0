// Words for light, structure and scenes: which features they raise (1) or lower (-1), and which look of the
// cells they speak of when a place in the frame is named with them.
import type { CellLook, Feature } from '../layout.ts';

export interface LookWord {
  readonly words: string;
  readonly features: Partial<Record<Feature, number>>;
  /** Meaning of "… at the top" with this word. */
  readonly cell?: readonly [look: CellLook, sign: 1 | -1];
  /**
   * Less than .85 of its best matches are right on photographs of others (docs/measurements.md): they are
   * shown only if somebody asks for weaker matches, and the answer says so.
   */
  readonly isWeak?: true;
}

export const lookWords: readonly LookWord[] = [
  {
    words: 'bright, light, luminous, brightly lit, well lit, light coloured, light colored',
    features: { 'unit bright': 1 },
    cell: ['light', 1],
  },
  {
    words: 'dark, dim, gloomy, underexposed, poorly lit, dimly lit, shadow, shadowy',
    features: { 'unit dark': 1 },
    cell: ['light', -1],
  },
  {
    words: 'overexposed, high key, washed out',
    features: { 'unit high key': 1, 'unit bright': 0.4 },
    cell: ['light', 1],
    isWeak: true,
  },
  {
    words: 'low key, moody',
    features: { 'unit low key': 1, 'unit dark': 0.3 },
    cell: ['light', -1],
    isWeak: true,
  },
  {
    words: 'high contrast, contrasty, contrast, harsh light, hard light',
    features: { 'unit high contrast': 1 },
  },
  { words: 'low contrast, flat light, flat', features: { 'unit low contrast': 1 }, isWeak: true },
  {
    words: 'silhouette, backlit, backlight, against the light, contre jour',
    features: { 'unit backlit': 1, 'unit high contrast': 0.3 },
    isWeak: true,
  },
  {
    words: 'colourful, colorful, multicoloured, multicolored, many colours, many colors, rainbow',
    features: { 'unit colourful': 1, 'unit vivid': 0.3 },
  },
  { words: 'vivid, saturated, neon', features: { 'unit vivid': 1 } },
  { words: 'muted, dull, faded, desaturated, subdued', features: { 'unit muted': 1, 'unit vivid': -0.5 } },
  { words: 'pastel, pastels', features: { 'unit pastel': 1 } },
  {
    words:
      'black and white, black white, b w, bw, monochrome, monochromatic, grayscale, greyscale, grey scale, gray scale, colourless, colorless, without colour, without color',
    features: { 'unit colourless': 1 },
    isWeak: true,
  },
  { words: 'sepia, vintage, old photo', features: { 'unit sepia': 1 }, isWeak: true },
  {
    words: 'warm, warm light, warm tones, warm colours, warm colors',
    features: { 'unit warm': 1, 'unit cool': -0.3 },
  },
  {
    words: 'cool, cold, cool tones, cool light, cool colours, cool colors, icy',
    features: { 'unit cool': 1, 'unit warm': -0.3 },
  },

  {
    words: 'sharp, crisp, in focus, focused, detailed',
    features: { 'unit sharp': 1, 'unit blurred': -0.5 },
    cell: ['sharp', 1],
  },
  {
    words:
      'blurred, blurry, blur, out of focus, defocused, unfocused, soft focus, unsharp, bokeh, motion blur',
    features: { 'unit blurred': 1, 'unit sharp': -0.5 },
    cell: ['sharp', -1],
  },
  {
    words: 'busy, crowded, cluttered, clutter, complex, chaotic, crowd',
    features: { 'unit busy': 1, 'unit plain': -0.3 },
    cell: ['busy', 1],
  },
  {
    words:
      'plain, uniform, minimal, minimalist, minimalistic, simple, clean, monotone, solid, solid colour, solid color, plain background, plain backdrop, solid background',
    features: { 'unit plain': 1, 'unit busy': -0.4 },
    cell: ['busy', -1],
  },
  {
    words: 'empty, blank, nothing, void',
    features: { 'unit empty': 1, 'unit plain': 0.5 },
    cell: ['busy', -1],
    isWeak: true,
  },
  {
    words: 'textured, texture, rough, grainy, noisy, grain, noise',
    features: { 'unit textured': 1 },
    cell: ['busy', 1],
    isWeak: true,
  },
  { words: 'smooth, gradient', features: { 'unit smooth': 1 }, cell: ['busy', -1] },
  { words: 'edges, contours, outline', features: { 'unit edges': 1 }, cell: ['busy', 1] },

  { words: 'horizontal lines, horizontal, horizon', features: { 'unit horizontal lines': 1 }, isWeak: true },
  {
    words: 'vertical lines, vertical, columns, pillars',
    features: { 'unit vertical lines': 1 },
    isWeak: true,
  },
  { words: 'diagonal lines, diagonal, slanted, tilted', features: { 'unit diagonal lines': 1 } },
  {
    words: 'lines, line',
    features: { 'unit horizontal lines': 0.5, 'unit vertical lines': 0.5, 'unit diagonal lines': 0.5 },
    isWeak: true,
  },
  {
    words: 'stripes, striped, stripy, bands, blinds',
    features: { 'unit horizontal stripes': 1, 'unit vertical stripes': 1, 'unit diagonal stripes': 1 },
  },
  { words: 'horizontal stripes, horizontally striped', features: { 'unit horizontal stripes': 1 } },
  { words: 'vertical stripes, vertically striped, bars', features: { 'unit vertical stripes': 1 } },
  { words: 'diagonal stripes, diagonally striped', features: { 'unit diagonal stripes': 1 } },
  {
    words: 'grid, lattice, tiles, tiled, mesh',
    features: { 'unit grid': 1 },
  },
  {
    words: 'checkered, chequered, checker, checkerboard, chequerboard, chessboard, chess board, checked',
    features: { 'unit grid': 1 },
    isWeak: true,
  },
  {
    words: 'brick wall, brick walls, bricks, brickwork, masonry',
    features: { 'unit brickwork': 1 },
    isWeak: true,
  },
  { words: 'symmetry, symmetrical, symmetric, mirrored, reflection', features: { 'unit symmetrical': 1 } },

  { words: 'sky', features: { 'unit blue sky': 0.8, 'unit cloudy sky': 0.5 } },
  {
    words: 'blue sky, clear sky, sunny sky, sunny, sunshine, daylight, summer sky',
    features: { 'unit blue sky': 1 },
  },
  {
    words: 'cloudy, overcast, grey sky, gray sky, cloudy sky',
    features: { 'unit cloudy sky': 1 },
    isWeak: true,
  },
  { words: 'cloud, clouds', features: { 'unit clouds': 1 }, isWeak: true },
  {
    words: 'sea, ocean, water, lake, waves, wave, seascape, river',
    features: { 'unit sea': 1 },
    isWeak: true,
  },
  { words: 'underwater, under water, diving, aquarium', features: { 'unit underwater': 1 }, isWeak: true },
  {
    words: 'foliage, leaves, leaf, bush, bushes, plants, plant, vegetation, garden, hedge, jungle',
    features: { 'unit foliage': 1 },
    isWeak: true,
  },
  {
    words: 'forest, woods, woodland, trees, tree, rainforest',
    features: { 'unit forest': 1, 'unit foliage': 0.4 },
    isWeak: true,
  },
  { words: 'grass, lawn, meadow, field, pasture, pitch, turf', features: { 'unit grass': 1 }, isWeak: true },
  {
    words: 'nature',
    features: { 'unit foliage': 0.6, 'unit grass': 0.6, 'unit landscape': 0.3 },
    isWeak: true,
  },
  { words: 'snow, snowy, winter, ice, frost, glacier', features: { 'unit snow': 1 }, isWeak: true },
  { words: 'sand, sandy', features: { 'unit sand': 1, 'unit beach': 0.3, 'unit desert': 0.3 }, isWeak: true },
  { words: 'beach, seaside, shore, coast', features: { 'unit beach': 1 }, isWeak: true },
  { words: 'desert, dune, dunes', features: { 'unit desert': 1, 'unit sand': 0.3 }, isWeak: true },
  {
    words: 'night, nighttime, night time, at night, by night, midnight, nocturnal',
    features: { 'unit night': 1 },
    isWeak: true,
  },
  { words: 'day, daytime, by day, at day', features: { 'unit night': -0.7, 'unit bright': 0.5 } },
  {
    words:
      'city lights, street lights, lights, lamps, night city, city at night, skyline at night, fairy lights',
    features: { 'unit city lights': 1, 'unit night': 0.3 },
    isWeak: true,
  },
  {
    words: 'stars, starry, starry sky, night sky, galaxy, milky way, space',
    features: { 'unit stars': 1, 'unit night': 0.3 },
    isWeak: true,
  },
  {
    words: 'sunset, sunrise, dusk, dawn, golden hour, sundown, afterglow, twilight, evening sky',
    features: { 'unit sunset': 1 },
  },
  {
    words: 'fire, flame, flames, burning, bonfire, campfire, explosion, candle, candlelight',
    features: { 'unit fire': 1 },
    isWeak: true,
  },
  {
    words: 'skin, close up of skin, hand, hands',
    features: { 'unit skin close-up': 1, 'unit portrait': 0.3 },
    isWeak: true,
  },
  {
    words: 'face, face close up, close up of a face, facial',
    features: { 'unit portrait': 1, 'unit skin close-up': 0.3 },
    isWeak: true,
  },
  {
    words: 'close up, closeup, macro',
    features: { 'unit skin close-up': 0.5, 'unit blurred': 0.4 },
    isWeak: true,
  },
  {
    words: 'portrait, headshot, head shot',
    features: { 'unit portrait': 1, 'unit skin close-up': 0.4 },
    isWeak: true,
  },
  {
    words: 'landscape, scenery, panorama, vista, countryside, wide shot',
    features: { 'unit landscape': 1, 'unit blue sky': 0.2, 'unit grass': 0.2 },
  },
  {
    words: 'document, page, paper, paperwork, letter, book page, form, whiteboard',
    features: { 'unit document': 1, 'unit text': 0.4 },
    isWeak: true,
  },
  {
    words: 'text, writing, words, letters, lettering, caption, captions, subtitles, title, titles, credits',
    features: { 'unit text': 1, 'unit document': 0.4 },
    isWeak: true,
  },
  { words: 'fog, foggy, mist, misty, haze, hazy, smoke, smoky', features: { 'unit fog': 1 } },
  {
    words: 'rock, rocks, rocky, stone, stones, gravel, cliff, rubble',
    features: { 'unit rock': 1 },
    isWeak: true,
  },
  {
    words: 'concrete, asphalt, road, pavement, tarmac, cement',
    features: { 'unit concrete': 1 },
    isWeak: true,
  },
  { words: 'soil, earth, mud, muddy, dirt, ground', features: { 'unit soil': 1 } },
];
