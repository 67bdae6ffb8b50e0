// A smart clip: as exact as a precise one, but only the pictures of groups that a cut falls into are encoded.
import { avGetPixFmtName } from '../../ffmpeg.ts';
import { readHead } from '../../packets/head.ts';
import type { OpenOptions, Source } from '../../source/source.ts';
import { type ClipRequest, type CutResult, clipErrors } from '../contract.ts';
import { writeFilm } from '../precise.ts';
import { type AvcSets, avcSets, unjoinable } from './avc.ts';
import { planOf } from './plan.ts';
import { prove } from './proof.ts';
import { scan } from './scan.ts';
import { SmartCut } from './smart-cut.ts';

/** Pixel formats of which the ends can be encoded with what the packets between them are. */
const formats = ['yuv420p', 'yuvj420p'];

/**
 * `canEncode`: whether the encoder of the ends may be used and is there. Throws CLIP_NOT_SMART with the
 * reason where such a clip cannot be; then the file is not to be used. The source stays the caller's.
 */
export async function smartFilm(
  source: Source,
  request: ClipRequest,
  turn: OpenOptions['turn'],
  canEncode: boolean,
): Promise<CutResult> {
  const { output, start_seconds: start, end_seconds: end } = request;
  const sets = expectJoinable(source);
  const head = await readHead(source, turn);
  if (!head.timed || head.start === null) throw clipErrors.CLIP_NOT_SMART('packets have no times');
  const options = { source, head, start, end, turn };
  const scanned = await scan(options, sets);
  const plan = planOf(scanned);
  if (typeof plan === 'string') throw clipErrors.CLIP_NOT_SMART(plan);
  const pictures = new SmartCut({ ...options, sets, scanned, plan, canEncode });
  const written = await writeFilm(request, pictures, turn);
  await prove({
    output,
    source,
    head,
    plan,
    shown: (at) => pictures.shown(at),
    tick: pictures.tick,
    turn,
  });
  return written;
}

/** The parameter sets of the source. */
function expectJoinable({ video, codec }: Source): AvcSets {
  const refuse = (why: string): never => {
    throw clipErrors.CLIP_NOT_SMART(why);
  };
  if (!video) return refuse('the file has no picture');
  if (codec !== 'h264') return refuse(`pictures are ${codec}, and not H.264`);
  const { format, extradata } = video.codecpar;
  const name = avGetPixFmtName(format as Parameters<typeof avGetPixFmtName>[0]) ?? 'unknown';
  if (!formats.includes(name)) return refuse(`pictures are ${name}, and not of 8 bits and 4:2:0`);
  const sets = avcSets(extradata);
  if (!sets || !extradata) return refuse('the file does not say how its pictures are coded');
  const why = unjoinable(sets, extradata);
  return why === null ? sets : refuse(why);
}
