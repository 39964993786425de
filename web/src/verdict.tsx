// Shows a verdict and its evidence: cases, witnesses, the accuracy statement of a rule with `~`, and certificates.
import {
  type CaseVerdict,
  DenormMode,
  Dialect,
  type InexactStatement,
  type RuleVerdict,
  Verdict,
} from "../gen/proto/rewrought/v1/proof_pb";
import { withFloats } from "./logic/value";
import { inputsOf } from "./logic/witness";
import {
  accuracyName,
  dialectName,
  growthText,
  modeName,
  number,
  sizesText,
  tierName,
  verdictName,
} from "./logic/words";
import { Mark, Scroll } from "./parts";

export const VerdictLine = ({ verdict }: { verdict: RuleVerdict }) => (
  <>
    <Mark name={verdictName(verdict.verdict)} />
    {verdict.verdict === Verdict.INEXACT && " equal over the reals, not bit for bit,"} in {verdict.ms.toFixed(0)} ms
    {verdict.dialect !== Dialect.UNSPECIFIED && `, dialect ${dialectName(verdict.dialect)}`}
  </>
);

export const CaseTable = ({ cases }: { cases: CaseVerdict[] }) => (
  <Scroll>
    <table>
      <thead>
        <tr>
          <th>Verdict</th>
          <th class="n">Width</th>
          <th>Sizes</th>
          <th>Denormals</th>
          <th>Decided by</th>
          <th>Confirmed by</th>
          <th>Witness or reason</th>
          <th class="n">ms</th>
        </tr>
      </thead>
      <tbody>
        {cases.map((one, index) => (
          <tr key={index}>
            <td>
              <Mark name={verdictName(one.verdict)} />
            </td>
            <td class="n">{one.width || ""}</td>
            <td>
              <code>{sizesText(one)}</code>
            </td>
            <td>{modeName(one.mode)}</td>
            <td>{tierName(one.tier)}</td>
            <td>{one.confirmedBy.join(", ")}</td>
            <td class="wide">{one.witness ? <WitnessText one={one} /> : one.reason}</td>
            <td class="n">{one.ms.toFixed(1)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </Scroll>
);

function WitnessText({ one }: { one: CaseVerdict }) {
  const witness = one.witness!;
  // Cases of rules without float operations have this mode.
  const value = one.mode === DenormMode.NONE ? (text: string) => text : withFloats;
  const inputs = inputsOf(witness)
    .map(([name, bits]) => `${name} = ${value(bits)}`)
    .join(", ");
  return (
    <span>
      <code>{inputs || "any input"}</code>: the search side returns{" "}
      <code>{witness.search.map(value).join(" or ")}</code>, the replacement <code>{value(witness.replace)}</code>
    </span>
  );
}

const ulp = (value: number | undefined) => (value === undefined ? "not measured" : number(value, 2));

// Shows the accuracy of a rule with `~`, which changes rounding. Such rules are kept separate from rules that are
// proved bit for bit.
export function Inexact({ statement }: { statement?: InexactStatement }) {
  if (!statement) return null;
  const special = Object.entries(statement.special).sort(([a], [b]) => a.localeCompare(b));
  return (
    <div class="statement">
      <h3>
        Over the reals <Mark name={verdictName(statement.reals)} />
      </h3>
      {statement.reason && <p class="quiet">{statement.reason}</p>}
      {statement.reals === Verdict.PROVED && (
        <p>
          Replacement compared with the search side: {accuracyName(statement.accuracyClass)}. Growth of the error bound
          as written: {growthText(statement.growthAsWritten)}; if the driver fuses multiplies and adds:{" "}
          {growthText(statement.growthFused)}.
        </p>
      )}
      {statement.hardestInput && (
        <p>
          Worst input found: <code>{statement.hardestInput}</code>
        </p>
      )}
      <Scroll>
        <table>
          <thead>
            <tr>
              <th>Error in ULP, relative to MPFR</th>
              <th class="n">Median</th>
              <th class="n">Largest observed</th>
              <th class="n">Bound</th>
            </tr>
          </thead>
          <tbody>
            <tr>
              <th>Search side</th>
              <td class="n">{ulp(statement.ulpTypicalBefore)}</td>
              <td class="n">{ulp(statement.ulpWorstBefore)}</td>
              <td />
            </tr>
            <tr>
              <th>Replacement</th>
              <td class="n">{ulp(statement.ulpTypicalAfter)}</td>
              <td class="n">{ulp(statement.ulpWorstAfter)}</td>
              <td class="n">{statement.ulpBound === undefined ? "none found" : number(statement.ulpBound, 2)}</td>
            </tr>
          </tbody>
        </table>
      </Scroll>
      {special.length > 0 && (
        <Scroll>
          <table>
            <thead>
              <tr>
                <th>Input</th>
                <th>Difference, search side → replacement</th>
              </tr>
            </thead>
            <tbody>
              {special.map(([input, results]) => (
                <tr key={input}>
                  <th>{input}</th>
                  <td class="wide">
                    <code>{results}</code>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </div>
  );
}

// Shows certificates, which are the evidence for proofs.
export function Certificates({ cases }: { cases: CaseVerdict[] }) {
  const certified = cases.filter((one) => one.certificate);
  if (!certified.length) return null;
  return (
    <details>
      <summary>Certificates ({certified.length})</summary>
      {certified.map((one, index) => {
        const certificate = one.certificate!;
        return (
          <div class="certificate" key={index}>
            <dl>
              <dt>Case</dt>
              <dd>
                {one.width} bits, {modeName(one.mode)}
              </dd>
              <dt>Kind</dt>
              <dd>{tierName(certificate.kind)}</dd>
              <dt>Solver</dt>
              <dd>{certificate.solver || "not needed"}</dd>
              <dt>Lemmas</dt>
              <dd>{certificate.lemmas.map((lemma) => `${lemma.name} (${lemma.instances})`).join(", ") || "none"}</dd>
              <dt>Query</dt>
              <dd>
                <code>{certificate.queryDigest}</code>
              </dd>
              <dt>Semantics</dt>
              <dd>
                <code>{certificate.semanticsDigest}</code>
              </dd>
            </dl>
            {certificate.query && (
              <details>
                <summary>SMT-LIB text</summary>
                <pre>{certificate.query}</pre>
              </details>
            )}
          </div>
        );
      })}
    </details>
  );
}

// Shows all of a verdict except its first line.
export const VerdictDetails = ({ verdict }: { verdict: RuleVerdict }) => (
  <>
    <Inexact statement={verdict.inexact} />
    <CaseTable cases={verdict.cases} />
    <Certificates cases={verdict.cases} />
  </>
);
