import assert from 'node:assert/strict';
import test from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { type TObject, type TSchema, Type } from 'typebox';
import { type OpenApi, openApi, operations } from '../../../http/openapi/document.ts';
import { createShapes, type Schema } from '../../../http/openapi/schema.ts';
import { createValidator } from '../../../http/request/validation.ts';
import { ErrorBody, reply, route } from '../../../http/route.ts';
import { routes } from '../../../http/routes.ts';
import { defaulted, described, named, nullable, oneOf } from '../../../runtime/schema.ts';

const Point = named('Point', Type.Object({ x: Type.Number(), y: Type.Optional(Type.Number()) }));

/** Every construct a route may use, each in a field of its own. */
const everything = {
  text: Type.String({ minLength: 1, maxLength: 3 }),
  whole: Type.Integer({ exclusiveMinimum: 0, maximum: 5 }),
  below: Type.Number({ minimum: -1, exclusiveMaximum: 1 }),
  word: oneOf('one', 'two'),
  literal: Type.Literal('only'),
  literals: Type.Union([Type.Literal('a'), Type.Literal('b')]),
  mixed: Type.Union([Type.Literal('5+'), Type.Literal(1), Type.Literal('auto'), Type.Literal(2)]),
  enumeration: Type.Enum(['p', 'q', 3] as const),
  maybe: nullable(Type.String()),
  maybe_word: nullable(oneOf('one', 'two')),
  maybe_words: Type.Union([Type.Literal('a'), Type.Null(), Type.Literal('b')]),
  maybe_many: Type.Union([Type.Integer(), Type.Array(Type.String()), Type.Null()]),
  maybe_point: nullable(Point),
  only_null: Type.Null(),
  point: Point,
  points: Type.Array(Point, { minItems: 1, maxItems: 2 }),
  pair: Type.Tuple([Type.Integer(), Type.Integer()]),
  record: Type.Record(Type.String(), nullable(Type.Integer())),
  nested: Type.Array(Type.Object({ name: Type.String(), many: defaulted(Type.Integer(), 1) })),
  both: Type.Intersect([Type.Object({ a: Type.Integer() }), Type.Object({ b: Type.String() })]),
  anything: Type.Unknown(),
  flag: Type.Boolean(),
  left_out: Type.Optional(Type.Integer()),
  with_default: defaulted(Type.Integer({ minimum: 0 }), 7),
  default_null: defaulted(nullable(Type.String()), null),
  default_point: defaulted(described(Point, 'Where.'), { x: 1 }),
};

const make = route({
  method: 'POST',
  path: '/api/v1/things/{id}/points',
  id: 'makeThing',
  tag: 'Things',
  summary: 'Makes a thing',
  description: 'Of *every* kind.',
  params: Type.Object({ id: described(Type.String(), 'Which one.') }),
  query: Type.Object({ limit: defaulted(Type.Integer(), 5), after: Type.String() }),
  body: Type.Object(everything),
  answers: {
    202: Type.Object({ point: Point }),
    400: Type.Object({ error: Type.String(), loaded_model: nullable(Type.String()) }),
    409: ErrorBody,
  },
  handle: () => reply(409, { error: 'Never' }),
});
const metrics = route({
  method: 'GET',
  path: '/metrics',
  id: 'metrics',
  tag: 'Service',
  summary: 'Numbers',
  access: 'open',
  form: { text: 'text/plain; version=0.0.4' },
  answers: { 200: Type.String() },
  handle: () => reply(200, ''),
});

async function assertValid(document: OpenApi): Promise<void> {
  const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)));
  assert.ok(valid, JSON.stringify(errors, null, 1));
}

test('the document of routes that use every construct passes an independent validator', async () => {
  await assertValid(openApi([make, metrics]));
});

test('the validator would notice a document that is none', async () => {
  const document = openApi([make]);
  const broken = { ...document, paths: { nowhere: { get: { summary: 1 } } } };
  const { valid } = await new Validator().validate(broken as never);
  assert.equal(valid, false);
});

test('no keyword of newer JSON Schema dialects is left in the document', () => {
  const keys = new Set<string>();
  const { components, paths } = openApi([make, metrics]);
  JSON.stringify([components.schemas, paths], (key, value) => {
    keys.add(key);
    return value;
  });
  for (const key of ['const', 'patternProperties', 'prefixItems', '$id', '~kind', 'title', 'examples']) {
    assert.ok(!keys.has(key), key);
  }
});

test('an operation has its parameters with their place, and which are required', () => {
  const [found] = operations(openApi([make]));
  const { path, method, operation } = found!;
  assert.equal(`${method} ${path}`, 'POST /api/v1/things/{id}/points');
  assert.equal(operation.operationId, 'makeThing');
  assert.deepEqual(
    operation.parameters?.map(({ name, in: where, required }) => [name, where, required]),
    [
      ['id', 'path', true],
      ['limit', 'query', false],
      ['after', 'query', true],
    ],
  );
  assert.equal(operation.parameters?.[0]?.description, 'Which one.');
  const schema = operation.requestBody?.content['application/json']?.schema as { required: string[] };
  const optional = ['left_out', 'with_default', 'default_null', 'default_point'];
  assert.deepEqual(
    schema.required,
    Object.keys(everything).filter((name) => !optional.includes(name)),
  );
});

