// Operators of graphs by short names, for graphs of tests that compute with whole numbers and conditions.
import { GraphBuilder } from '../../../actors/models/starter/graph/onnx.ts';

const FLOAT = 1;
const INT64 = 7;

export class Arithmetic extends GraphBuilder {
  int = (value: number) => this.tensor('int64', [], BigInt64Array.of(BigInt(value)));
  float = (value: string) => this.op('Cast', [value], { to: FLOAT });
  whole = (value: string) => this.op('Cast', [value], { to: INT64 });
  add = (a: string, b: string) => this.op('Add', [a, b]);
  times = (a: string, b: string) => this.op('Mul', [a, b]);
  equal = (a: string, b: string) => this.op('Equal', [a, b]);
  both = (a: string, b: string) => this.op('And', [a, b]);
  pick = (values: string, index: string, axis = 0) => this.op('Gather', [values, index], { axis });
  side = (value: string, axis: number) => this.pick(this.op('Shape', [value]), this.int(axis));
  range = (end: string) => this.op('Range', [this.int(0), end, this.int(1)]);
  /** A list of one number, as shapes are put together from. */
  list = (value: string) => this.op('Reshape', [value, this.ints([1])]);
  joined = (values: readonly string[], axis = 0) => this.op('Concat', values, { axis });
  maximum = (value: string) => this.op('ReduceMax', [value], { keepdims: 0 });
  total = (value: string) => this.op('ReduceSum', [value], { keepdims: 0 });
  choose = (condition: string, yes: string, no: string) => this.op('Where', [condition, yes, no]);
  /** [vocabulary] floats, 1 at the token. */
  oneHot = (token: string, vocabulary: number) =>
    this.float(this.equal(this.range(this.int(vocabulary)), token));
}
