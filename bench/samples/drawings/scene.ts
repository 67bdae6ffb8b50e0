// A scene: prepared once for a size, then painted for any time. Painting is deterministic.
import type { Canvas } from './canvas.ts';

/** Paints the whole canvas for a time, in seconds from the start of the scene. */
export type Paint = (canvas: Canvas, seconds: number) => void;

/** Prepares a scene for width×height px. */
export type Scene = (width: number, height: number) => Paint;
