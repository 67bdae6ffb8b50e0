// The frame of the pages that commands write for a browser: searches and faces. Light or dark as the browser
// is, light on paper; no network, no script.

/** `body`: HTML. The page is one file, and is refused everything that does not lie in it. */
export function pageOf(heading: string, body: string, style = ''): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="Content-Security-Policy" content="${onlyItself}"><title>${html(heading)}</title>
<style>${frame}${style}</style>
<h1>${html(heading)}</h1>${body}</html>
`;
}

export function noteHtml(note: string): string {
  return `<p class="note">${html(note)}</p>`;
}

/** Text as HTML, also inside an attribute. */
export function html(text: string): string {
  return text.replace(/[&<>"']/g, (c) => entities[c]!);
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const onlyItself = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";

const light =
  '--page:#fff;--text:#1f2328;--strong:#000;--quiet:#59616b;--box:#f0f2f5;--link:#0b57d0;--mark:#9a6700';
const dark =
  '--page:#16181c;--text:#e8e8e8;--strong:#fff;--quiet:#b4b8c0;--box:#22252b;--link:#9cc4ff;--mark:#d9a441';

const frame = `:root{color-scheme:light dark;${light}}@media screen and (prefers-color-scheme:dark){:root{${dark}}}
body{font:14px/1.4 system-ui,sans-serif;margin:24px;background:var(--page);color:var(--text)}h1{font-size:20px;overflow-wrap:anywhere}
a{color:var(--link)}b{color:var(--strong)}
.note{margin:0 0 6px;padding:6px 10px;border-left:3px solid var(--mark);background:var(--box);overflow-wrap:anywhere}
@media print{body{margin:0}h1{margin-top:0}}
`;
