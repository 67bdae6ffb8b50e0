// Facts about a media file, from its headers and tags. Nothing is decoded beyond what FFmpeg needs to
// recognise the streams.
import type { Turn } from '../../../runtime/actor.ts';
import { clockTime, mediaErrors, type Probe, type VideoStream } from '../contract.ts';
import {
  AV_DISPOSITION_COMMENT,
  AV_DISPOSITION_DEFAULT,
  AV_DISPOSITION_FORCED,
  AV_DISPOSITION_HEARING_IMPAIRED,
  AVMEDIA_TYPE_AUDIO,
  AVMEDIA_TYPE_SUBTITLE,
  avChannelLayoutDescribe,
  avGetCodecName,
  avGetCodecString,
  avGetPixFmtName,
  Codec,
  type Stream,
  ticks,
} from '../ffmpeg.ts';
import { gridLength } from '../grid.ts';
import { shownSize } from '../source/coded-size.ts';
import { readFileStamp } from '../source/file.ts';
import { type PacketTurn, packetCheckpoint } from '../source/packet-checkpoint.ts';
import { isStillContainer, openSource, type Source } from '../source/source.ts';
import { isStill, openStill } from '../source/still.ts';
import type { Still } from '../source/stills/still.ts';
import {
  codedSize,
  frameRate,
  frameStep,
  mostSeconds,
  pictureRate,
  pictureSeconds,
} from '../source/stream.ts';
import { frames, saysDropFrame, timecode } from '../timecode.ts';
import { paceVaries } from './pace.ts';
import { readExif, readTags, type TagFacts, type Tags } from './tags.ts';
import { type Embedded, xmpOf } from './xmp.ts';

const noTimecode = { text: '00:00:00:00', drop_frame: false };

/**
 * Errors: FILE_NOT_FOUND, FILE_UNREADABLE, FILE_EMPTY, NOT_MEDIA, NO_PICTURE, DECODE_FAILED, TOO_LARGE,
 * CANCELLED.
 */
export async function probe(
  { path, pace = false }: { readonly path: string; readonly pace?: boolean | undefined },
  turn: Turn,
): Promise<Probe> {
  const { size } = await readFileStamp(path);
  const size_bytes = Number(size);
  const still = await openStill(path);
  if (still) return withXmp(probeStill(still, size_bytes), path, still);
  turn.throwIfCancelled();
  const source = await openSource(path, { turn });
  try {
    const facts = source.video
      ? await probeVideo(source, size_bytes, turn, pace)
      : await probeAudio(source, size_bytes, turn);
    return await withXmp(facts, path);
  } finally {
    source.close();
  }
}

async function withXmp(facts: Probe, path: string, embedded: Partial<Embedded> = {}): Promise<Probe> {
  const read = await xmpOf(path, embedded);
  if (!read) return facts;
  const { xmp, corrected, taken } = read;
  return { ...facts, creation_date: corrected ?? facts.creation_date ?? taken, xmp };
}

async function probeVideo(source: Source, size_bytes: number, turn: Turn, pace: boolean): Promise<Probe> {
  const video = source.video!;
  const still = isStillContainer(source.container);
  const sound = audioStreams(source);
  source.lookForFields();
  if (!still) source.lookForRate();
  const varies = pace && !still ? { rate_varies: paceVaries(source) } : {};
  const seconds = still ? 0 : (pictureSeconds(source) ?? (await scanSeconds(source, turn)));
  if (seconds === null) {
    if (sound.length > 0) return probeAudio(source, size_bytes, turn);
    throw mediaErrors.NO_PICTURE(`${source.path}: has a video stream without pictures`, {
      path: source.path,
    });
  }
  return {
    kind: still ? 'image' : 'video',
    container: source.container,
    brand: brand(source),
    size_bytes,
    duration_seconds: seconds,
    grid_frames: still ? 1 : gridLength(seconds),
    ...shownSize(codedSize(video)),
    video: { ...videoStream(source, video), ...varies },
    audio: sound,
    subtitles: subtitleStreams(source),
    timecode: startTimecode(source, video),
    ...tagFacts(source),
    ...clockWarning(source),
  };
}

