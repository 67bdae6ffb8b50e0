// A film in sections: where they begin, and the pictures of those that one decoder takes.
import type { Turn } from '../../../runtime/actor.ts';
import type { Request } from '../../../runtime/contract.ts';
import type { decoderContract } from '../contract.ts';
import { type Packet, ticks } from '../ffmpeg.ts';
import { Ending, Grid, gridLength } from '../grid.ts';
import { readHead } from '../packets/head.ts';
import { packetCheckpoint } from '../source/packet-checkpoint.ts';
import { openSource, type Source } from '../source/source.ts';
import { pictureSeconds } from '../source/stream.ts';
import { type Section, SectionTable, sectionErrors } from './contract.ts';
import { endsStrictly, type GridPicture, walkGrid } from './gop-walk.ts';
import type { GridRequest } from './grid-pictures.ts';
import { planSections } from './plan.ts';
import { seekExactly } from './seek.ts';

type SectionsRequest = Request<typeof decoderContract, 'sections'>;

/**
 * Packets read behind a section, at most, until the one at which the next section begins.
 */
const mostBetween = 1000;

/** `hasDevice`: films are decoded on a device, by one decoder each. Errors: those of `frames`. */
export async function sections(
  { path, from_frame, frames }: SectionsRequest,
  turn: Turn,
  hasDevice: boolean,
): Promise<{ sections: Section[] }> {
  if (hasDevice) return { sections: [] };
  const source = await openSource(path, { turn });
  try {
    const length = pictureSeconds(source);
    // A long index may take all memory there is for indexes, so that only one decoder can have it.
    if (source.seeksByReading || source.hasLongIndex || length === null) return { sections: [] };
    const { video, reader, start, timed } = await readHead(source, turn);
    if (!timed || start === null) return { sections: [] };
    const grid = new Grid(video.timeBase, start);
    const entryBefore = async (second: number): Promise<Section | null> => {
      const pts = await seekExactly({ source, reader, grid, from: second, turn }, start);
      if (pts === null) return null;
      const packet = source.next();
      const position = Number(packet?.pos ?? -1);
      packet?.free();
      return position < 0 ? null : { frame: grid.firstSecond(pts), pts, position };
    };
    const plan = { from: from_frame, to: gridLength(length), frames };
    return { sections: await planSections(plan, entryBefore) };
  } finally {
    source.close();
  }
}

/** The pictures of the sections that are taken, in order. Errors: as `gridPictures`, SECTIONS_APART. */
export async function* sectionPictures(
  source: Source,
  request: Omit<GridRequest, 'small'>,
  { all, table: memory, taker }: NonNullable<Request<typeof decoderContract, 'frames'>['sections']>,
): AsyncGenerator<GridPicture> {
  const { turn, to: end } = request;
  const table = new SectionTable(memory);
  const { video, reader, start } = await readHead(source, turn);
  const grid = new Grid(video.timeBase, start ?? 0);
  for (let at = table.take(taker); at !== null; at = table.take(taker)) {
    const next = new Meeting(source, all[at + 1]);
    const [from, to] = [all[at]!.frame, all[at + 1]?.frame ?? end];
    const ending = new Ending();
    const options = { source, reader, grid, ending, ...request, from, to, onPacket: next.see };
    const entry = await seekExactly(options, start ?? 0);
    for await (const picture of walkGrid({ ...options, atStart: entry === null })) {
      // Nothing of the next section is to be believed before this picture is sent.
      if (picture.second === to - 1) await next.expect(turn);
      yield picture;
    }
    // The rest of the file cannot be reached from here, so a pass from the start would end here too.
    if (source.ended !== null && ending.lastSecond(endsStrictly(options)) < to) table.endBefore(at + 1);
    else await next.expect(turn);
  }
}

/** Checks whether reading on from one section leads to the next one, as a pass over the whole file would. */
class Meeting {
  readonly #source: Source;
  readonly #section: Section | undefined;
  #isMet: boolean;

  /** `section`: undefined behind the last one. */
  constructor(source: Source, section: Section | undefined) {
    this.#source = source;
    this.#section = section;
    this.#isMet = section === undefined;
  }

  readonly see = (packet: Packet): void => {
    this.#isMet ||=
      ticks(packet.pts) === this.#section!.pts && Number(packet.pos) === this.#section!.position;
  };

  /** Reads on where the packet has not come yet. Throws SECTIONS_APART when it does not come soon. */
  async expect(turn: GridRequest['turn']): Promise<void> {
    const checkpoint = packetCheckpoint(turn);
    for (let i = 0; !this.#isMet && i < mostBetween; i++) {
      const packet = this.#source.next();
      if (!packet) break;
      this.see(packet);
      packet.free();
      await checkpoint();
    }
    if (!this.#isMet)
      throw sectionErrors.SECTIONS_APART(`${this.#source.path}: ${sectionErrors.SECTIONS_APART.meaning}`);
  }
}
