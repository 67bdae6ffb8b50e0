// Encodes and muxes a film: pictures and sound that functions produce, subtitles and tags. The file appears
// under its name only when it is complete.
import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  AVFMT_FLAG_BITEXACT,
  Dictionary,
  FormatContext,
  OutputFormat,
  type Packet,
  type Stream,
} from '../../../actors/decoder/ffmpeg.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import { createCheckpoint } from '../../../runtime/sync/checkpoint.ts';
import { CaptionTrack, type FilmCaptions } from './captions.ts';
import { type FilmPicture, PictureTrack } from './picture.ts';
import { type FilmSound, SoundTrack } from './sound.ts';
import { type FilmTrack, filmErrors, must, setOptions, type TimeBase } from './track.ts';

export interface Film {
  /** The extension chooses the container: mp4, mov, mkv, webm, ts, avi, mxf, mpg, m4a, wav, flac, mp3. */
  readonly path: string;
  readonly picture?: FilmPicture;
  /** One track, or several. */
  readonly sound?: FilmSound | readonly FilmSound[];
  readonly captions?: FilmCaptions;
  /** FFmpeg's names: timecode, creation_time, make, model, location, title. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Options of the muxer: movflags and the like. */
  readonly container?: Readonly<Record<string, string>>;
}

/** Pictures, audio frames and cues between two turns of the event loop, so that an abort can arrive. */
const stepsPerTurn = 8;
let parts = 0;

/** Resolves when the film is complete at `film.path`; an abort or an error leaves no file. */
export async function writeFilm(film: Film, signal?: AbortSignal): Promise<void> {
  const part = join(dirname(film.path), `.film-${process.pid}-${parts++}.part`);
  try {
    await writePart(film, part, signal);
    await rename(part, film.path);
  } finally {
    await rm(part, { force: true });
  }
}

async function writePart(film: Film, part: string, signal: AbortSignal | undefined): Promise<void> {
  const { path } = film;
  const container = OutputFormat.guessFormat(null, path, null);
  if (!container) throw filmErrors.FILM_NOT_WRITTEN(`${path}: no container has this ending`, { path });
  const format = new FormatContext();
  const tracks: FilmTrack[] = [];
  try {
    must(format.allocOutputContext2(container, null, `file:${part}`), path, 'making the container');
    format.setFlags(AVFMT_FLAG_BITEXACT);
    if (film.picture) tracks.push(new PictureTrack(format, path, film.picture));
    for (const sound of [film.sound ?? []].flat()) tracks.push(new SoundTrack(format, path, sound));
    if (film.captions) tracks.push(new CaptionTrack(format, film.captions));
    if (film.tags) format.metadata = Dictionary.fromObject({ ...film.tags });
    must(format.openOutputSync(), path, 'opening');
    setOptions(format, film.container ?? {}, path);
    must(format.writeHeaderSync(null), path, 'writing the header');
    await writePackets(format, path, tracks, signal);
    must(format.writeTrailerSync(), path, 'writing the end');
  } finally {
    for (const track of tracks) track.close();
    format.closeOutputSync();
    format.freeContext();
  }
}

/** Always advances the track that is behind, so that the file is interleaved and the muxer buffers little. */
async function writePackets(
  format: FormatContext,
  path: string,
  tracks: readonly FilmTrack[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const write = (packet: Packet, stream: Stream, base: TimeBase) => {
    packet.streamIndex = stream.index;
    packet.rescaleTs(base, stream.timeBase);
    must(format.interleavedWriteFrameSync(packet), path, 'writing');
  };
  const throwIfCancelled = () => {
    if (signal?.aborted) throw engineErrors.CANCELLED(`${path}: writing was cancelled`, { path });
  };
  const checkpoint = createCheckpoint({ throwIfCancelled, alive: () => {} }, { every: stepsPerTurn });
  for (;;) {
    await checkpoint();
    const behind = tracks.reduce<FilmTrack | null>(
      (least, track) => (least === null || track.seconds < least.seconds ? track : least),
      null,
    );
    if (behind === null || behind.seconds === Infinity) return;
    behind.step(write);
  }
}
