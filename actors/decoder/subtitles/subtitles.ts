// The events of one embedded subtitle track, with the text as its packets contain it; the caller interprets
// markup.
import type { Turn } from '../../../runtime/actor.ts';
import type { Reply, Request } from '../../../runtime/contract.ts';
import { type decoderContract, mediaErrors } from '../contract.ts';
import { AVMEDIA_TYPE_SUBTITLE, avGetCodecName, Packet, type Stream, ticks } from '../ffmpeg.ts';
import { timelineStart } from '../packets/head.ts';
import { readFileStamp } from '../source/file.ts';
import { packetCheckpoint } from '../source/packet-checkpoint.ts';
import { openSource, type Source } from '../source/source.ts';
import { isStill } from '../source/still.ts';

type SubtitlesRequest = Request<typeof decoderContract, 'subtitles'>;
type SubtitlesReply = Reply<typeof decoderContract, 'subtitles'>;
type Cue = SubtitlesReply['cues'][number];

/** Codecs whose packets contain text; others contain pictures, or need a decoder. */
const textCodecs = new Set(['mov_text', 'subrip', 'srt', 'text', 'ass', 'ssa', 'webvtt', 'ttml']);
/** Seconds that an event of unknown duration is shown, unless another follows earlier. */
const unknownLength = 5;

/** Times count from the 0 of the picture grid. Errors: NO_SUBTITLES and those of `openSource`. */
export async function subtitles(request: SubtitlesRequest, turn: Turn): Promise<SubtitlesReply> {
  const { path, stream_index } = request;
  await readFileStamp(path);
  if (await isStill(path))
    throw mediaErrors.NO_SUBTITLES(`${path}: is a picture without subtitles`, { path });
  turn.throwIfCancelled();
  const source = await openSource(path, { turn });
  try {
    const stream = textStream(source, stream_index);
    const codec = codecName(stream);
    const zero = await timelineStart(source, turn);
    source.only([stream.index]);
    const cues = await readCues(source, stream, zero, turn);
    const { extradata } = stream.codecpar;
    const header = hasHeader(codec) && extradata ? packetText('text', extradata).trimEnd() : '';
    return { codec, header: header || null, cues };
  } finally {
    source.close();
  }
}

const codecName = ({ codecpar }: Stream) => avGetCodecName(codecpar.codecId) ?? 'unknown';

function textStream({ path, format }: Source, index: number): Stream {
  const stream = format.streams[index];
  if (stream?.codecpar.codecType !== AVMEDIA_TYPE_SUBTITLE) {
    throw mediaErrors.NO_SUBTITLES(`${path}: its stream ${index} is not a subtitle track`, { path, index });
  }
  const codec = codecName(stream);
  if (!textCodecs.has(codec)) {
    throw mediaErrors.NO_SUBTITLES(`${path}: the subtitles of stream ${index} are ${codec}, not text`, {
      path,
      index,
      codec,
    });
  }
  return stream;
}

/** Ascending by start. Events without text only end the event before. */
async function readCues(source: Source, stream: Stream, zero: number, turn: Turn): Promise<Cue[]> {
  const codec = codecName(stream);
  const { num, den } = stream.timeBase;
  const events: { start: number; length: number; text: string }[] = [];
  const packet = new Packet();
  packet.alloc();
  const checkpoint = packetCheckpoint(turn);
  try {
    while (source.read(packet)) {
      await checkpoint();
      const at = ticks(packet.pts) ?? ticks(packet.dts);
      const data = packet.data;
      if (at !== null && data) {
        const length = (Number(packet.duration) * num) / den;
        events.push({ start: (at * num) / den - zero, length, text: packetText(codec, data) });
      }
      packet.unref();
    }
  } finally {
    packet.free();
  }
  events.sort((a, b) => a.start - b.start);
  return events.flatMap(({ start, length, text }, i) => {
    const next = events.slice(i + 1, i + 64).find((event) => event.start > start)?.start;
    const shown = length > 0 ? length : Math.min(unknownLength, (next ?? Number.POSITIVE_INFINITY) - start);
    if (text === '' || start + shown <= 0) return [];
    return [{ start_seconds: Math.max(0, start), end_seconds: start + shown, text }];
  });
}

// The text in a subtitle packet, by codec.

/** Codecs whose extradata is a text header. */
export function hasHeader(codec: string): boolean {
  return codec === 'ass' || codec === 'ssa' || codec === 'webvtt';
}

/** Text of a packet; empty for one that only ends the event before. */
export function packetText(codec: string, data: Uint8Array): string {
  if (codec === 'mov_text') return timedText(data);
  if (codec === 'webvtt' && isBox(data)) return boxedCues(data);
  return decoded(data);
}

/** 3GPP timed text: a length of two bytes, the text, then boxes with styles. */
function timedText(data: Uint8Array): string {
  if (data.length < 2) return '';
  const length = (data[0]! << 8) | data[1]!;
  return decoded(data.subarray(2, 2 + length));
}

/** UTF-8, or UTF-16 with a byte order mark; invalid bytes become U+FFFD. Text ends at the first NUL. */
function decoded(data: Uint8Array): string {
  const [first, second] = data;
  const wide =
    first === 0xfe && second === 0xff ? 'utf-16be' : first === 0xff && second === 0xfe ? 'utf-16le' : null;
  const text = new TextDecoder(wide ?? 'utf-8').decode(data);
  const end = text.indexOf('\0');
  return end < 0 ? text : text.slice(0, end);
}

const cueBoxes = new Set(['vttc', 'vtte', 'vtta']);

/** WebVTT in MP4 (ISO/IEC 14496-30) is in boxes; elsewhere it is plain text. */
function isBox(data: Uint8Array): boolean {
  return data.length >= 8 && cueBoxes.has(boxes(data)[0]?.name ?? '');
}

/** The payloads of all cues of a sample. */
function boxedCues(data: Uint8Array): string {
  const cues = boxes(data).filter(({ name }) => name === 'vttc');
  const payloads = cues.flatMap(({ body }) => boxes(body).filter(({ name }) => name === 'payl'));
  return payloads.map(({ body }) => decoded(body)).join('\n');
}

/** Consecutive boxes, up to the first invalid one. */
function boxes(data: Uint8Array): { readonly name: string; readonly body: Uint8Array }[] {
  const results: { name: string; body: Uint8Array }[] = [];
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  for (let at = 0; at + 8 <= data.length; ) {
    const size = view.getUint32(at);
    if (size < 8 || at + size > data.length) break;
    const name = String.fromCharCode(...data.subarray(at + 4, at + 8));
    results.push({ name, body: data.subarray(at + 8, at + size) });
    at += size;
  }
  return results;
}
