// A copied clip: the packets of pictures and sound as they are, in a container like that of the source.
import { createCheckpoint } from '../../../runtime/sync/checkpoint.ts';
import { readHead } from '../packets/head.ts';
import { timelineStart } from '../packets/timeline-start.ts';
import type { OpenOptions, Source } from '../source/source.ts';
import { ClipFile } from './clip-file.ts';
import { type ClipRequest, type CutResult, clipErrors } from './contract.ts';
import { containersFor } from './formats.ts';
import { PictureCopy } from './picture-copy.ts';
import { SoundCopy } from './sound-copy.ts';
import { SoundPackets } from './sound-packets.ts';

type Turn = OpenOptions['turn'];

interface Tracks {
  readonly pictures: PictureCopy | null;
  readonly sound: SoundCopy | null;
}

/** Seconds of sound read beyond the end of the clip: packets of several tracks are not in order. */
const beyond = 1;

/** The source stays the caller's. */
export async function copyPackets(source: Source, request: ClipRequest, turn: Turn): Promise<CutResult> {
  const { start_seconds: start, end_seconds: end } = request;
  let pictures: PictureCopy | null = null;
  let packets: SoundPackets | null = null;
  try {
    if (source.video) {
      pictures = new PictureCopy({ source, head: await readHead(source, turn), start, end, turn });
      await pictures.open();
    }
    const zero = pictures ? pictures.origin : (await timelineStart(source, turn)) + start;
    packets = await SoundPackets.open(source.path, zero, { turn });
    const tracks = { pictures, sound: packets && new SoundCopy(packets, zero, pictures !== null) };
    return await write(source, tracks, request, turn);
  } finally {
    packets?.close();
    pictures?.close();
  }
}

async function write(source: Source, tracks: Tracks, request: ClipRequest, turn: Turn): Promise<CutResult> {
  const { pictures, sound } = tracks;
  const { path, start_seconds, end_seconds } = request;
  const start = pictures?.span.start ?? start_seconds;
  const file = begin(source, tracks, request.output);
  try {
    await writePackets(tracks, end_seconds - start, turn);
    if (!pictures && !sound?.span) {
      throw clipErrors.CLIP_OUTSIDE(`${path}: has no sound at ${start_seconds} s`, { path });
    }
    file.finish();
    const { extension } = file.container;
    if (pictures) {
      const span = pictures.span;
      return {
        extension,
        start_seconds: span.start,
        end_seconds: span.end,
        frames: pictures.frames,
        encoder: null,
      };
    }
    const heard = sound!.span!;
    return {
      extension,
      start_seconds: start + heard.start,
      end_seconds: start + heard.end,
      frames: 0,
      encoder: null,
    };
  } finally {
    file.close();
  }
}

/**
 * Opens the first container that takes the packets. Throws CLIP_UNWRITABLE with the reason of the last one.
 */
function begin(source: Source, { pictures, sound }: Tracks, output: string): ClipFile {
  let refusal: unknown = null;
  for (const container of containersFor(source.container, source.path)) {
    const file = new ClipFile(output, container);
    try {
      // Names of codecs in files of the same family; others have names of their own.
      const keepsTag = /^mov/.test(source.container) && container.muxer !== 'matroska';
      pictures?.begin(file, keepsTag);
      sound?.begin(file, keepsTag);
      file.begin();
      return file;
    } catch (error) {
      file.close();
      refusal = error;
    }
  }
  throw refusal;
}

/** Always advances what is behind. `asked`: seconds of the clip; its pictures may be shown longer. */
async function writePackets({ pictures, sound }: Tracks, asked: number, turn: Turn) {
  const checkpoint = createCheckpoint(turn, { every: 16 });
  for (let more = true; more; ) {
    await checkpoint();
    const seen = pictures?.position ?? Number.POSITIVE_INFINITY;
    const length = Math.max(asked, pictures?.length ?? 0);
    if (sound && sound.position < length + beyond && sound.position <= seen) sound.step(length);
    else if (pictures && seen < Number.POSITIVE_INFINITY) pictures.step();
    else more = false;
  }
}
