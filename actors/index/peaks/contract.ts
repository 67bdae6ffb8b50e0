// The peaks of the sound of media, kept so that nobody decodes it again to draw it.
import { Type } from 'typebox';
import { ask } from '../../../runtime/contract.ts';
import { nullable } from '../../../runtime/schema.ts';
import { SoundPeaks } from '../../decoder/peaks/contract.ts';
import { Folder } from '../store/contract.ts';

export const peakMessages = {
  /** Null where none are kept, or what is kept is damaged. */
  kept_peaks: ask(
    Type.Object({ ...Folder, hash_str: Type.String() }),
    Type.Object({ peaks: nullable(SoundPeaks) }),
  ),
  /**
   * Keeps them, until the media is forgotten. `kept` false: the media is not known, or the folder cannot be
   * written.
   */
  keep_peaks: ask(
    Type.Object({ ...Folder, hash_str: Type.String(), peaks: SoundPeaks }),
    Type.Object({ kept: Type.Boolean() }),
  ),
};
