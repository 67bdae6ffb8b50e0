// The black bars of a picture.
import { type Static, Type } from 'typebox';

const Share = Type.Number({ minimum: 0, maximum: 1 });

/** How wide each of them is, as a share of the width or the height. */
export const BarShares = Type.Object({ left: Share, top: Share, right: Share, bottom: Share });
export type BarShares = Static<typeof BarShares>;
