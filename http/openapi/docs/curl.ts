// An example request as a curl command, using the two environment variables from the start of the page.
import type { OpenApi, Operation, operations, Parameter } from '../document.ts';
import type { Schema } from '../schema.ts';
import { exampleOf } from './example.ts';

export function bodySchema({ requestBody }: Operation): Schema | undefined {
  return requestBody?.content['application/json']?.schema;
}

export function curl(
  { method, path, operation }: ReturnType<typeof operations>[number],
  document: OpenApi,
): string {
  const { schemas } = document.components;
  const parameters = operation.parameters ?? [];
  const example = ({ name, schema }: Parameter) =>
    encodeURIComponent(String(exampleOf(schema, schemas, name)));
  const filled = path.replace(/\{([^}]+)\}/g, (all, name: string) => {
    const parameter = parameters.find((one) => one.in === 'path' && one.name === name);
    return parameter ? example(parameter) : all;
  });
  const query = parameters
    .filter((one) => one.in === 'query' && one.required)
    .map((one) => `${one.name}=${example(one)}`);
  const body = bodySchema(operation);
  const verb = method === 'GET' || (method === 'POST' && body) ? '' : `-X ${method} `;
  const lines = [`curl ${verb}"$FRAMEHOUND_SERVER${filled}${query.length > 0 ? `?${query.join('&')}` : ''}"`];
  if (operation.security.length > 0) lines.push('-H "X-License-Key: $FRAMEHOUND_LICENSE_KEY"');
  if (body) {
    const text = JSON.stringify(exampleOf(body, schemas), null, 1).replaceAll(/\n\s*/g, ' ');
    lines.push("-H 'Content-Type: application/json'", `-d '${text.replaceAll("'", "'\\''")}'`);
  }
  return lines.join(' \\\n  ');
}
