// The frames of sound that our own voice detector looks at.

/** Samples from one frame to the next: 20 ms. */
export const frameHop = 320;
/** Samples of the spectrum of a frame. */
export const frameSize = 512;
