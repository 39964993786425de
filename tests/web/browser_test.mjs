// Tests the web UI in headless Chromium: its main paths, hostile text, and that it sends requests only to its own
// server. Takes a screenshot of each page. TOKEN contains an admin's token; playwright-core is in out/web-ui-build.
// The exit status is 1 if a test fails.
// usage: node browser_test.mjs URL PICTURE_FOLDER HOSTILE_URL   (HOSTILE_URL serves make_database's database)
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const require = createRequire(resolve("out/web-ui-build/package.json"));
const { chromium } = require("playwright-core");
const [base, pictures, hostileBase] = process.argv.slice(2);
mkdirSync(pictures, { recursive: true });
const profile = mkdtempSync(join(tmpdir(), "profile-"));
const context = await chromium.launchPersistentContext(profile, {
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  headless: true,
  viewport: { width: 1280, height: 900 },
  args: [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
});
const page = context.pages()[0] ?? (await context.newPage());
page.setDefaultTimeout(60000);
const foreign = [];
const faults = [];
let dialogs = 0;
page.on(
  "request",
  (request) => [base, hostileBase].some((own) => request.url().startsWith(own)) || foreign.push(request.url()),
);
page.on("pageerror", (error) => faults.push(String(error)));
page.on("console", (message) => /Content Security Policy/.test(message.text()) && faults.push(message.text()));
page.on("dialog", (dialog) => {
  ++dialogs;
  void dialog.dismiss();
});

let passed = 0;
let failed = 0;
async function test(name, body) {
  try {
    await body();
    ++passed;
    console.log(`ok   ${name}`);
  } catch (error) {
    ++failed;
    console.log(`FAIL ${name}: ${error.message.split("\n").slice(0, 6).join("\n     ")}`);
    await picture(`failed-${failed}`);
  }
}
const picture = (name) => page.screenshot({ path: join(pictures, `${name}.png`) });
const open = async (hash) => {
  await page.goto("about:blank");
  await page.goto(`${base}/#${hash}`);
};
const openAsAdmin = async (url) => {
  await page.goto("about:blank");
  await page.goto(url.replace(/#.*/, ""));
  await page.evaluate((token) => sessionStorage.setItem("rewrought-token", token), process.env.TOKEN);
  await page.goto("about:blank");
  await page.goto(url);
};
const whole = (name) => page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
const hasNoSidewaysScroll = () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);

await test("rules are listed, filtered and searched", async () => {
  await open("/rules");
  await page.waitForSelector("a.rule");
  const all = await page.locator("a.rule").count();
  assert.ok(all > 1);
  await picture("rules");
  const op = (await page.locator("a.rule code").first().textContent()).match(/'(\w+)/)[1];
  await page.getByLabel("Op", { exact: true }).fill(op);
  await page.keyboard.press("Enter");
  await page.waitForURL(new RegExp(`op=${op}`));
  // The previous list's rows may still be visible for a moment.
  await page.waitForFunction((name) => {
    const rows = [...document.querySelectorAll("a.rule code:first-child")];
    return rows.length > 0 && rows.every((row) => row.textContent.includes(name));
  }, op);
  const texts = await page.locator("a.rule code:first-child").allTextContents();
  assert.ok(texts.length > 0 && texts.every((text) => text.includes(op)));
});

await test("rules that fire in an expression", async () => {
  await open(`/rules?fires=${encodeURIComponent("('fadd@32', 'a@32', ('fneg@32', 'b@32'))")}`);
  await page.waitForFunction(() => /match/.test(document.querySelector("[role=status]")?.textContent ?? ""));
  await picture("fires");
});

await test("the keyboard alone opens a rule", async () => {
  await open("/rules");
  await page.waitForSelector("a.rule");
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement.id), "search");
  await page.keyboard.press("Tab");
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForURL(/#\/rule\/[0-9a-f]{64}/);
});

await test("a rule: drawn, proved again, with its sites", async () => {
  await page.waitForSelector(".dag");
  assert.ok((await page.locator(".dag g").count()) >= 2);
  for (const label of await page.locator(".dag g > text:not(.name)").allTextContents()) assert.notEqual(label, "");
  await page.click("#prove");
  // An inexact rule is refuted bit for bit, and the web UI also shows that it is inexact.
  await page.waitForSelector("#again > p .mark.proved, #again > p:has-text('equal over the reals') .mark.inexact");
  await page.waitForSelector("h2:text('Sites') + div tbody tr, h2:text('Sites') + * + div tbody tr");
  await page.waitForSelector(".listings pre");
  await page.click("#drop");
  await page.waitForFunction(() => !document.querySelector("#drop").disabled);
  await whole("rule");
});

await test("why a rule's precondition is needed", async () => {
  await page.goto(`${hostileBase}/#/rules?op=fabs`);
  await page.click("a.rule:has-text('is_not_negative')");
  await page.waitForSelector(".listings article:nth-child(5)");
  await page.click("#drop");
  await page.waitForSelector(".dropped:has-text('is_not_negative') .mark.refuted");
});

await test("packs are built, verified, compared and downloaded", async () => {
  for (const machine of ["intel_gen9", "agx_g13"]) {
    await openAsAdmin(`${base}/#/packs`);
    await page.waitForSelector("#build option", { state: "attached" });
    await page.selectOption("#build select", machine);
    await page.click("#build button");
    await page.waitForURL(new RegExp(`name=${machine}-`), { timeout: 120000 });
  }
  await page.waitForSelector("#verify");
  await page.click("#verify");
  await page.waitForFunction(
    () => /Nothing is wrong: [\d,]+ rules proved again/.test(document.querySelector("#findings")?.textContent ?? ""),
    null,
    { timeout: 120000 },
  );
  await whole("packs");
  await page.getByLabel("Compare with").selectOption({ index: 1 });
  await page.waitForSelector("#diff tbody tr");
  await picture("packs-diff");
  const [saved] = await Promise.all([
    page.waitForEvent("download"),
    page.click("button.link:has-text('manifest.json')"),
  ]);
  assert.match(JSON.parse(readFileSync(await saved.path(), "utf8")).machine, /agx_g13/);
});

await test("the audit is browsed down to a witness", async () => {
  await open("/audits");
  await page.waitForSelector("a.rule");
  await picture("audits");
  await page.click(".chip.refuted");
  await page.waitForURL(/class=3/);
  await page.waitForFunction(() =>
    [...document.querySelectorAll("tbody td:first-child .mark")].every((mark) => mark.textContent === "refuted"),
  );
  await page.keyboard.press("j");
  await page.locator("a.rule").first().click();
  await page.waitForSelector("#finding .mark.refuted");
  await page.waitForSelector("#finding td:has-text('the search side returns')");
  await whole("audit-finding");
});

await test("who uses a pattern", async () => {
  await open(`/corpus?pattern=${encodeURIComponent("('fadd', ('fmul', a, b), ('fneg', c))")}`);
  await page.waitForFunction(() =>
    /fragments match/.test(document.querySelector("#uses [role=status]")?.textContent ?? ""),
  );
  await picture("uses");
});

await test("an upload whose name is markup", async () => {
  const text =
    "#version 450\nlayout(location = 0) in vec4 a;\nlayout(location = 0) out vec4 r;\n" +
    "void main() { r = vec4(max(a.x * 12345.5, 0.0) + a.y * a.z, a.w, 0.0, 1.0); }\n";
  const file = { name: "<script>alert(12)<script>.frag", mimeType: "text/plain", buffer: Buffer.from(text) };
  await page.evaluate(() => sessionStorage.clear());
  await open("/corpus");
  await page.fill("#upload [name=source]", "<b>sent<b>");
  await page.setInputFiles("#upload [type=file]", file);
  await page.click("#upload button");
  await page.waitForSelector(".problem");
  assert.match(await page.textContent(".problem"), /token/);
  await openAsAdmin(`${base}/#/corpus`);
  await page.fill("#upload [name=source]", "<b>sent<b>");
  await page.setInputFiles("#upload [type=file]", file);
  await page.click("#upload button");
  await page.waitForSelector("#uploaded");
  assert.match(await page.textContent("#uploaded"), /1 shaders, 1 new, 0 skipped/);
  await picture("upload");
  await page.goto(`${base}/#/corpus?pattern=${encodeURIComponent("('fmul', a, 12345.5)")}`);
  await page.waitForSelector("#uses td:has-text('<script>alert(12)<script>.frag')");
  assert.equal(dialogs, 0);
  assert.equal(await page.locator("main script, main img, main td b").count(), 0);
});

await test("a run is started, watched, cancelled and resumed", async () => {
  await openAsAdmin(`${base}/#/runs`);
  await page.click("summary:has-text('Start a run')");
  await page.waitForSelector("form option", { state: "attached" });
  await page.selectOption("select[name=machine]", "agx_g13");
  await page.fill("[name=seconds]", "600");
  await page.click("form button:has-text('Start')");
  const card = page.locator(".run").first();
  await card.locator(".mark.running").waitFor();
  await page.waitForFunction(
    () => Number(document.querySelector(".run .statistics td")?.textContent.replaceAll(",", "")) > 0,
    null,
    { timeout: 120000 },
  );
  await picture("run-live");
  await card.locator("button:has-text('Cancel')").click();
  await card.locator(".mark.cancelled").waitFor();
  await card.locator("button:has-text('Resume')").click();
  await card.locator(".mark.running, .mark.queued, .mark.done").first().waitFor();
  const cancel = card.locator("button:has-text('Cancel')");
  if (await cancel.count()) await cancel.click();
  await card.locator(".mark.cancelled, .mark.done").first().waitFor();
  await page.evaluate(() => sessionStorage.clear());
});

await test("the playground refutes, shows node values and missing assumptions, and can be shared", async () => {
  await open("/play");
  await page.fill("#rule", "(('fadd@32', a, ('fneg', a)), 0.0)");
  await page.keyboard.press("Control+Enter");
  await page.waitForSelector("#verdict .mark.refuted");
  await page.waitForSelector(".dag .value");
  // Both sides are drawn with the value of each node; the replacement is a constant.
  const drawn = await page.locator(".dag").evaluateAll((sides) => sides.map((side) => side.textContent));
  assert.match(drawn[0], /fadd.*n0.*0x[0-9a-f]{8}.*fneg.*n1/);
  assert.match(drawn[1], /0\.0/);
  assert.match(await page.textContent("#verdict"), /n0:nnan/);
  await picture("play-refuted");
  const address = page.url();
  await page.goto("about:blank");
  await page.goto(address);
  await page.waitForSelector("#verdict .mark.refuted");
});

await test("the playground proves rules and reports errors", async () => {
  await open(`/play?rule=${encodeURIComponent("(('fmul', ('fneg', a), ('fneg', b)), ('fmul', a, b))")}`);
  await page.waitForSelector("#verdict .mark.proved");
  await page.click("summary:has-text('Certificates')");
  await picture("play-proved");
  await page.fill("#rule", "(('fadd', a), a)");
  await page.click("#check");
  await page.waitForSelector("#verdict .mark.error");
});

await test("a rule that changes rounding shows its effect on accuracy", async () => {
  await open(
    `/play?rule=${encodeURIComponent("(('~fadd@32', ('fmul', a, b), ('fmul', a, c)), ('fmul', a, ('fadd', b, c)))")}`,
  );
  await page.waitForSelector("#verdict .mark.inexact");
  await page.waitForSelector(".statement h3 .mark.proved");
  const rows = await page.locator(".statement tbody tr:has-text('Replacement') td").allTextContents();
  assert.ok(Number(rows[1].replaceAll(",", "")) > 0, `largest error: ${rows}`);
  // The witness shows bit patterns together with their float values.
  assert.match(
    await page.locator("td.wide:has-text('the search side returns') code").first().textContent(),
    /0x[0-9a-f]{8} \((-?[\d.e-]+|-?inf|nan)\)/,
  );
  await picture("play-inexact");
});

await test("text is never markup", async () => {
  const hostile = "(('fadd', a, '<script>alert(1)</script>'), '<img src=x onerror=alert(2)>')";
  await open(`/play?rule=${encodeURIComponent(hostile)}&machine=${encodeURIComponent("<script>alert(3)</script>")}`);
  await page.waitForSelector("#verdict .mark, .problem");
  for (const hash of [
    `/rules?text=${encodeURIComponent("<script>alert(4)</script>")}`,
    "/rule/<script>alert(5)<\u002fscript>",
    `/machines?id=${encodeURIComponent("<img src=x onerror=alert(6)>")}`,
  ]) {
    await open(hash);
    await page.waitForSelector("h1");
    await page.waitForTimeout(400);
  }
  assert.equal(dialogs, 0);
  assert.equal(await page.locator("main script, main img").count(), 0);
});

await test("names and rules in the database are never markup", async () => {
  await page.goto(`${hostileBase}/#/rules`);
  await page.waitForSelector("a.rule");
  await picture("hostile-rules");
  const addresses = await page.locator("a.rule").evaluateAll((links) => links.map((link) => link.hash));
  for (const address of addresses) {
    await page.goto(`${hostileBase}/${address}`);
    await page.waitForSelector("td:has-text('<script>alert(4)</script>')");
  }
  await picture("hostile-rule");
  await page.goto(`${hostileBase}/#/audits?audit=zz-markup.json`);
  await page.waitForSelector("a.rule:has-text('<img src=x onerror=alert(8)>')");
  await page.click("a.rule");
  await page.waitForSelector("#finding code:has-text('<script>alert(11)</script>')");
  await picture("hostile-audit");
  assert.equal(dialogs, 0);
  assert.equal(await page.locator("main script, main img, main b").count(), 0);
});

await test("best code, streamed", async () => {
  await open("/improve");
  await page.waitForSelector("fieldset input");
  await page.waitForSelector(".dag:has-text('fmin'):has-text('1.0')");
  await page.click("#improve");
  await page.waitForSelector("#found .mark.proved");
  assert.match(await page.locator("#found pre").first().textContent(), /^[A-Z][A-Z0-9_.]*\(/);
  await page.waitForFunction(() => !document.querySelector("#found [aria-busy]"));
  await picture("improve");
});

await test("machines side by side", async () => {
  await open("/machines?id=intel_gen9,agx_g13");
  await page.waitForFunction(() => document.querySelectorAll(".card table").length === 2);
  await picture("machines");
});

await test("corpus and runs", async () => {
  await open("/corpus");
  await page.waitForSelector("tbody tr");
  await picture("corpus");
  await open("/runs");
  await page.waitForSelector(".run, main .quiet:not([aria-busy])");
  await picture("runs");
});

await test("savings over time are plotted as the service reports them", async () => {
  await open("/runs");
  await page.waitForSelector(".savings select option", { state: "attached" });
  const machines = await page.locator(".savings select option").allTextContents();
  let plotted = 0;
  for (const machine of machines) {
    await page.getByLabel("Machine of the plot").selectOption(machine);
    const { steps = [] } = await page.evaluate(async (id) => {
      const answer = await fetch("/rewrought.v1.RunService/GetSavings", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ machine: id }),
      });
      return answer.json();
    }, machine);
    if (steps.length === 0) {
      await page.getByText(`No run has found a rule for ${machine}.`).waitFor();
      continue;
    }
    const last = steps[steps.length - 1];
    const plot = page.locator(`.savings svg[aria-label^="${machine}: ${Number(last.rules).toLocaleString("en")} rules "]`);
    await plot.waitFor();
    const path = await plot.locator(".curve.discovery").getAttribute("d");
    assert.equal(path.split("H").length - 1, steps.length);
    const heights = [...path.matchAll(/V([\d.]+)/g)].map((match) => Number(match[1]));
    assert.ok(heights.every((height, i) => i === 0 || height <= heights[i - 1]), "a saving went down");
    // Take the screenshot of the machine with the most steps.
    if (steps.length > plotted) {
      plotted = steps.length;
      await page.locator(".savings").screenshot({ path: join(pictures, "savings.png") });
    }
  }
  assert.ok(plotted > 0, "the database has no run that found a rule");
  assert.ok(await hasNoSidewaysScroll());
});

