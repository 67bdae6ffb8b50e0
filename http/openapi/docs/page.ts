// The API document as one page for a person, written by the server: no script, no font, no picture, nothing from the
// network, so it works on a machine without any. Ready-made pages were considered first: swagger-ui-dist brings a
// package that reports its installation, redoc a telemetry package and a logo from elsewhere, rapidoc and scalar their
// own fonts and, the latter, about twenty packages and a proxy; each is a megabyte or more of script.
import { createHash } from 'node:crypto';
import type { OpenApi, Operation, Parameter, Response } from '../document.ts';
import { operations } from '../document.ts';
import type { Schema } from '../schema.ts';
import { bodySchema, curl } from './curl.ts';
import { type Field, fieldsOf, resolved, typeOf } from './fields.ts';
import { html, inline, markdown } from './html.ts';
import { style } from './style.ts';

const styleHash = createHash('sha256').update(style).digest('base64');

/** Content security policy of the page: nothing may be loaded, and only its own style applies. */
export const pagePolicy = [
  `default-src 'none'`,
  `style-src 'sha256-${styleHash}'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ');

type Entry = ReturnType<typeof operations>[number];

export function docsPage(document: OpenApi): string {
  const all = operations(document);
  const groups = document.tags.map(({ name }) => ({
    name,
    entries: all.filter(({ operation }) => operation.tags[0] === name),
  }));
  const { title, version, description } = document.info;
  const sections = groups.map(
    ({ name, entries }) => `<h2 id="${anchor(name)}">${html(name)}</h2>
${entries.map((entry) => section(entry, document)).join('\n')}`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${html(title)} API</title><style>${style}</style></head>
<body>${navigation(title, groups)}
<main><h1>${html(title)} API</h1>
<p class="quiet">Version ${html(version)} · for programs: <a href="/openapi.json">openapi.json</a></p>
${markdown(description)}
<h4>Before the examples</h4>
<pre tabindex="0">export FRAMEHOUND_SERVER=http://localhost:6699
export FRAMEHOUND_LICENSE_KEY=$(framehound license issue --tier pro)</pre>
${sections.join('\n')}
${events(document)}
</main></body></html>
`;
}

function navigation(
  title: string,
  groups: readonly { readonly name: string; readonly entries: readonly Entry[] }[],
): string {
  const lists = groups.map(({ name, entries }) => {
    const items = entries.map(
      ({ method, operation }) =>
        `<li><a href="#${anchor(operation.operationId)}"><span class="method ${method}">${method === 'DELETE' ? 'DEL' : method}</span><span>${html(operation.summary)}</span></a></li>`,
    );
    return `<h2>${html(name)}</h2><ul>${items.join('')}</ul>`;
  });
  const events = '<h2>Events</h2><ul><li><a href="#Events"><span>Progress of a task</span></a></li></ul>';
  return `<nav aria-label="Operations"><a class="title" href="#">${html(title)}</a>${lists.join('\n')}${events}</nav>`;
}

function section(entry: Entry, document: OpenApi): string {
  const { method, path, operation } = entry;
  const { operationId, summary, description, parameters = [], security } = operation;
  const open = security.length === 0 ? '<span class="badge">no license key</span>' : '';
  const body = bodySchema(operation);
  const { schemas } = document.components;
  return `<section class="operation" id="${anchor(operationId)}">
<h3>${html(summary)}</h3>
<div class="line"><span class="method ${method}">${method}</span><span class="path">${html(path)}</span>${open}</div>
${description ? markdown(description) : ''}
${table('Path', parameterFields(parameters, 'path', document))}
${table('Query', parameterFields(parameters, 'query', document))}
${body ? table('Body', fieldsOf(body, schemas)) : ''}
<h4>Answers</h4>
${Object.entries(operation.responses)
  .map(([status, one]) => answer(status, one, document))
  .join('\n')}
<h4>Example</h4>
<pre tabindex="0">${html(curl(entry, document))}</pre>
</section>`;
}

