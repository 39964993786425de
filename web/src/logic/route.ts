// Addresses of the web UI: "#/rules?op=fadd" is the part "rules" with the field op.

export interface Place {
  path: string; // "/rule/ab12"
  part: string; // "rule"
  id: string; // "ab12"; empty: none
  query: URLSearchParams;
}

// An empty hash is the list of rules.
export function placeOf(hash: string): Place {
  const [before, query] = hash.slice(1).split(/\?(.*)/s);
  const path = before || "/rules";
  const [, part = "", id = ""] = path.split("/");
  return { path, part, id, query: new URLSearchParams(query ?? "") };
}

// The hash of a place; fields that are empty are left out.
export function hashOf(path: string, fields: Record<string, string> = {}): string {
  const query = new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== "")).toString();
  return query ? `#${path}?${query}` : `#${path}`;
}

// A field that holds a list: "a,b".
export const listOf = (query: URLSearchParams, name: string) => (query.get(name) ?? "").split(",").filter(Boolean);

// The list without `value` where it holds it, else with it at the end; of more than `most` the first ones go.
export function toggled<T>(list: T[], value: T, most = Number.POSITIVE_INFINITY): T[] {
  if (list.includes(value)) return list.filter((other) => other !== value);
  return [...list, value].slice(-most);
}
