// Puts a graph together one operator at a time. Every operator returns the name of its value, so that a graph
// reads like the arithmetic it stands for.
import type { Attribute, ElementType, GraphNode, OnnxModel, Port, Tensor, TensorData } from './onnx.ts';

type Attributes = Readonly<Record<string, Attribute>>;

export class GraphBuilder {
  readonly #name: string;
  readonly #nodes: GraphNode[] = [];
  readonly #inputs: Port[] = [];
  readonly #outputs: Port[] = [];
  readonly #initializers = new Map<string, Tensor>();
  #count = 0;

  constructor(name: string) {
    this.#name = name;
  }

  input(name: string, type: ElementType, dims: readonly (number | string)[]): string {
    this.#inputs.push({ name, type, dims });
    return name;
  }

  /** Gives a value the name under which the graph returns it. */
  output(value: string, name: string, type: ElementType, dims: readonly (number | string)[]): void {
    this.#nodes.push({ op: 'Identity', inputs: [value], outputs: [name] });
    this.#outputs.push({ name, type, dims });
  }

  /** `data` is *borrowed until the model is written*. */
  tensor(type: ElementType, dims: readonly number[], data: TensorData): string {
    const name = this.#fresh('w');
    this.#initializers.set(name, { type, dims, data });
    return name;
  }

  floats(dims: readonly number[], values: ArrayLike<number>): string {
    return this.tensor('float', dims, Float32Array.from(values));
  }

  scalar(value: number): string {
    return this.floats([], [value]);
  }

  /** A one-dimensional int64 tensor: the form in which operators take shapes, axes and positions. */
  ints(values: readonly number[]): string {
    return this.tensor(
      'int64',
      [values.length],
      BigInt64Array.from(values, (value) => BigInt(value)),
    );
  }

  /** One operator with one result; an empty input name leaves an optional input out. */
  op(op: string, inputs: readonly string[], attributes: Attributes = {}): string {
    return this.ops(op, inputs, 1, attributes)[0]!;
  }

  /** One operator with `count` results. */
  ops(op: string, inputs: readonly string[], count: number, attributes: Attributes = {}): string[] {
    const outputs = Array.from({ length: count }, () => this.#fresh(op.toLowerCase()));
    this.#nodes.push({ op, inputs, outputs, attributes });
    return outputs;
  }

  model(options: Pick<OnnxModel, 'opset' | 'domains' | 'metadata'> = {}): OnnxModel {
    return {
      ...options,
      name: this.#name,
      inputs: this.#inputs,
      outputs: this.#outputs,
      nodes: this.#nodes,
      initializers: this.#initializers,
    };
  }

  #fresh(stem: string): string {
    this.#count += 1;
    return `${stem}_${this.#count}`;
  }
}