await test("a wrong token is reported, and stored in this tab only", async () => {
  await open("/rules");
  await page.click(".token summary");
  await page.fill("input[name=token]", "wrong");
  await page.click(".token button");
  await page.waitForSelector(".problem");
  assert.match(await page.textContent(".problem"), /token is unknown/);
  assert.equal(await page.evaluate(() => localStorage.length), 0);
  await page.evaluate(() => sessionStorage.clear());
});

await test("dark and narrow", async () => {
  await page.emulateMedia({ colorScheme: "dark" });
  await page.setViewportSize({ width: 360, height: 740 });
  for (const part of ["rules", "play", "improve", "machines", "corpus", "packs", "audits", "audits?rule=3", "runs"]) {
    await open(`/${part}`);
    await page.waitForSelector("h1");
    await page.waitForTimeout(700);
    assert.ok(await hasNoSidewaysScroll(), `${part} is wider than the screen`);
    if (/^(rules|play|packs|audits)$/.test(part)) await picture(`narrow-${part}`);
  }
  await open("/rules");
  await page.click("a.rule");
  await page.waitForSelector(".dag");
  assert.ok(await hasNoSidewaysScroll(), "a rule is wider than the screen");
  await picture("narrow-rule");
});

await test("no other server was contacted, and no error occurred", async () => {
  assert.deepEqual(
    foreign.filter((url) => url !== "about:blank"),
    [],
  );
  assert.deepEqual(faults, []);
});

await context.close();
rmSync(profile, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
