// The model.json of a TensorFlow.js graph model: its nodes, its outputs and where its weights lie; and a
// manifest of weights alone. Errors are plain `Error`s that name the node or the field.
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';

const Dims = Type.Object({ dim: Type.Optional(Type.Array(Type.Object({ size: Type.String() }))) });

const ModelJsonNode = Type.Object({
  name: Type.String({ minLength: 1 }),
  op: Type.String({ minLength: 1 }),
  /** `NAME`, `NAME:INDEX` for a later output, `^NAME` for an order without a value. */
  input: Type.Optional(Type.Array(Type.String())),
  attr: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});
export type ModelJsonNode = Static<typeof ModelJsonNode>;

const Weight = Type.Object({
  name: Type.String({ minLength: 1 }),
  shape: Type.Array(Type.Integer({ minimum: 0 })),
  dtype: Type.String(),
  quantization: Type.Optional(
    Type.Object({
      dtype: Type.String(),
      scale: Type.Optional(Type.Number()),
      min: Type.Optional(Type.Number()),
    }),
  ),
});
export type Weight = Static<typeof Weight>;

const WeightsManifest = Type.Array(
  Type.Object({ paths: Type.Array(Type.String()), weights: Type.Array(Weight) }),
);
const manifestChecker = Compile(WeightsManifest);

const Signature = Type.Object({
  outputs: Type.Record(Type.String(), Type.Object({ name: Type.String(), tensorShape: Dims })),
});

const ModelJson = Type.Object({
  format: Type.Literal('graph-model'),
  modelTopology: Type.Object({ node: Type.Array(ModelJsonNode, { minItems: 1 }) }),
  /** Older converters put it among what users define. */
  signature: Type.Optional(Signature),
  userDefinedMetadata: Type.Optional(Type.Object({ signature: Type.Optional(Signature) })),
  weightsManifest: WeightsManifest,
});
const checker = Compile(ModelJson);

export interface GraphModel {
  readonly nodes: ReadonlyMap<string, ModelJsonNode>;
  /** In the order of the file; the names are of nodes. */
  readonly outputs: readonly { readonly name: string; readonly dims: readonly number[] }[];
  /** In the order in which their bytes follow each other in the files of weights. */
  readonly weights: readonly Weight[];
}

export function readModelJson(bytes: Uint8Array): GraphModel {
  const value = jsonOf(bytes);
  if (!checker.Check(value)) {
    const [first] = checker.Errors(value);
    throw new Error(`it is no graph model: ${first?.instancePath} ${first?.message}`);
  }
  const { modelTopology, weightsManifest, userDefinedMetadata } = value;
  const signature = value.signature ?? userDefinedMetadata?.signature;
  if (!signature) throw new Error('it is no graph model: it has no signature');
  return {
    nodes: new Map(modelTopology.node.map((node) => [node.name, node])),
    outputs: Object.values(signature.outputs).map(({ name, tensorShape }) => ({
      name: outputOf(name).node,
      dims: (tensorShape.dim ?? []).map(({ size }) => Number(size)),
    })),
    weights: weightsManifest.flatMap(({ weights }) => weights),
  };
}

/**
 * The weights of a model that has no graph beside them, in the order in which their bytes follow each other.
 */
export function readManifest(bytes: Uint8Array): readonly Weight[] {
  const value = jsonOf(bytes);
  if (manifestChecker.Check(value)) return value.flatMap(({ weights }) => weights);
  const [first] = manifestChecker.Errors(value);
  throw new Error(`it is no manifest of weights: ${first?.instancePath} ${first?.message}`);
}

function jsonOf(bytes: Uint8Array): unknown {
  return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
}

/** The node, and which of its outputs. */
export function outputOf(input: string): { node: string; index: number } {
  const [, node, index] = /^(.*?)(?::(\d+))?$/.exec(input)!;
  return { node: node!, index: Number(index ?? 0) };
}

export function valuesOf({ input = [] }: ModelJsonNode): string[] {
  return input.filter((name) => !name.startsWith('^'));
}

const Attribute = Type.Object({
  i: Type.Optional(Type.String()),
  f: Type.Optional(Type.Number()),
  b: Type.Optional(Type.Boolean()),
  /** Base64, also in a list. */
  s: Type.Optional(Type.String()),
  list: Type.Optional(
    Type.Object({
      i: Type.Optional(Type.Array(Type.String())),
      s: Type.Optional(Type.Array(Type.String())),
    }),
  ),
  shape: Type.Optional(Dims),
});
const attributeChecker = Compile(Attribute);

function attributeOf({ name, attr }: ModelJsonNode, key: string): Static<typeof Attribute> {
  const value = attr?.[key] ?? {};
  if (attributeChecker.Check(value)) return value;
  throw new Error(`${name}: the attribute ${key} has the wrong form`);
}

const decoded = (base64: string): string => Buffer.from(base64, 'base64').toString();
/** Null where the node says nothing. */
export const textOf = (node: ModelJsonNode, key: string): string | null => {
  const { s } = attributeOf(node, key);
  return s === undefined ? null : decoded(s);
};
export const textsOf = (node: ModelJsonNode, key: string): string[] =>
  (attributeOf(node, key).list?.s ?? []).map(decoded);
export const integersOf = (node: ModelJsonNode, key: string): number[] =>
  (attributeOf(node, key).list?.i ?? []).map(Number);
export const floatOf = (node: ModelJsonNode, key: string, otherwise: number): number =>
  attributeOf(node, key).f ?? otherwise;
export const flagOf = (node: ModelJsonNode, key: string): boolean => attributeOf(node, key).b ?? false;
export const shapeOf = (node: ModelJsonNode, key: string): number[] =>
  (attributeOf(node, key).shape?.dim ?? []).map(({ size }) => Number(size));
