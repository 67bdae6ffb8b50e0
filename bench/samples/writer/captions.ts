// The subtitle track of a film. Its packets are written without an encoder: mov_text is a length of two bytes
// and the text, the other formats are the text itself.
import {
  AV_CODEC_ID_ASS,
  AV_CODEC_ID_MOV_TEXT,
  AV_CODEC_ID_SUBRIP,
  AV_CODEC_ID_WEBVTT,
  AVMEDIA_TYPE_SUBTITLE,
  Dictionary,
  type FormatContext,
  Packet,
  Rational,
  type Stream,
} from '../../../actors/decoder/ffmpeg.ts';
import type { FilmTrack, WritePacket } from './track.ts';

export interface Cue {
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly text: string;
}

export interface FilmCaptions {
  /** `mov_text` for mp4 and mov, the others for mkv. */
  readonly codec: 'mov_text' | 'subrip' | 'ass' | 'webvtt';
  /** The header of an ASS script. */
  readonly header?: string;
  /** ISO 639-2, three letters. */
  readonly language?: string;
  /** In order, without overlap. */
  readonly cues: readonly Cue[];
}

const ids = {
  mov_text: AV_CODEC_ID_MOV_TEXT,
  subrip: AV_CODEC_ID_SUBRIP,
  ass: AV_CODEC_ID_ASS,
  webvtt: AV_CODEC_ID_WEBVTT,
};
const milliseconds = { num: 1, den: 1000 };

export class CaptionTrack implements FilmTrack {
  readonly #captions: FilmCaptions;
  readonly #stream: Stream;
  #next = 0;

  constructor(format: FormatContext, captions: FilmCaptions) {
    this.#captions = captions;
    this.#stream = format.newStream(null);
    const movText = captions.codec === 'mov_text';
    const { codecpar } = this.#stream;
    codecpar.codecType = AVMEDIA_TYPE_SUBTITLE;
    codecpar.codecId = ids[captions.codec];
    if (movText) codecpar.extradata = textSampleEntry();
    else if (captions.header) codecpar.extradata = Buffer.from(captions.header);
    this.#stream.timeBase = new Rational(milliseconds.num, milliseconds.den);
    if (captions.language) this.#stream.metadata = Dictionary.fromObject({ language: captions.language });
  }

  get seconds(): number {
    return this.#captions.cues[this.#next]?.startSeconds ?? Infinity;
  }

  step(write: WritePacket): void {
    const cue = this.#captions.cues[this.#next++]!;
    const text = Buffer.from(cue.text, 'utf8');
    const length = Buffer.alloc(this.#captions.codec === 'mov_text' ? 2 : 0);
    if (length.length > 0) length.writeUInt16BE(text.length);
    const packet = new Packet();
    packet.alloc();
    try {
      packet.data = Buffer.concat([length, text]);
      packet.pts = BigInt(Math.round(cue.startSeconds * 1000));
      packet.dts = packet.pts;
      packet.duration = BigInt(Math.round((cue.endSeconds - cue.startSeconds) * 1000));
      packet.isKeyframe = true;
      write(packet, this.#stream, milliseconds);
    } finally {
      packet.free();
    }
  }

  close(): void {
    // The stream belongs to the format context.
  }
}

/**
 * The sample entry of 3GPP timed text (ETSI TS 126 245): centred at the bottom, white, one sans-serif font.
 */
function textSampleEntry(): Buffer {
  const font = Buffer.from('Sans-Serif');
  const table = Buffer.alloc(8 + 2 + 3);
  table.writeUInt32BE(table.length + font.length, 0);
  table.write('ftab', 4);
  table.writeUInt16BE(1, 8);
  table.writeUInt16BE(1, 10);
  table.writeUInt8(font.length, 12);
  const style = Buffer.alloc(30);
  style.writeInt8(1, 4);
  style.writeInt8(-1, 5);
  style.writeUInt16BE(1, 22);
  style.writeUInt8(18, 25);
  style.writeUInt32BE(0xffffffff, 26);
  return Buffer.concat([style, table, font]);
}
