// The peaks of the sound of a file: how loud its loudest sample is, many times a second. It is made in short
// parts, so that other questions to the same decoder come in between.
import { Type } from 'typebox';
import { ask, Bytes } from '../../../runtime/contract.ts';
import { errorTable } from '../../../runtime/errors.ts';
import { nullable } from '../../../runtime/schema.ts';

export const peakErrors = errorTable({
  PEAKS_LOST: {
    meaning: 'The partial result was lost; the sound is decoded again',
    status: 503,
    retryable: true,
  },
});

/** Peaks in a second of sound, where it is no longer than a day; halved for each doubling beyond. */
export const peaksPerSecond = 50;

export const SoundPeaks = Type.Object({
  /** From the 0 of the picture grid. */
  per_second: Type.Number({ exclusiveMinimum: 0 }),
  /** One byte each: 0 for silence, 255 for full scale. *Moved*. */
  values: Bytes,
});

export const peakMessages = {
  /**
   * Goes on with a run, which the caller names; the first message of one `begins` it. The peaks of the
   * default track and those recorded with it, of all channels together, when the run is done; null before. A
   * run ends with its peaks, with an error and with `end_peaks`. Errors: PEAKS_LOST when the decoder does not
   * know the run, NO_SOUND, UNSUPPORTED_CODEC, DECODE_FAILED, FILE_CHANGED and those of opening a file.
   */
  peaks: ask(
    Type.Object({ path: Type.String(), run: Type.String(), begins: Type.Boolean() }),
    Type.Object({ peaks: nullable(SoundPeaks) }),
  ),
  end_peaks: ask(Type.Object({ run: Type.String() }), Type.Object({})),
};
