// How the camera moves, as the decoder tells it with each grid frame.
import { type Static, Type } from 'typebox';

/**
 * What lies in the picture has moved by so much since the grid frame before: shares of its width and height,
 * to the right and down; `zoom`: share by which it has grown.
 */
export const CameraMotion = Type.Object({ dx: Type.Number(), dy: Type.Number(), zoom: Type.Number() });
export type CameraMotion = Static<typeof CameraMotion>;
