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

/** Paragraphs, lists of lines that begin with `- `, fenced blocks, `code`, **bold** and *emphasis*. No links, no HTML. */
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
export function inline(text: string): string {
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
