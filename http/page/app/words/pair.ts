// A text in both languages, and how values are put into it.

/** English, German. `{name}` is a value; `one|many` is chosen by the value `n`. */
export type Words = readonly [english: string, german: string];
export type Values = Readonly<Record<string, string | number>>;

/** Numbers are written as the language does. */
export function filled(text: string, values: Values, language: string): string {
  const [one = '', many = one] = text.split('|');
  const chosen = values['n'] === 1 ? one : many;
  return chosen.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === 'number' ? new Intl.NumberFormat(language).format(value) : value;
  });
}
