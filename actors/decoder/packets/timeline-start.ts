// Where sound begins to be counted: the 0 of the picture grid is the first presented picture; without a picture it is
// the first sample of the track that begins first.
import { mediaErrors } from '../contract.ts';
import { AVMEDIA_TYPE_AUDIO, noTimestamp, type Stream } from '../ffmpeg.ts';
import { openSource, type Source, ticks } from '../source/source.ts';
import { firstLook } from './head.ts';

/** Seconds on the clock of the streams. The source stays where it is: the pictures are looked at through another. */
export async function timelineStart(source: Source): Promise<number> {
  return (source.video && (await pictureStart(source.path))) ?? soundStart(source);
}

/** Null when no picture can be decoded: then there is no grid either. */
async function pictureStart(path: string): Promise<number | null> {
  const source = await openSource(path);
  try {
    const { video, head } = firstLook(source);
    return head.start === null ? null : inSeconds(video, head.start);
  } catch (error) {
    if (mediaErrors.DECODE_FAILED.is(error) || mediaErrors.UNSUPPORTED_CODEC.is(error)) return null;
    throw error;
  } finally {
    source.close();
  }
}

function soundStart({ format }: Source): number {
  const starts = format.streams
    .filter(
      ({ codecpar, startTime }) => codecpar.codecType === AVMEDIA_TYPE_AUDIO && startTime !== noTimestamp,
    )
    .map((stream) => inSeconds(stream, ticks(stream.startTime)!));
  return starts.length > 0 ? Math.min(...starts) : 0;
}

const inSeconds = ({ timeBase: { num, den } }: Stream, at: number) => (at * num) / den;
