// The API document as one page for a person, written by the server: no script, no font, no picture, nothing
// from the network, so it works on a machine without any. Ready-made pages were considered first:
// swagger-ui-dist brings a package that reports its installation, redoc a telemetry package and a logo from
// elsewhere, rapidoc and scalar their own fonts and, the latter, about twenty packages and a proxy; each is a
// megabyte or more of script.
import { createHash } from 'node:crypto';
import { type OpenApi, type Operation, operations, type Parameter, type Response } from '../document.ts';
import type { Json, Schema } from '../schema.ts';
import { type Components, type Field, fieldsOf, resolved, typeOf } from './fields.ts';

// How the page of the API looks: one sheet, sent inside the page, light or dark as the reader's system is.

const style = `
:root{color-scheme:light dark;--ink:#1b1f24;--quiet:#5b6470;--line:#dfe3e8;--page:#fff;--panel:#f6f7f9;--code:#eef0f3;
--get:#0a6d4f;--post:#1f5fbf;--put:#8a5a00;--delete:#b3261e;--accent:#1f5fbf;--must:#b3261e}
@media (prefers-color-scheme:dark){:root{--ink:#e6e8eb;--quiet:#9aa4b1;--line:#2d333b;--page:#14171b;--panel:#1b1f25;
--code:#23282f;--get:#4fc99e;--post:#7db2ff;--put:#e2b35c;--delete:#ff8a80;--accent:#7db2ff;--must:#ff8a80}}
*{box-sizing:border-box}
html{scroll-behavior:smooth;scroll-padding-top:16px}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0;font:15px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;color:var(--ink);background:var(--page);
display:grid;grid-template-columns:270px minmax(0,1fr);overflow-wrap:break-word}
code,pre,.path,.type{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.875em}
code{background:var(--code);padding:.1em .35em;border-radius:4px}
pre{background:var(--panel);border:1px solid var(--line);border-radius:8px;padding:12px 14px;overflow-x:auto;line-height:1.5;margin:8px 0 16px}
a{color:var(--accent);text-decoration:none}
a:hover{text-decoration:underline}
a:focus-visible,summary:focus-visible,pre:focus-visible,.wide:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
nav{position:sticky;top:0;height:100vh;overflow-y:auto;padding:20px 16px 40px;border-right:1px solid var(--line);background:var(--panel)}
nav h2{font-size:12px;letter-spacing:.05em;text-transform:uppercase;color:var(--quiet);margin:18px 0 4px;border:0;padding:0}
nav ul{list-style:none;margin:0;padding:0}
nav li a{display:flex;gap:8px;align-items:baseline;padding:3px 6px;border-radius:6px;color:var(--ink);font-size:14px;line-height:1.4}
nav li a:hover{background:var(--code);text-decoration:none}
nav .title{font-weight:650;font-size:17px;color:var(--ink)}
nav .method{font-size:10px;min-width:38px}
main{padding:28px clamp(16px,4vw,56px) 120px;max-width:1100px}
h1{font-size:28px;line-height:1.2;margin:0 0 4px}
h2{font-size:22px;margin:56px 0 0;padding-bottom:6px;border-bottom:1px solid var(--line)}
h3{font-size:18px;margin:0 0 6px;line-height:1.35}
h4{font-size:12px;letter-spacing:.05em;text-transform:uppercase;color:var(--quiet);margin:20px 0 6px}
p{margin:8px 0;max-width:75ch}
ul{max-width:75ch;padding-left:22px}
.quiet{color:var(--quiet)}
section.operation{padding:28px 0 12px;border-bottom:1px solid var(--line)}
section.operation:last-of-type{border-bottom:0}
.line{display:flex;gap:10px;align-items:baseline;flex-wrap:wrap;margin:0 0 8px}
.method{font-weight:700;font-size:12px;letter-spacing:.03em;font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.GET{color:var(--get)}.POST{color:var(--post)}.PUT{color:var(--put)}.DELETE{color:var(--delete)}
.path{font-size:14px;overflow-wrap:anywhere}
.badge{font-size:12px;color:var(--quiet);border:1px solid var(--line);border-radius:99px;padding:0 8px}
.wide{overflow-x:auto;margin:4px 0 12px}
table{border-collapse:collapse;width:100%;font-size:14px}
th{text-align:left;font-weight:600;color:var(--quiet);font-size:12px;padding:4px 12px 4px 0;border-bottom:1px solid var(--line)}
td{padding:7px 12px 7px 0;border-bottom:1px solid var(--line);vertical-align:top}
tr:last-child td{border-bottom:0}
td:first-child{white-space:nowrap}
td code{background:none;padding:0}
p code,li code{white-space:nowrap}
.d1{padding-left:20px}.d2{padding-left:40px}.d3{padding-left:60px}.d4,.d5{padding-left:80px}
td:last-child{min-width:180px}
.type{color:var(--quiet);max-width:260px}
.must{color:var(--must);font-size:12px}
.limits{color:var(--quiet);font-size:13px}
details{margin:4px 0;border:1px solid var(--line);border-radius:8px;background:var(--page)}
summary{cursor:pointer;padding:7px 12px;font-size:14px}
summary .status{font-weight:650;font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;margin-right:8px}
.ok{color:var(--get)}.bad{color:var(--delete)}
details>div{padding:0 14px 6px;border-top:1px solid var(--line)}
@media (max-width:800px){body{display:block}nav{position:static;height:auto;max-height:45vh;border-right:0;border-bottom:1px solid var(--line)}
main{padding-top:20px}
td:last-child{min-width:150px}
h2{margin-top:40px}}
@media print{nav{display:none}body{display:block}details>div{display:block}}
`;

