// A graph that is taken apart and put together otherwise: nodes are found by what they make and who takes it,
// replaced, and written again in an order in which every input is made before it.
import type { Attribute, GraphNode, OnnxModel, Tensor } from '../starter/graph/onnx.ts';

/** A node that may be changed; what it makes keeps its name. */
export interface OpenNode {
  op: string;
  inputs: readonly string[];
  readonly outputs: readonly string[];
  attributes: Readonly<Record<string, Attribute>>;
}

export class OpenGraph {
  readonly #source: OnnxModel;
  readonly #nodes: OpenNode[];
  readonly #constants: Map<string, Tensor>;
  #count = 0;

  constructor(source: OnnxModel) {
    this.#source = source;
    const isNode = ({ op }: GraphNode) => op !== 'Constant';
    this.#nodes = source.nodes.filter(isNode).map((node) => ({ ...node, attributes: node.attributes ?? {} }));
    this.#constants = new Map(source.initializers);
    for (const { op, outputs, attributes } of source.nodes) {
      const value = attributes?.['value'];
      if (op === 'Constant' && isTensor(value)) this.#constants.set(outputs[0]!, value.tensor);
      else if (op === 'Constant') throw new Error(`the constant ${outputs[0]} is no tensor`);
    }
  }

  /** Those there are now, but for those that are gone when their turn comes. */
  *nodes(...ops: readonly string[]): Generator<OpenNode> {
    const now = this.#nodes.filter(({ op }) => ops.includes(op));
    for (const node of now) if (this.#nodes.includes(node)) yield node;
  }

  /** The node that makes a value; undefined for inputs of the graph and constants. */
  maker(value: string | undefined): OpenNode | undefined {
    return this.#nodes.find(({ outputs }) => outputs.includes(value!));
  }

  takers(value: string): OpenNode[] {
    return this.#nodes.filter(({ inputs }) => inputs.includes(value));
  }

  /** Whether one node takes it and nobody else, the caller of the graph included. */
  isTakenOnce(value: string): boolean {
    return this.takers(value).length === 1 && !this.#isOutput(value);
  }

  constant(value: string | undefined): Tensor | undefined {
    return this.#constants.get(value!);
  }

  /** The only element of a constant. */
  scalar(value: string | undefined): number | undefined {
    const tensor = this.constant(value);
    return tensor?.type === 'float' && tensor.data.length === 1 ? Number(tensor.data[0]) : undefined;
  }

  /** `data` is *borrowed until the graph is written*, where it is floats already. */
  floats(dims: readonly number[], data: ArrayLike<number>): string {
    return this.tensor({
      type: 'float',
      dims,
      data: data instanceof Float32Array ? data : Float32Array.from(data),
    });
  }

  integers(values: readonly number[]): string {
    return this.tensor({ type: 'int64', dims: [values.length], data: BigInt64Array.from(values, BigInt) });
  }

  tensor(tensor: Tensor): string {
    const name = this.#fresh();
    this.#constants.set(name, tensor);
    return name;
  }

  /** A new node; answers what it makes. */
  op(op: string, inputs: readonly string[], attributes: Readonly<Record<string, Attribute>> = {}): string {
    const output = this.#fresh();
    this.#nodes.push({ op, inputs, outputs: [output], attributes });
    return output;
  }

  /** Other inputs for a node. What nobody needs any more is gone. */
  feed(node: OpenNode, inputs: readonly string[]): void {
    const before = node.inputs;
    node.inputs = inputs;
    this.#dropUnneeded(before);
  }

  /** Whoever took the first value takes the other one. What nobody needs any more is gone. */
  replace(value: string, by: string): void {
    const maker = this.maker(value)!;
    for (const node of this.takers(value)) {
      node.inputs = node.inputs.map((input) => (input === value ? by : input));
    }
    if (this.#isOutput(value))
      this.#nodes.push({ op: 'Identity', inputs: [by], outputs: [value], attributes: {} });
    this.#drop(maker);
  }

  #drop(node: OpenNode): void {
    this.#nodes.splice(this.#nodes.indexOf(node), 1);
    this.#dropUnneeded(node.inputs);
  }

  #dropUnneeded(values: readonly string[]): void {
    for (const value of new Set(values)) {
      const maker = this.maker(value);
      const isNeeded = maker?.outputs.some((one) => this.#isOutput(one) || this.takers(one).length > 0);
      if (maker && !isNeeded) this.#drop(maker);
    }
  }

  /** What nobody needs is left out. */
  model(): OnnxModel {
    const nodes: GraphNode[] = [];
    const initializers = new Map<string, Tensor>();
    const done = new Set(this.#source.inputs.map(({ name }) => name).concat(''));
    const makers = new Map(this.#nodes.flatMap((node) => node.outputs.map((output) => [output, node])));
    const need = (value: string): void => {
      if (done.has(value)) return;
      done.add(value);
      const constant = this.#constants.get(value);
      if (constant) {
        initializers.set(value, constant);
        return;
      }
      const maker = makers.get(value);
      if (!maker) throw new Error(`nothing makes ${value}`);
      for (const input of maker.inputs) need(input);
      for (const output of maker.outputs) done.add(output);
      nodes.push(maker);
    };
    for (const { name } of this.#source.outputs) need(name);
    return { ...this.#source, nodes, initializers };
  }

  #isOutput(value: string): boolean {
    return this.#source.outputs.some(({ name }) => name === value);
  }

  #fresh(): string {
    this.#count += 1;
    return `rewritten_${this.#count}`;
  }
}

function isTensor(value: Attribute | undefined): value is { readonly tensor: Tensor } {
  return typeof value === 'object' && 'tensor' in value;
}
