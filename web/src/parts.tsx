// Defines small components that several pages use.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { hashOf } from "./logic/route";
import { number } from "./logic/words";

export function Waiting({ state }: { state: { answer?: unknown; problem?: string } }) {
  if (state.problem) return <Problem text={state.problem} />;
  return state.answer === undefined ? (
    <p class="quiet" aria-busy="true">
      Loading…
    </p>
  ) : null;
}

export const Problem = ({ text }: { text: string }) => (
  <p class="problem" role="alert">
    {text}
  </p>
);

// Shows a word in a box, colored by its meaning.
export const Mark = ({ name }: { name: string }) => <span class={`mark ${name}`}>{name}</span>;

export const Scroll = ({ children }: { children: ComponentChildren }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable with the keyboard
  <div class="scroll" tabIndex={0}>
    {children}
  </div>
);

export const More = ({ pages }: { pages: { busy: boolean; more: (() => void) | null } }) =>
  pages.more && (
    <button type="button" disabled={pages.busy} onClick={pages.more}>
      More
    </button>
  );

export const Options = ({ of }: { of: string[] }) => (
  <>
    {of.map((one) => (
      <option key={one} value={one}>
        {one}
      </option>
    ))}
  </>
);

export const Arrow = () => <span class="arrow">→</span>;

// Shows a saving, in green if it is above 0, and in red if it is below 0.
export const Saved = ({ by }: { by: number }) => (
  <td class={`n ${by > 0 ? "good" : by < 0 ? "bad" : ""}`}>{number(by, 1)}</td>
);

// Shows a button that copies the current URL. The URL contains the query, so opening it repeats the query.
export function Share() {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(location.href);
    setCopied(true);
    setTimeout(() => setCopied(false), 2000);
  };
  return (
    <p class="quiet">
      This link reproduces the current query. {/* the clipboard exists only in secure contexts */}
      {"clipboard" in navigator && (
        <button type="button" id="share" onClick={copy}>
          {copied ? "Copied" : "Copy the link"}
        </button>
      )}
    </p>
  );
}

export const go = (path: string, fields: Record<string, string> = {}) => {
  location.hash = hashOf(path, fields);
};

export const formText = (event: Event, name: string) =>
  (new FormData(event.currentTarget as HTMLFormElement).get(name) ?? "").toString().trim();