// Example requests: the required fields, with values that a person can recognise and replace.

/** Example values by the name of a field, which says more than its type. */
const byName: readonly (readonly [RegExp, Json])[] = [
  [/^folder_path$/, '/media/footage'],
  [/(^|_)(dir|folder)$/, '/media/analysis'],
  [/^image_path$/, '/media/still.jpg'],
  [/paths?$/, '/media/film.mp4'],
  [/^query$/, 'a red car'],
  [/^(task_)?id$/, '0b1e5a52-6a7e-4f3e-9d1c-2f7a52c1f0aa'],
  [/hash_strs?$/, '9ae0daaf8f1c2b3c5d6e7f80-1f400'],
  [/^model_key$/, 'starter-visual-3'],
  [/^start_time$/, '00:00:10'],
  [/^end_time$/, '00:00:20'],
  [/seconds$/, 12.5],
];

function exampleOf(schema: Schema, components: Components, name = ''): Json {
  const at = resolved(schema, components);
  if (at['example'] !== undefined) return at['example'];
  if (at['default'] !== undefined) return at['default'];
  const [first] = (at['enum'] as readonly Json[] | undefined) ?? [];
  if (first !== undefined) return first;
  if (at['properties']) return objectExample(at, components);
  const forms = (at['anyOf'] ?? at['oneOf']) as readonly Schema[] | undefined;
  if (forms) return exampleOf(forms[0]!, components, name);
  const parts = at['allOf'] as readonly Schema[] | undefined;
  if (parts) return Object.assign({}, ...parts.map((part) => exampleOf(part, components, name)));
  if (at['type'] === 'array') return [exampleOf(at['items'] as Schema, components, name)];
  if (at['type'] === 'object') return objectExample(at, components);
  const match = byName.find(([pattern]) => pattern.test(name));
  const fits = match && (at['type'] === 'string') === (typeof match[1] === 'string');
  return fits ? match[1] : plain(at);
}

function objectExample(schema: Schema, components: Components): Json {
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, Schema>;
    required?: readonly string[];
  };
  const shown = Object.entries(properties).filter(
    ([name, field]) => required.includes(name) || resolved(field, components)['example'] !== undefined,
  );
  return Object.fromEntries(shown.map(([name, field]) => [name, exampleOf(field, components, name)]));
}

function plain(schema: Schema): Json {
  const { type, minimum } = schema as { type?: string; minimum?: number };
  if (type === 'string') return 'text';
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return minimum ?? 1;
  return null;
}

// Text as HTML: escaping, and the little Markdown that descriptions use.

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function html(text: string): string {
  return text.replace(/[&<>"']/g, (c) => entities[c]!);
}

/**
 * Paragraphs, lists of lines that begin with `- `, fenced blocks, `code`, **bold** and *emphasis*. No links,
 * no HTML.
 */
export function markdown(text: string): string {
  return text
    .trim()
    .split(/(?<=^|\n)(```[\s\S]*?\n```)(?:\n|$)|\n{2,}/)
    .filter((block) => block !== undefined && block.trim() !== '')
    .map((block) => blockHtml(block!.trim()))
    .join('\n');
}

function blockHtml(block: string): string {
  const fenced = /^```\w*\n([\s\S]*?)\n?```$/.exec(block);
  if (fenced) return `<pre>${html(fenced[1]!)}</pre>`;
  const parts = block.split(/(?:^|\n)- /);
  const [before, ...items] = parts;
  const paragraph = before!.trim() === '' ? '' : `<p>${inline(before!)}</p>`;
  if (items.length === 0) return paragraph;
  return `${paragraph}<ul>${items.map((item) => `<li>${inline(item)}</li>`).join('')}</ul>`;
}

/** One line of text: what stands between backticks is left as it is. */
function inline(text: string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part) => {
      if (part.length > 2 && part.startsWith('`') && part.endsWith('`')) {
        return `<code>${html(part.slice(1, -1))}</code>`;
      }
      return html(part)
        .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
        .replace(/(^|[\s(])\*([^*\s][^*]*)\*/g, '$1<em>$2</em>');
    })
    .join('');
}

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
  .map(([status, response]) => answer(status, response, document))
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
  const chosen = parameters.filter((parameter) => parameter.in === where);
  const properties = Object.fromEntries(
    chosen.map(({ name, schema, description }) => [
      name,
      description === undefined ? schema : { ...schema, description },
    ]),
  );
  const required = chosen.filter((parameter) => parameter.required).map(({ name }) => name);
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
  const shortName = name.slice(name.lastIndexOf('.') + 1);
  return `<tr><td class="d${depth}" title="${html(name)}"><code>${html(shortName)}</code>${mark}</td><td class="type">${html(type)}</td><td>${meaning.join('<br>')}</td></tr>`;
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

// An example request as a curl command, using the two environment variables from the start of the page.

function bodySchema({ requestBody }: Operation): Schema | undefined {
  return requestBody?.content['application/json']?.schema;
}

function curl({ method, path, operation }: ReturnType<typeof operations>[number], document: OpenApi): string {
  const { schemas } = document.components;
  const parameters = operation.parameters ?? [];
  const example = ({ name, schema }: Parameter) =>
    encodeURIComponent(String(exampleOf(schema, schemas, name)));
  const filled = path.replace(/\{([^}]+)\}/g, (all, name: string) => {
    const parameter = parameters.find((candidate) => candidate.in === 'path' && candidate.name === name);
    return parameter ? example(parameter) : all;
  });
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map((parameter) => `${parameter.name}=${example(parameter)}`);
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
