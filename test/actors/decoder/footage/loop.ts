// A film that shows another one several times in a row, its packets copied as they are.
import { checked, FormatContext, OutputFormat, Packet } from '../../../../actors/decoder/ffmpeg.ts';
import { beginCopy } from './remux.ts';

/** Only the pictures: sound would drift. */
export function loopFilm(from: string, to: string, times: number): void {
  const output = new FormatContext();
  const container = OutputFormat.guessFormat(null, to, null);
  checked(output.allocOutputContext2(container, null, `file:${to}`), to, 'making');
  try {
    let end = 0n;
    for (let time = 0; time < times; time++) end = append(from, output, to, end);
    checked(output.writeTrailerSync(), to, 'writing');
  } finally {
    output.closeOutputSync();
    output.freeContext();
  }
}

/** Answers where the next round begins. */
function append(from: string, output: FormatContext, to: string, offset: bigint): bigint {
  const input = new FormatContext();
  const packet = new Packet();
  packet.alloc();
  try {
    checked(input.openInputSync(`file:${from}`), from, 'opening');
    checked(input.findStreamInfoSync(), from, 'reading');
    const stream = input.streams.find(({ codecpar }) => codecpar.width > 0)!;
    if (output.streams.length === 0) beginCopy(output, to, [stream]);
    const target = output.streams[0]!;
    let end = offset;
    for (; input.readFrameSync(packet) >= 0; packet.unref()) {
      if (packet.streamIndex !== stream.index) continue;
      packet.pts += offset;
      packet.dts += offset;
      const over = packet.dts + packet.duration;
      if (over > end) end = over;
      packet.streamIndex = 0;
      packet.rescaleTs(stream.timeBase, target.timeBase);
      checked(output.interleavedWriteFrameSync(packet), to, 'writing');
    }
    return end;
  } finally {
    packet.free();
    input.closeInputSync();
  }
}