async function probeAudio(source: Source, size_bytes: number, turn: PacketTurn): Promise<Probe> {
  const audio = audioStreams(source);
  if (audio.length === 0) {
    throw mediaErrors.NOT_MEDIA(`${source.path}: has neither pictures nor sound`, { path: source.path });
  }
  return {
    kind: 'audio',
    container: source.container,
    brand: brand(source),
    size_bytes,
    duration_seconds: await soundSeconds(source, turn),
    grid_frames: 0,
    width: 0,
    height: 0,
    video: null,
    audio,
    subtitles: subtitleStreams(source),
    timecode: { ...noTimecode, rate: { num: 25, den: 1 } },
    ...tagFacts(source),
    ...clockWarning(source),
  };
}

function probeStill(still: Still, size_bytes: number): Probe {
  const exif = readExif(still.exif);
  return {
    kind: 'image',
    container: still.container,
    size_bytes,
    duration_seconds: 0,
    grid_frames: 1,
    width: still.width,
    height: still.height,
    video: null,
    still: still.samples,
    audio: [],
    subtitles: [],
    timecode: { ...noTimecode, rate: { num: 25, den: 1 } },
    creation_date: exif.taken,
    camera_make: exif.make,
    camera_model: exif.model,
    location: exif.location,
    orientation: still.orientation,
  };
}

/** Places named in a warning. */
const mostNamed = 3;

function clockWarning({ restarts, gaps, video }: Source): Pick<Probe, 'warning'> {
  const what = video ? 'picture' : 'sound';
  const texts = [
    ...(restarts.length === 0
      ? []
      : [`its clock restarts at ${named(restarts.map(clockTime))}; times go on from there`]),
    ...(gaps.length === 0
      ? []
      : [
          `it has no ${what} at ${named(gaps.map(({ at, seconds }) => `${clockTime(at)} for ${Math.round(seconds)} s`))}`,
        ]),
  ];
  return texts.length > 0 ? { warning: texts.join('; ') } : {};
}

function named(places: readonly string[]): string {
  const more = places.length - mostNamed;
  const first = places.slice(0, mostNamed).join(', ');
  return more > 0 ? `${first} and ${more} more ${more === 1 ? 'place' : 'places'}` : first;
}

/** Brands have four characters, padded with spaces. */
function brand({ format }: Source): string | null {
  return format.metadata?.get('major_brand')?.trim() || null;
}

function videoStream(source: Source, stream: Stream): VideoStream {
  const { codecpar } = stream;
  const { width, height, pixelAspect, rotation } = codedSize(stream);
  const pixel_format = avGetPixFmtName(codecpar.format as Parameters<typeof avGetPixFmtName>[0]) ?? 'unknown';
  const profiles = Codec.findDecoder(codecpar.codecId)?.profiles ?? [];
  return {
    index: stream.index,
    codec: source.codec,
    profile: profiles.find(({ profile }) => profile === codecpar.profile)?.name ?? null,
    coded_width: width,
    coded_height: height,
    pixel_aspect: pixelAspect,
    rotation,
    pixel_format,
    bit_depth: codecpar.bitsPerRawSample > 0 ? codecpar.bitsPerRawSample : bitDepth(pixel_format),
    color_space: colourSpace(codecpar.colorSpace),
    color_transfer: colourTransfer(codecpar.colorTrc),
    color_primaries: colourPrimaries(codecpar.colorPrimaries),
    hdr: isHdr(codecpar.colorTrc),
    frame_rate: pictureRate(source) ?? { num: 0, den: 1 },
    bit_rate: codecpar.bitRate > 0n ? Number(codecpar.bitRate) : null,
  };
}

