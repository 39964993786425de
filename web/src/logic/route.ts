// Parses and formats the URLs of the web UI. For example, "#/rules?op=fadd" selects the page "rules" and sets the field
// "op".

export interface Place {
  path: string; // "/rule/ab12"
  part: string; // "rule"
  id: string; // "ab12"; may be empty
  query: URLSearchParams;
}

// Parses the hash of a URL. An empty hash means the list of rules.
export function placeOf(hash: string): Place {
  const [before, query] = hash.slice(1).split(/\?(.*)/s);
  const path = before || "/rules";
  const [, part = "", id = ""] = path.split("/");
  return { path, part, id, query: new URLSearchParams(query ?? "") };
}

// Returns the hash of a place, without empty fields.
export function hashOf(path: string, fields: Record<string, string> = {}): string {
  const query = new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== "")).toString();
  return query ? `#${path}?${query}` : `#${path}`;
}

// Parses a field that contains a list such as "a,b".
export const listOf = (query: URLSearchParams, name: string) => (query.get(name) ?? "").split(",").filter(Boolean);

// Removes `value` from the list, or appends it. Keeps only the last `most` values.
export function toggled<T>(list: T[], value: T, most = Number.POSITIVE_INFINITY): T[] {
  if (list.includes(value)) return list.filter((other) => other !== value);
  return [...list, value].slice(-most);
}
