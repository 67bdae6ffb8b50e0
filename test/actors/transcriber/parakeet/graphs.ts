// Small graphs with the names, types and shapes of the parakeet export. The sound itself is the score: the
// loudest sample of every 80 ms says which token comes and how far to go on, and the states find out whether
// they are carried rightly.
import { GraphBuilder, onnxBytes } from '../../../../actors/models/starter/graph/onnx.ts';

const WIDTH = 8;
const STATE = 4;
/** Durations there are: 0 to 4 frames. */
const DURATIONS = 5;
const FLOAT = 1;
const INT32 = 6;
const INT64 = 7;

/** A sample that says: write `token`, go on by `frames`; exact in 16 bits. */
export const note = (token: number, frames: number) => (token + 1 + 32 * frames) / 1024;

/** nemo128: a frame for every whole 160 samples, each filled with its loudest sample. */
export function featuresGraph(): Uint8Array {
  const g = new GraphBuilder('nemo128');
  const waveforms = g.input('waveforms', 'float', ['batch', 'samples']);
  const lengths = g.input('waveforms_lens', 'int64', ['batch']);
  const line = g.op('Unsqueeze', [waveforms, g.ints([1])]);
  const loudest = g.op('MaxPool', [line], { kernel_shape: [160], strides: [160] });
  const features = g.op(
    'Concat',
    Array.from({ length: 128 }, () => loudest),
    { axis: 1 },
  );
  g.output(features, 'features', 'float', ['batch', 128, 'frames']);
  g.output(g.op('Div', [lengths, g.ints([160])]), 'features_lens', 'int64', ['batch']);
  return onnxBytes(g.model());
}

/** The loudest of every 8 frames; lengths round up. */
export function encoderGraph(): Uint8Array {
  const g = new GraphBuilder('encoder');
  const signal = g.input('audio_signal', 'float', ['batch', 128, 'frames']);
  const lengths = g.input('length', 'int64', ['batch']);
  const pooled = g.op('MaxPool', [signal], { kernel_shape: [8], strides: [8], ceil_mode: 1 });
  const outputs = g.op('Slice', [pooled, g.ints([0]), g.ints([WIDTH]), g.ints([1])]);
  g.output(outputs, 'outputs', 'float', ['batch', WIDTH, 'steps']);
  const rounded = g.op('Div', [g.op('Add', [lengths, g.ints([7])]), g.ints([8])]);
  g.output(rounded, 'encoded_lengths', 'int64', ['batch']);
  return onnxBytes(g.model());
}

/**
 * Token and duration of the frame's note; the blank, on by one frame, where there is none, and where the
 * token was just written without going on. The first state counts what was written, the second holds the last
 * token: whenever `targets` is something else, `fault` is written. `again`: a token that is written however
 * often it is asked.
 */
export function jointGraph(size: number, blank: number, fault: number, again: number): Uint8Array {
  const g = new GraphBuilder('decoder_joint');
  const encoded = g.input('encoder_outputs', 'float', [1, WIDTH, 1]);
  const target = g.op('Squeeze', [g.op('Cast', [g.input('targets', 'int32', [1, 1])], { to: INT64 })]);
  const length = g.input('target_length', 'int32', [1]);
  const counts = g.input('input_states_1', 'float', [2, 1, STATE]);
  const lasts = g.input('input_states_2', 'float', [2, 1, STATE]);
  const int = (value: number) => g.tensor('int64', [], BigInt64Array.of(BigInt(value)));
  const whole = (value: string) => g.op('Cast', [value], { to: INT64 });
  const most = (value: string) => g.op('ReduceMax', [value], { keepdims: 0 });
  const choose = (condition: string, yes: string, no: string) => g.op('Where', [condition, yes, no]);
  const equal = (a: string, b: string) => g.op('Equal', [a, b]);
  const code = whole(g.op('Round', [g.op('Mul', [most(encoded), g.scalar(1024)])]));
  const token = g.op('Sub', [g.op('Mod', [code, int(32)]), int(1)]);
  const frames = g.op('Div', [code, int(32)]);
  const none = equal(code, int(0));
  const repeated = g.op('And', [
    g.op('And', [equal(target, token), equal(frames, int(0))]),
    g.op('Not', [equal(token, int(again))]),
  ]);
  const written = choose(g.op('Or', [none, repeated]), int(blank), token);
  const first = equal(whole(most(counts)), int(0));
  const expected = choose(first, int(blank), whole(most(lasts)));
  const one = equal(g.op('Squeeze', [g.op('Cast', [length], { to: INT64 })]), int(1));
  const right = g.op('And', [equal(target, expected), one]);
  const said = choose(right, written, int(fault));
  const hot = (index: string, count: number) =>
    g.op('Cast', [equal(g.op('Range', [int(0), int(count), int(1)]), index)], { to: FLOAT });
  const scores = g.op('Concat', [hot(said, size), hot(frames, DURATIONS)], { axis: 0 });
  const shaped = g.op('Reshape', [scores, g.ints([1, 1, 1, -1])]);
  g.output(shaped, 'outputs', 'float', [1, 1, 1, size + DURATIONS]);
  g.output(g.op('Cast', [g.ints([1])], { to: INT32 }), 'prednet_lengths', 'int32', [1]);
  g.output(g.op('Add', [counts, g.scalar(1)]), 'output_states_1', 'float', [2, 1, STATE]);
  const held = g.op('Add', [g.op('Mul', [lasts, g.scalar(0)]), g.op('Cast', [said], { to: FLOAT })]);
  g.output(held, 'output_states_2', 'float', [2, 1, STATE]);
  return onnxBytes(g.model());
}
