// What a file is for a browser: the type and the codecs that `HTMLMediaElement.canPlayType` takes. A codec
// that has no name there is told by that of FFmpeg, which no browser plays.
import type { Turn } from '../../../runtime/actor.ts';
import { AVMEDIA_TYPE_AUDIO, avGetCodecName, avGetCodecString, type Stream } from '../ffmpeg.ts';
import { isStillContainer, openSource, type Source } from '../source/source.ts';
import { isStill } from '../source/still.ts';

/** By the start of FFmpeg's name of the demuxer; `*` is `video` or `audio`. */
const containers: readonly (readonly [demuxer: RegExp, type: string])[] = [
  [/^mov/, '*/mp4'],
  [/^matroska/, '*/x-matroska'],
  [/^ogg/, '*/ogg'],
  [/^wav|^w64/, 'audio/wav'],
  [/^mp3/, 'audio/mpeg'],
  [/^flac/, 'audio/flac'],
  [/^aac/, 'audio/aac'],
  [/^aiff/, 'audio/aiff'],
  [/^mpegts/, 'video/mp2t'],
  [/^mpeg/, 'video/mpeg'],
  [/^avi/, 'video/x-msvideo'],
  [/^mxf/, 'application/mxf'],
  [/^flv/, 'video/x-flv'],
  [/^asf/, 'video/x-ms-asf'],
];
/** What WebM holds. */
const ofWebm = /^(vp8|vp9|vp08|vp09|av01|av1|opus|vorbis)/;
/** Types of which browsers know the one codec, and take no other word. */
const alone = /^audio\/(mpeg|flac|aac)$/;

export async function playable({ path }: { readonly path: string }, turn: Turn): Promise<string | null> {
  if (await isStill(path)) return null;
  turn.throwIfCancelled();
  const source = await openSource(path, { turn });
  try {
    return isStillContainer(source.container) ? null : playableType(source);
  } finally {
    source.close();
  }
}

function playableType({ container, video, format }: Source): string {
  const sound = format.streams.find(({ codecpar }) => codecpar.codecType === AVMEDIA_TYPE_AUDIO);
  const codecs = [video, sound].flatMap((stream) => (stream ? codecOf(stream) : []));
  const found = containers.find(([pattern]) => pattern.test(container))?.[1] ?? '*/x-unknown';
  const isWebm = found === '*/x-matroska' && codecs.every((codec) => ofWebm.test(codec));
  const type = (isWebm ? '*/webm' : found).replace('*', video ? 'video' : 'audio');
  return alone.test(type) && codecs.length < 2 ? type : `${type}; codecs="${codecs.join(', ')}"`;
}

function codecOf(stream: Stream): string {
  const { codecpar } = stream;
  return avGetCodecString(codecpar) ?? avGetCodecName(codecpar.codecId) ?? 'unknown';
}