/** yuv420p10le has 10 bits, p016 has 16, names without a number have 8. */
function bitDepth(pixelFormat: string): number {
  const match = /(?:p|gray|gbrap?|x2rgb|bayer_\w+?)(9|10|12|14|16)(?:[lb]e)?$|^p0(10|12|16)|48|64/.exec(
    pixelFormat,
  );
  return match ? Number(match[1] ?? match[2] ?? 16) : 8;
}

function audioStreams(source: Source): Probe['audio'] {
  return ofType(source, AVMEDIA_TYPE_AUDIO).map((stream) => ({
    index: stream.index,
    codec: avGetCodecName(stream.codecpar.codecId) ?? 'unknown',
    sample_rate: stream.codecpar.sampleRate,
    channels: stream.codecpar.channels,
    layout: avChannelLayoutDescribe(stream.codecpar.channelLayout),
    language: language(stream),
  }));
}

function subtitleStreams(source: Source): Probe['subtitles'] {
  return ofType(source, AVMEDIA_TYPE_SUBTITLE).map((stream) => ({
    index: stream.index,
    codec: avGetCodecName(stream.codecpar.codecId) ?? 'unknown',
    language: language(stream),
    ...subtitleKind(stream.disposition, tagsOf(stream).title ?? ''),
    ...((stream.disposition & AV_DISPOSITION_DEFAULT) !== 0 && { is_default: true as const }),
  }));
}

/** The title counts too, since many writers set no flag. */
function subtitleKind(flags: number, title: string): Pick<Probe['subtitles'][number], 'kind'> {
  if ((flags & AV_DISPOSITION_FORCED) !== 0 || /\b(forced|foreign|signs)\b/i.test(title))
    return { kind: 'forced' };
  if ((flags & AV_DISPOSITION_COMMENT) !== 0 || /\bcomment/i.test(title)) return { kind: 'comment' };
  const isForDeaf = (flags & AV_DISPOSITION_HEARING_IMPAIRED) !== 0;
  return isForDeaf || /\b(sdh|cc|hearing)\b/i.test(title) ? { kind: 'sdh' } : {};
}

const ofType = ({ format }: Source, type: number) =>
  format.streams.filter((stream) => stream.codecpar.codecType === type);

const tagsOf = (stream: Stream): Tags => stream.metadata?.getAll() ?? {};

function language(stream: Stream): string | null {
  const code = tagsOf(stream).language;
  return code === undefined || code === 'und' ? null : code;
}

function tagFacts({ format }: Source): TagFacts {
  return readTags([format.metadata?.getAll() ?? {}, ...format.streams.map(tagsOf)]);
}

/** From a timecode tag or the timecode track, which has a rate of its own. */
function startTimecode(source: Source, video: Stream): Probe['timecode'] {
  const { format } = source;
  const defaultRate = pictureRate(source) ?? { num: 25, den: 1 };
  const track = format.streams.find((stream) => stream !== video && 'timecode' in tagsOf(stream));
  const text =
    tagsOf(video).timecode ?? format.metadata?.get('timecode') ?? (track && tagsOf(track).timecode);
  const rate = (track && frameRate(track)) ?? defaultRate;
  if (text === undefined || text === null) return { ...noTimecode, rate };
  const drop_frame = saysDropFrame(text);
  const counting = { rate, dropFrame: drop_frame };
  const count = frames(text, counting);
  return count === null ? { ...noTimecode, rate } : { text: timecode(count, counting), drop_frame, rate };
}

async function soundSeconds(source: Source, turn: PacketTurn): Promise<number> {
  const { clockSeconds, isEstimated, format } = source;
  const said = clockSeconds ?? Number(format.duration) / 1e6;
  return said > 0 && !isEstimated ? said : ((await scanSeconds(source, turn)) ?? 0);
}

// The duration of the guiding stream when the container does not say, or only estimates: reads its packets
// without decoding them.

/** Bytes read, at most: what follows is not counted. */
const mostBytes = 4 * 1024 ** 3;

