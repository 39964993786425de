// Draws a term as a DAG.
import type { Term } from "../gen/proto/rewrought/v1/term_pb";
import { draw, edgePath, kBoxHeight, topOf } from "./logic/dag";
import { withFloats } from "./logic/value";
import { Scroll } from "./parts";

interface Props {
  term: Term;
  label: string; // label for screen readers
  values?: Map<number, string>; // values of the nodes, by node index
  named?: boolean; // whether to show the names of ops that preconditions use
}

export function Dag({ term, label, values, named }: Props) {
  const { boxes, width, height } = draw(term, values);
  // The frame leaves room for the names above the boxes and for edges that bow outward.
  const frame = { x: -2, y: -12, width: width + 52, height: height + 14 };
  return (
    <Scroll>
      <svg
        class="dag"
        role="img"
        aria-label={`${label}: ${term.text}`}
        width={frame.width}
        height={frame.height}
        viewBox={`${frame.x} ${frame.y} ${frame.width} ${frame.height}`}
      >
        {boxes.flatMap((user) =>
          user.sources.map((_, index) => <path key={index} class="edge" d={edgePath(user, index)} />),
        )}
        {boxes.map((box, index) => (
          <g key={index} class={box.kind} transform={`translate(${box.x - box.width / 2} ${topOf(box)})`}>
            <title>{box.value ? `${box.label} gives ${withFloats(box.value)}` : box.label}</title>
            <rect width={box.width} height={kBoxHeight} rx={box.kind === "op" ? 6 : 20} />
            <text x={box.width / 2} y={box.value ? 17 : 25}>
              {box.label}
            </text>
            {named && (
              <text class="name" x={2} y={-2}>
                {box.name}
              </text>
            )}
            {box.value && (
              <text class="value" x={box.width / 2} y={33}>
                {box.value}
              </text>
            )}
          </g>
        ))}
      </svg>
    </Scroll>
  );
}

interface SidesProps {
  search?: Term;
  replace?: Term;
  values?: { search: Map<number, string>; replace: Map<number, string> };
  captions: [string, string];
  texts?: [string, string]; // shown below the drawings
}

// Draws both sides of a rule. A side that has no term is not drawn.
export const Sides = ({ search, replace, values, captions, texts }: SidesProps) => (
  <div class="sides">
    <figure>
      <figcaption>{captions[0]}</figcaption>
      {search && <Dag term={search} label="search side" values={values?.search} named />}
      {texts && <pre>{texts[0]}</pre>}
    </figure>
    <figure>
      <figcaption>{captions[1]}</figcaption>
      {replace && <Dag term={replace} label="replacement" values={values?.replace} />}
      {texts && <pre>{texts[1]}</pre>}
    </figure>
  </div>
);