test('errors every licensed route can have are there, beside those it declares', () => {
  const [licensed, open] = operations(openApi([make, metrics])).map(({ operation }) => operation);
  assert.deepEqual(Object.keys(licensed!.responses), [
    '202',
    '400',
    '401',
    '403',
    '409',
    '413',
    '431',
    '500',
    '503',
    '507',
  ]);
  assert.deepEqual(licensed!.security, [{ licenseKey: [] }]);
  assert.deepEqual(Object.keys(open!.responses), ['200', '400', '403', '413', '431', '500', '503']);
  assert.deepEqual(open!.security, []);
  const { content } = licensed!.responses['400'] as { content: Record<string, { schema: Schema }> };
  const forms = content['application/json']?.schema['anyOf'] as Schema[];
  assert.deepEqual(forms[1], { $ref: '#/components/schemas/Error' });
});

test('an answer that is text has its own content type', () => {
  const [only] = operations(openApi([metrics]));
  const { content } = only!.operation.responses['200'] as { content: object };
  assert.deepEqual(Object.keys(content), ['text/plain; version=0.0.4']);
});

test('a named shape is declared once; what belongs to a place stays at the place', () => {
  const { of, components } = createShapes();
  assert.deepEqual(of(Point), { $ref: '#/components/schemas/Point' });
  assert.deepEqual(of(everything.default_point), {
    description: 'Where.',
    default: { x: 1 },
    allOf: [{ $ref: '#/components/schemas/Point' }],
  });
  assert.deepEqual(Object.keys(components()), ['Point']);
});

test('two different shapes of one name, and constructs without a form, are refused', () => {
  const { of } = createShapes();
  of(Point);
  assert.throws(() => of(named('Point', Type.Object({}))), /two different schemas are named Point/);
  assert.throws(() => of(Type.Record(Type.String({ pattern: '^a' }), Type.Integer())), /has no form/);
  assert.throws(() => of(Type.Unsafe({ if: {} })), /the keyword if/);
  assert.throws(() => openApi([make, { ...metrics, id: 'makeThing' }]), /two routes are named makeThing/);
  assert.throws(() => openApi([{ ...metrics, path: '/{x}' }]), /x is not both/);
});

test('a value passes the check of the server exactly when another engine finds it as the document says', () => {
  const { of, components } = createShapes();
  const entries = Object.entries(everything).map(([name, schema]) => {
    const body: TObject = Type.Object({ [name]: schema as TSchema });
    return { name, check: createValidator(body), schema: of(body) };
  });
  const ajv = new Ajv({ strict: false });
  for (const [name, schema] of Object.entries(components())) {
    ajv.addSchema(numbers(schema), `#/components/schemas/${name}`);
  }
  const judges = entries.map(({ name, check, schema }) => ({
    name,
    check,
    judge: ajv.compile(numbers(schema)),
  }));
  let passed = 0;
  const property = fc.property(fc.constantFrom(...judges), values, ({ name, check, judge }, value) => {
    const body = value === undefined ? {} : { [name]: value };
    const filled = structuredClone(body);
    const byServer = check(filled) === null;
    // The server takes null away from optional fields before it looks.
    assert.equal(judge(body) || judge(filled), byServer, `${name}: ${JSON.stringify(value)}`);
    if (byServer) passed++;
  });
  fc.assert(property, { numRuns: 3000, seed: 7 });
  assert.ok(passed > 300, `only ${passed} values were valid`);
});

/** The other engine knows `exclusiveMinimum` as a number only. */
function numbers(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema), (_, value) => {
    if (value?.exclusiveMinimum === true) {
      const { minimum, ...rest } = value;
      return { ...rest, exclusiveMinimum: minimum };
    }
    if (value?.exclusiveMaximum !== true) return value;
    const { maximum, ...rest } = value;
    return { ...rest, exclusiveMaximum: maximum };
  }) as Schema;
}

const word = fc.constantFrom('', 'a', 'b', 'one', 'two', 'only', '5+', 'auto', 'p', 'abcd');
const number = fc.constantFrom(-1, -0.5, 0, 0.5, 1, 2, 3, 5, 6);
const leaf = fc.oneof(word, number, fc.boolean(), fc.constant(null));
const point = fc.record({ x: leaf, y: number }, { requiredKeys: [] });
const object = fc.oneof(
  point,
  fc.record({ name: word, many: leaf }, { requiredKeys: [] }),
  fc.record({ a: number, b: word }),
);
const values = fc.oneof(
  leaf,
  leaf,
  object,
  fc.array(fc.oneof(leaf, number, word, object), { maxLength: 3 }),
  fc.constant(undefined),
);

test('a request needs a body exactly where the document refuses an empty object', () => {
  const document = openApi(routes);
  const ajv = new Ajv({ strict: false });
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    ajv.addSchema(numbers(schema), `#/components/schemas/${name}`);
  }
  for (const { operation } of operations(document)) {
    const { required, content } = operation.requestBody ?? {};
    if (content)
      assert.equal(
        required,
        !ajv.validate(numbers(content['application/json']!.schema), {}),
        operation.operationId,
      );
  }
});

test('the document of the service itself passes the validator, and names every route', async () => {
  const document = openApi(routes);
  await assertValid(document);
  assert.equal(operations(document).length, routes.length);
});
