// A module of the page as it is sent: comments are for who reads the source.

/** Without empty lines, lines that are a comment alone, and space at ends of lines, which taking types out leaves. */
export function compact(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '' && !/^\s*(\/\/|\/\*\*|\*\/|\* |\*$)/.test(line))
    .join('\n');
}
