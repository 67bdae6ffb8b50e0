// What a scene is: prepared once for a size, then painted for any moment. The same moment is the same picture.
import type { Canvas } from './canvas.ts';

/** Paints the picture of a moment, in seconds from the start of the scene, over the whole canvas. */
export type Paint = (canvas: Canvas, seconds: number) => void;

/** Prepares a scene for width×height px. */
export type Scene = (width: number, height: number) => Paint;
