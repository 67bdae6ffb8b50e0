// The methods of the client as a package declares them: what `methods.ts` computes from the routes, written
// out as plain interfaces. A compiler takes many seconds for the one and none for the other.
import type { TObject, TSchema } from 'typebox';
import { isNeverNull } from '../../runtime/schema.ts';
import { ProgressShape } from '../openapi/document.ts';
import type { Route } from '../route.ts';
import { clientRoutes } from './generate.ts';

/** A value as a caller gives it, where what has a default may be left out, or as an answer tells it. */
type Side = 'given' | 'told';

/** A schema as JSON, with its keywords. */
interface Source {
  readonly title?: string;
  readonly description?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly TSchema[];
  readonly allOf?: readonly TSchema[];
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly patternProperties?: Readonly<Record<string, TSchema>>;
  readonly items?: TSchema | readonly TSchema[];
}

/** The text of `methods.d.ts`. */
export async function declarationsText(): Promise<string> {
  const interfaces = new Interfaces();
  const progress = interfaces.typeOf(ProgressShape, 'told', '');
  const methods = (await clientRoutes()).map((route) => methodOf(route, interfaces));
  return `// Written from the routes by the build.

${interfaces.text()}
export type Progress = ${progress};

export interface Methods<Options> {
${methods.join('\n')}
}
`;
}

function methodOf(route: Route, interfaces: Interfaces): string {
  const { id, summary, params, query, body, answers } = route;
  const name = id[0]!.toUpperCase() + id.slice(1);
  const parts: TObject[] = [params, query, ...(body ? [body] : [])];
  const input = interfaces.declare(`${name}Input`, interfaces.object(parts as Source[], 'given', ''));
  const successes = [200, 201, 202].flatMap((status) => answers[status] ?? []);
  const typeText = [...new Set(successes.map((schema) => interfaces.typeOf(schema, 'told', '')))].join(' | ');
  const output = isObject(typeText) ? interfaces.declare(`${name}Answer`, typeText) : typeText;
  const mayBeLeftOut = parts.every((part) =>
    Object.keys(part.properties).every((key) => isOptional(part, key)),
  );
  return `${comment(`${summary}.`, '  ')}  readonly ${id}: (input${mayBeLeftOut ? '?' : ''}: ${input}, options?: Options) => Promise<${output}>;`;
}

/** In an input; in an answer a default says nothing. */
function isOptional({ properties = {}, required = [] }: Source, key: string): boolean {
  return !required.includes(key) || (properties[key] as Source).default !== undefined;
}

/** Form of a field in an answer that repeats the request, where null in the request means left out. */
function withoutNull(schema: TSchema): TSchema {
  if (!isNeverNull(schema)) return schema;
  const { anyOf = [], ...remainder } = schema as Source;
  return { ...remainder, anyOf: anyOf.filter((choice) => (choice as Source).type !== 'null') } as TSchema;
}

class Interfaces {
  readonly #declared = new Map<string, string>();

  text(): string {
    return [...this.#declared]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, type]) =>
        isObject(type) ? `export interface ${name} ${type}\n` : `export type ${name} = ${type};\n`,
      )
      .join('\n');
  }

  /** The name. Throws when it stands for another type already. */
  declare(name: string, type: string): string {
    const before = this.#declared.get(name);
    if (before !== undefined && before !== type) throw new Error(`two different types are named ${name}`);
    this.#declared.set(name, type);
    return name;
  }

  typeOf(schema: TSchema, side: Side, indent: string): string {
    const { title, ...source } = schema as Source;
    if (title === undefined) return this.#unnamed(source, side, indent);
    const typeText = this.#unnamed(source, 'told', '');
    const given = this.#unnamed(source, 'given', '');
    return side === 'given' && given !== typeText
      ? this.declare(`${title}Input`, given)
      : this.declare(title, typeText);
  }

  #unnamed(source: Source, side: Side, indent: string): string {
    const { anyOf, allOf, enum: words, type, patternProperties, items } = source;
    const within = (schema: TSchema) => this.typeOf(schema, side, indent);
    if (anyOf) return [...new Set(anyOf.map(within))].join(' | ');
    if (allOf) return allOf.map((item) => `(${this.typeOf(item, 'told', indent)})`).join(' & ');
    if (words) return words.map((word) => JSON.stringify(word)).join(' | ');
    if ('const' in source) return JSON.stringify(source.const);
    if (source.properties) return this.object([source], side, indent);
    if (patternProperties) {
      const [of] = Object.values(patternProperties);
      return `Record<string, ${this.typeOf(of!, 'told', indent)}>`;
    }
    if (type === 'array') return this.#array(items, side, indent);
    const plain = { integer: 'number', number: 'number', string: 'string', boolean: 'boolean', null: 'null' };
    if (type !== undefined && type in plain) return plain[type as keyof typeof plain];
    if (Object.keys(source).every((key) => key === 'description')) return 'unknown';
    throw new Error(`a schema of ${Object.keys(source).join(', ')} has no type`);
  }

  #array(items: Source['items'], side: Side, indent: string): string {
    if (Array.isArray(items)) return `[${items.map((item) => this.typeOf(item, 'told', indent)).join(', ')}]`;
    const of = this.typeOf(items as TSchema, side, indent);
    const { title, anyOf, allOf, enum: words } = items as Source;
    const isJoined = title === undefined && (anyOf ?? allOf ?? words) !== undefined;
    const single = isJoined || of.startsWith('readonly ') ? `(${of})` : of;
    return `${side === 'given' ? 'readonly ' : ''}${single}[]`;
  }

  /** With the fields of all of them. */
  object(parts: readonly Source[], side: Side, indent: string): string {
    const inner = `${indent}  `;
    const fields = parts.flatMap((part) =>
      Object.entries(part.properties ?? {}).map(([name, schema]) => {
        const key = /^[\w$]+$/.test(name) ? name : JSON.stringify(name);
        const type = this.typeOf(side === 'told' ? withoutNull(schema) : schema, side, inner);
        const said = comment((schema as Source).description ?? '', inner);
        if (side === 'told')
          return `${said}${inner}${key}${part.required?.includes(name) ? '' : '?'}: ${type};\n`;
        return `${said}${inner}readonly ${key}${isOptional(part, name) ? `?: ${type} | undefined` : `: ${type}`};\n`;
      }),
    );
    return fields.length === 0 ? '{}' : `{\n${fields.join('')}${indent}}`;
  }
}

/** One type of an object, not a choice of them. */
function isObject(type: string): boolean {
  return type.startsWith('{') && !/^\{?\} [|&] /m.test(type);
}

function comment(text: string, indent: string): string {
  return text === '' ? '' : `${indent}/** ${text.replaceAll('*/', '*\\/').replaceAll('\n', ' ')} */\n`;
}
