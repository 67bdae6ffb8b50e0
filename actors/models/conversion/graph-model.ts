// A TensorFlow.js graph model becomes the bytes of an ONNX file. The same files give the same bytes on every
// machine.
import { GraphBuilder } from '../starter/graph/builder.ts';
import { onnxBytes } from '../starter/graph/onnx.ts';
import { type GraphModel, type GraphNode, outputOf, readModelJson, shapeOf, valuesOf } from './model-json.ts';
import { type OperatorOutput, operators } from './operators.ts';
import { type Constant, readWeights } from './weights.ts';

/**
 * `json`: of the model.json; `weights`: the files that it names, one after another. Inputs and outputs keep
 * their names. Throws an `Error` that names the node, also one of an operator that is not known. *New
 * memory.*
 */
export function convertGraphModel(json: Uint8Array, weights: Uint8Array): Uint8Array {
  const model = readModelJson(json);
  return new Converter(model, readWeights(model.weights, weights)).bytes();
}

class Converter {
  readonly #model: GraphModel;
  readonly #constants: ReadonlyMap<string, Constant>;
  readonly #builder = new GraphBuilder('converted');
  /** What each node has become; null while its inputs are made. */
  readonly #made = new Map<string, OperatorOutput | null>();
  readonly #initializers = new Map<Constant, string>();

  constructor(model: GraphModel, constants: ReadonlyMap<string, Constant>) {
    this.#model = model;
    this.#constants = constants;
  }

  bytes(): Uint8Array {
    for (const { name, dims } of this.#model.outputs) {
      this.#builder.output(this.#value(name), name, 'float', fixed(name, dims));
    }
    return onnxBytes(this.#builder.model());
  }

  #value(input: string): string {
    const { node, index } = outputOf(input);
    const made = this.#makeOf(node);
    if (isConstant(made)) return this.#initializer(made);
    const name = made[index];
    if (name === undefined) throw new Error(`${node} has no output ${index}`);
    return name;
  }

  #makeOf(name: string): OperatorOutput {
    const known = this.#made.get(name);
    if (known) return known;
    if (known === null) throw new Error(`${name} is an input of itself`);
    const node = this.#model.nodes.get(name);
    if (!node) throw new Error(`there is no node ${name}`);
    this.#made.set(name, null);
    const made = this.#make(node);
    this.#made.set(name, made);
    return made;
  }

  #make(node: GraphNode): OperatorOutput {
    const { name, op } = node;
    if (op === 'Placeholder')
      return [this.#builder.input(name, 'float', fixed(name, shapeOf(node, 'shape')))];
    if (op === 'Const') {
      const constant = this.#constants.get(name);
      if (constant) return constant;
      throw new Error(`${name}: the constant is not among the weights`);
    }
    const operator = operators.get(op);
    if (!operator) throw new Error(`${name}: the operator ${op} is not known`);
    const inputs = valuesOf(node);
    const inputAt = (index: number) => {
      const input = inputs[index];
      if (input === undefined) throw new Error(`${name}: ${op} has no input ${index}`);
      return input;
    };
    return operator({
      builder: this.#builder,
      node,
      value: (index) => this.#value(inputAt(index)),
      constant: (index) => {
        const made = this.#makeOf(outputOf(inputAt(index)).node);
        return isConstant(made) ? made : null;
      },
    });
  }

  #initializer(constant: Constant): string {
    const known = this.#initializers.get(constant);
    if (known !== undefined) return known;
    const { dims, data } = constant;
    const name = this.#builder.tensor(data instanceof Int32Array ? 'int32' : 'float', dims, data);
    this.#initializers.set(constant, name);
    return name;
  }
}

/**
 * The graphs that are known are each of one size, and their operators are made for it; of any number of
 * pictures they get one.
 */
function fixed(name: string, dims: readonly number[]): readonly number[] {
  const [count, ...rest] = dims;
  const sizes = count === -1 && rest.length > 0 ? [1, ...rest] : dims;
  if (sizes.every((dim) => dim > 0)) return sizes;
  throw new Error(`${name}: the shape ${dims} is not fixed`);
}

function isConstant(made: OperatorOutput): made is Constant {
  return 'data' in made;
}
