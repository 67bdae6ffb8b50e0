// Remuxes a film and drops or changes some packets: damages the stream while the container stays intact.
import {
  checked,
  FormatContext,
  OutputFormat,
  Packet,
  type Stream,
} from '../../../../actors/decoder/ffmpeg.ts';

export interface CopiedPacket {
  /** Number of the packet in its stream, from 0. */
  readonly index: number;
  readonly stream: number;
  readonly key: boolean;
  /** *Borrowed until the function returns.* */
  readonly data: Buffer;
}

/** `keep` returns false to drop a packet, true to keep it, or bytes to replace its data. */
export async function remux(
  from: string,
  to: string,
  keep: (packet: CopiedPacket) => boolean | Buffer,
): Promise<void> {
  const input = new FormatContext();
  const output = new FormatContext();
  const packet = new Packet();
  packet.alloc();
  try {
    checked(input.openInputSync(`file:${from}`), from, 'opening');
    checked(input.findStreamInfoSync(), from, 'reading');
    const container = OutputFormat.guessFormat(null, to, null);
    checked(output.allocOutputContext2(container, null, `file:${to}`), to, 'making');
    beginCopy(output, to, input.streams);
    copyPackets(input, output, packet, to, keep);
    checked(output.writeTrailerSync(), to, 'writing');
  } finally {
    packet.free();
    input.closeInputSync();
    output.closeOutputSync();
    output.freeContext();
  }
}

/** Opens a file for the packets of these streams, which stay as they are. */
export function beginCopy(output: FormatContext, to: string, streams: readonly Stream[]): void {
  for (const stream of streams) {
    const copy = output.newStream();
    checked(stream.codecpar.copy(copy.codecpar), to, 'copying the stream');
    copy.codecpar.codecTag = 0;
    copy.timeBase = stream.timeBase;
    copy.avgFrameRate = stream.avgFrameRate;
  }
  checked(output.openOutputSync(), to, 'opening');
  checked(output.writeHeaderSync(null), to, 'writing');
}

function copyPackets(
  input: FormatContext,
  output: FormatContext,
  packet: Packet,
  to: string,
  keep: (packet: CopiedPacket) => boolean | Buffer,
): void {
  const [inputs, outputs] = [input.streams, output.streams];
  const counts = inputs.map(() => 0);
  for (; input.readFrameSync(packet) >= 0; packet.unref()) {
    const stream = packet.streamIndex;
    const data = packet.data ?? Buffer.alloc(0);
    const kept = keep({ index: counts[stream]!++, stream, key: packet.isKeyframe, data });
    if (kept === false) continue;
    if (kept !== true) replaceData(packet, kept);
    packet.rescaleTs(inputs[stream]!.timeBase, outputs[stream]!.timeBase);
    checked(output.interleavedWriteFrameSync(packet), to, 'writing');
  }
}

/** Setting the data of a packet resets its other fields. */
function replaceData(packet: Packet, data: Buffer): void {
  const { streamIndex, pts, dts, duration, flags } = packet;
  packet.data = Buffer.from(data);
  Object.assign(packet, { streamIndex, pts, dts, duration });
  packet.setFlags(flags);
}
