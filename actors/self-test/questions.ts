// Known answers about the sample library and the media beside this file.
import type { ClassName } from '../things/contract.ts';

/** A file, and the second of a film: `beach.mp4@5`. */
export type QuestionPicture = string;

/** Texts, each with the pictures that it means. */
export const pictureQuestions: readonly (readonly [text: string, ...right: QuestionPicture[]])[] = [
  ['an orange sunset over the sea', 'sunset.jpg', 'sunset-over-the-sea.mp4@1'],
  ['the moon and stars over the dark sea', 'moon-over-the-sea.jpg', 'sunset-over-the-sea.mp4@12'],
  ['green hills under white clouds', 'hills.jpg', 'a-day-outdoors.mp4@2'],
  ['trees in a green forest', 'forest.jpg', 'a-day-outdoors.mp4@8'],
  ['a mountain covered with snow', 'snowy-mountain.jpg', 'a-day-outdoors.mp4@13'],
  ['a sandy beach', 'beach.webp', 'beach.mp4@5'],
  ['red flowers', 'red-flowers.jpg'],
  ['a street at night', 'street-at-night.jpg', 'the-red-car.mp4@3'],
  ['a red car', 'the-red-car.mp4@3'],
  ['a blue car', 'the-red-car.mp4@8', 'stop-sign.jpg'],
  ['a fire in the dark', 'fire.webp', 'camp-fire.mkv@4'],
  ['a stop sign', 'stop-sign.jpg'],
  ['a printed page', 'page-of-text.png'],
  ['red and white stripes', 'stripes.png'],
  ['a blue gradient', 'blue-gradient.png'],
  ['a red circle', 'shapes.webm@1'],
  ['a blue square', 'shapes.webm@4'],
  ['a green triangle', 'shapes.webm@7'],
  ['a yellow star', 'shapes.webm@10'],
  ['a black and white checkerboard', 'shapes.webm@15'],
];

type Box = readonly [left: number, top: number, width: number, height: number];

/** In shares of width and height. */
export const things: readonly (readonly [QuestionPicture, ClassName, Box])[] = [
  ['stop-sign.jpg', 'stop sign', [0.82, 0.21, 0.15, 0.26]],
  ['stop-sign.jpg', 'car', [0.44, 0.52, 0.28, 0.35]],
  ['street-at-night.jpg', 'car', [0.43, 0.51, 0.29, 0.37]],
  ['beach.webp', 'umbrella', [0.69, 0.56, 0.19, 0.23]],
  ['the-red-car.mp4@0', 'car', [0.41, 0.51, 0.29, 0.35]],
  ['the-red-car.mp4@2', 'car', [0.42, 0.51, 0.29, 0.35]],
  ['the-red-car.mp4@4', 'car', [0.4, 0.5, 0.3, 0.36]],
  ['the-red-car.mp4@7', 'car', [0.42, 0.52, 0.28, 0.34]],
];

/** Printed on `page-of-text.png`. */
export const printedWords: readonly string[] =
  'ferry island leaves morning tickets dogs lighthouse beach built 1887 twenty miles fish market Friday basket catch church rings Weather fresh west rain evening Sunday choir harbour Saturday seats cake grey white boat yard house mill'.split(
    ' ',
  );

/** Boxes of the faces in `faces.jpg`; two below each other are one person. */
export const faceBoxes: readonly Box[] = [0, 1].flatMap((row) =>
  [0, 1, 2].map((column): Box => {
    const size = row === 0 ? 0.4 : 0.3;
    return [
      (column + 0.5 - size / 2 + 0.02 * row) / 3,
      (row + 0.52 - size * 0.6) / 2,
      size / 3,
      (size * 1.25) / 2,
    ];
  }),
);

/** Said in `two-voices.ogg` by two voices in turn, from and to in seconds. */
export const sentences: readonly (readonly [from: number, to: number, text: string])[] = [
  [0.7, 4.2, 'Good morning. The sun is shining over the sea today.'],
  [4.9, 8.1, 'Thank you, I can see the lighthouse from the window.'],
  [8.7, 11.6, 'We will take the boat to the island in the afternoon.'],
  [12.4, 16.3, 'Please bring some bread and cheese, and a bottle of water.'],
];

/** A sample that is accompanied by a melody. */
export const melody = 'shapes.webm';

/** Samples in whose sound nobody speaks. */
export const withoutSpeech = ['camp-fire.mkv', 'shapes.webm'] as const;
