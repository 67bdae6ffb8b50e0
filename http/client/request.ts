// What is sent for an operation: its address filled in, and the rest as the body. The web page loads it, too.

export type Input = Readonly<Record<string, unknown>>;

export interface Address {
  readonly method: string;
  readonly path: string;
  readonly query: readonly string[];
}

/** `GET /api/v1/tasks/{task_id} offset limit`: method, path, names of the query. */
export function parseAddress(address: string): Address {
  const [method = '', path = '', ...query] = address.split(' ');
  return { method, path, query };
}

/** Path with its query, and body, of a request for what a caller gave. */
export function requestOf(
  { method, path, query }: Address,
  input: Input,
): { path: string; body: string | undefined } {
  const rest = { ...input };
  const take = (name: string) => {
    const value = rest[name];
    delete rest[name];
    return value;
  };
  const filled = path.replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(String(take(name))));
  const search = new URLSearchParams();
  for (const name of query) {
    const value = take(name);
    if (value !== undefined) search.set(name, String(value));
  }
  const text = search.size > 0 ? `${filled}?${search}` : filled;
  return {
    path: text,
    body: method === 'GET' || Object.keys(rest).length === 0 ? undefined : JSON.stringify(rest),
  };
}