function events(document: OpenApi): string {
  const { schemas } = document.components;
  const entries = document['x-events'].map(
    ({ name, sender, summary, payload, answer }) => `<section class="operation" id="event-${anchor(name)}">
<h3>${html(name)}</h3>
<p class="quiet">${sender === 'client' ? 'emitted by a client' : 'emitted by the service'}</p>
${markdown(summary)}
<h4>Payload</h4>
${shape(payload, schemas)}
${answer ? `<h4>Acknowledgement</h4>\n${shape(answer, schemas)}` : ''}
</section>`,
  );
  return `<h2 id="Events">Events</h2>\n${entries.join('\n')}`;
}

function parameterFields(
  parameters: readonly Parameter[],
  where: Parameter['in'],
  document: OpenApi,
): Field[] {
  const chosen = parameters.filter((one) => one.in === where);
  const properties = Object.fromEntries(
    chosen.map(({ name, schema, description }) => [
      name,
      description === undefined ? schema : { ...schema, description },
    ]),
  );
  const required = chosen.filter((one) => one.required).map(({ name }) => name);
  return fieldsOf({ type: 'object', properties, required }, document.components.schemas);
}

/** Marks required fields of requests and optional fields of responses. */
function table(heading: string, fields: readonly Field[], of: 'request' | 'answer' = 'request'): string {
  if (fields.length === 0) return '';
  return `${heading === '' ? '' : `<h4>${heading}</h4>`}
<div class="wide" tabindex="0" role="region" aria-label="Fields"><table><thead><tr><th>Field</th><th>Type</th><th>Meaning</th></tr></thead>
<tbody>${fields.map((field) => row(field, of)).join('\n')}</tbody></table></div>`;
}

const marks = {
  request: { true: ' <span class="must">required</span>', false: '' },
  answer: { true: '', false: ' <span class="limits">optional</span>' },
} as const;

function row(field: Field, of: 'request' | 'answer'): string {
  const { name, depth, type, required, fallback, description, limits } = field;
  const mark = marks[of][`${required}`];
  const meaning = [
    description === '' ? '' : inline(description),
    fallback === undefined ? '' : `<span class="limits">default <code>${html(fallback)}</code></span>`,
    limits === '' ? '' : `<span class="limits">${html(limits)}</span>`,
  ].filter((part) => part !== '');
  const own = name.slice(name.lastIndexOf('.') + 1);
  return `<tr><td class="d${depth}" title="${html(name)}"><code>${html(own)}</code>${mark}</td><td class="type">${html(type)}</td><td>${meaning.join('<br>')}</td></tr>`;
}

function answer(status: string, given: Operation['responses'][string], document: OpenApi): string {
  const { schemas, responses } = document.components;
  const response: Response =
    '$ref' in given ? responses[given.$ref.replace('#/components/responses/', '')]! : given;
  const good = Number(status) < 400;
  const title = `<span class="status ${good ? 'ok' : 'bad'}">${status}</span>${inline(response.description)}`;
  const contents = Object.entries(response.content).map(([type, { schema }]) => {
    const kind = type === 'application/json' ? '' : `<p class="quiet">${html(type)}</p>`;
    return kind + shape(schema, schemas);
  });
  return `<details${good ? ' open' : ''}><summary>${title}</summary><div>${contents.join('')}</div></details>`;
}

/** Each of its forms as a table, or as its type where it has no fields. */
function shape(schema: Schema, schemas: OpenApi['components']['schemas']): string {
  const forms = (resolved(schema, schemas)['anyOf'] as readonly Schema[] | undefined) ?? [schema];
  const tables = forms.map((form) => {
    const fields = fieldsOf(form, schemas);
    return fields.length > 0
      ? table('', fields, 'answer')
      : `<p><code>${html(typeOf(form, schemas))}</code></p>`;
  });
  return tables.join('<p class="quiet">or</p>');
}

function anchor(name: string): string {
  return encodeURIComponent(name.replaceAll(' ', '-'));
}
