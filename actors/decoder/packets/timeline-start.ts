// Time 0 of a file, from which grid seconds, sound and subtitles are counted: the first presented picture, or
// without pictures the first sample of the audio track that starts first.
import type { Turn } from '../../../runtime/actor.ts';
import { mediaErrors } from '../contract.ts';
import { AVMEDIA_TYPE_AUDIO, noTimestamp, type Stream, ticks } from '../ffmpeg.ts';
import type { PacketTurn } from '../source/packet-checkpoint.ts';
import { openSource, type Source } from '../source/source.ts';
import { readHead } from './head.ts';

type StartTurn = PacketTurn & Pick<Turn, 'reserve'>;

/**
 * Seconds on the clock of the streams. The read position of `source` does not change: the video stream is
 * examined through a second source. Throws CANCELLED.
 */
export async function timelineStart(source: Source, turn: StartTurn): Promise<number> {
  return (source.video && (await videoStart(source.path, turn))) ?? audioStart(source);
}

/** Null when no picture can be decoded: then there is no grid either. */
async function videoStart(path: string, turn: StartTurn): Promise<number | null> {
  const source = await openSource(path, { turn });
  try {
    const { video, start } = await readHead(source, turn);
    return start === null ? null : inSeconds(video, start);
  } catch (error) {
    if (mediaErrors.DECODE_FAILED.is(error) || mediaErrors.UNSUPPORTED_CODEC.is(error)) return null;
    throw error;
  } finally {
    source.close();
  }
}

function audioStart({ format }: Source): number {
  const starts = format.streams
    .filter(
      ({ codecpar, startTime }) => codecpar.codecType === AVMEDIA_TYPE_AUDIO && startTime !== noTimestamp,
    )
    .map((stream) => inSeconds(stream, ticks(stream.startTime)!));
  return starts.length > 0 ? Math.min(...starts) : 0;
}

const inSeconds = ({ timeBase: { num, den } }: Stream, at: number) => (at * num) / den;