/** Seconds; null when the stream has no packets. Leaves the source at its end. Throws CANCELLED. */
async function scanSeconds(source: Source, turn: PacketTurn): Promise<number | null> {
  const { video, guide } = source;
  if (!guide) return null;
  source.only([guide.index]);
  let step = video ? frameStep(source) : 0;
  const checkpoint = packetCheckpoint(turn);
  let packets = 0;
  let counted = 0;
  let bytes = 0;
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (let packet = source.next(); packet; packet = source.next()) {
    packets++;
    bytes += packet.size;
    if (!video) step = Number(packet.duration);
    counted += step;
    const at = ticks(packet.pts) ?? ticks(packet.dts);
    if (at !== null) {
      first = Math.min(first, at);
      last = Math.max(last, at);
    }
    packet.free();
    if (bytes > mostBytes) break;
    await checkpoint();
  }
  if (packets === 0) return null;
  const span = last >= first ? last - first + step : 0;
  const { num, den } = guide.timeBase;
  // In raw streams few packets have a time, if any; then their number is the better measure.
  return Math.min(mostSeconds(source), ((span > counted / 2 ? span : counted) * num) / den);
}

// Names of the code points for colour spaces, transfer functions and primaries (ITU-T H.273).

const spaces: Readonly<Record<number, string>> = {
  0: 'rgb',
  1: 'bt709',
  4: 'fcc',
  5: 'bt470bg',
  6: 'smpte170m',
  7: 'smpte240m',
  8: 'ycgco',
  9: 'bt2020nc',
  10: 'bt2020c',
  11: 'smpte2085',
  12: 'chroma-derived-nc',
  13: 'chroma-derived-c',
  14: 'ictcp',
};
const transfers: Readonly<Record<number, string>> = {
  1: 'bt709',
  4: 'bt470m',
  5: 'bt470bg',
  6: 'smpte170m',
  7: 'smpte240m',
  8: 'linear',
  9: 'log100',
  10: 'log316',
  11: 'iec61966-2-4',
  12: 'bt1361e',
  13: 'iec61966-2-1',
  14: 'bt2020-10',
  15: 'bt2020-12',
  16: 'smpte2084',
  17: 'smpte428',
  18: 'arib-std-b67',
};
const primaries: Readonly<Record<number, string>> = {
  1: 'bt709',
  4: 'bt470m',
  5: 'bt470bg',
  6: 'smpte170m',
  7: 'smpte240m',
  8: 'film',
  9: 'bt2020',
  10: 'smpte428',
  11: 'smpte431',
  12: 'smpte432',
  22: 'ebu3213',
};

/** Name of a code point; null when unspecified or unknown. */
const colourSpace = (code: number): string | null => spaces[code] ?? null;
const colourTransfer = (code: number): string | null => transfers[code] ?? null;
const colourPrimaries = (code: number): string | null => primaries[code] ?? null;

/** High dynamic range by its transfer function: PQ or HLG. */
const isHdr = (transfer: number): boolean => transfer === 16 || transfer === 18;

// Media type of a file with its codecs, the argument for `HTMLMediaElement.canPlayType`. A codec without a
// name there gets FFmpeg's, which no browser plays.

/** Types by the start of FFmpeg's name of the demuxer; `*` is `video` or `audio`. */
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
/** Codecs of WebM. */
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
  const template = containers.find(([pattern]) => pattern.test(container))?.[1] ?? '*/x-unknown';
  const isWebm = template === '*/x-matroska' && codecs.every((codec) => ofWebm.test(codec));
  const type = (isWebm ? '*/webm' : template).replace('*', video ? 'video' : 'audio');
  return alone.test(type) && codecs.length < 2 ? type : `${type}; codecs="${codecs.join(', ')}"`;
}

function codecOf(stream: Stream): string {
  const { codecpar } = stream;
  return avGetCodecString(codecpar) ?? avGetCodecName(codecpar.codecId) ?? 'unknown';
}
