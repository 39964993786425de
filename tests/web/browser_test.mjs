// The page in headless Chromium: its main paths, hostile text, no request to anybody else, and a picture of each part.
// usage: node browser_test.mjs URL PICTURE_FOLDER HOSTILE_URL   (the last serves make_database's database; playwright-core is found in out/page-build; exit status 1: it failed)
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const require = createRequire(resolve("out/page-build/package.json"));
const { chromium } = require("playwright-core");
const [base, pictures, hostileBase] = process.argv.slice(2);
mkdirSync(pictures, { recursive: true });
const profile = mkdtempSync(join(tmpdir(), "profile-"));
const context = await chromium.launchPersistentContext(profile, {
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  headless: true,
  viewport: { width: 1280, height: 900 },
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"],
});
const page = context.pages()[0] ?? (await context.newPage());
page.setDefaultTimeout(60000);
const foreign = [];
const faults = [];
let dialogs = 0;
page.on("request", (request) => [base, hostileBase].some((own) => request.url().startsWith(own)) || foreign.push(request.url()));
page.on("pageerror", (error) => faults.push(String(error)));
page.on("console", (message) => /Content Security Policy/.test(message.text()) && faults.push(message.text()));
page.on("dialog", (dialog) => { ++dialogs; void dialog.dismiss(); });

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
  await page.waitForFunction(() => !document.querySelector("[role=status]").textContent.startsWith("Loading"));
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
  await page.click("#prove");
  await page.waitForSelector("#again .mark.proved");
  await page.waitForSelector("h2:text('Sites') + div tbody tr, h2:text('Sites') + * + div tbody tr");
  await page.screenshot({ path: join(pictures, "rule.png"), fullPage: true });
});

await test("the playground refutes, shows values on nodes and what is missing, and can be shared", async () => {
  await open("/play");
  await page.fill("#rule", "(('fadd@32', a, ('fneg', a)), 0.0)");
  await page.keyboard.press("Control+Enter");
  await page.waitForSelector("#verdict .mark.refuted");
  await page.waitForSelector(".dag .value");
  assert.match(await page.textContent("#verdict"), /n0:nnan/);
  await picture("play-refuted");
  const address = page.url();
  await page.goto("about:blank");
  await page.goto(address);
  await page.waitForSelector("#verdict .mark.refuted");
});

await test("the playground proves and says what is wrong", async () => {
  await open(`/play?rule=${encodeURIComponent("(('fmul', ('fneg', a), ('fneg', b)), ('fmul', a, b))")}`);
  await page.waitForSelector("#verdict .mark.proved");
  await page.click("summary:has-text('Certificates')");
  await picture("play-proved");
  await page.fill("#rule", "(('fadd', a), a)");
  await page.click("#check");
  await page.waitForSelector("#verdict .mark.error");
});

await test("text is never markup", async () => {
  const hostile = "(('fadd', a, '<script>alert(1)</script>'), '<img src=x onerror=alert(2)>')";
  await open(`/play?rule=${encodeURIComponent(hostile)}&machine=${encodeURIComponent("<script>alert(3)</script>")}`);
  await page.waitForSelector("#verdict .mark, .problem");
  for (const hash of [`/rules?text=${encodeURIComponent("<script>alert(4)</script>")}`, "/rule/<script>alert(5)<\u002fscript>",
    `/machines?id=${encodeURIComponent("<img src=x onerror=alert(6)>")}`]) {
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
  assert.equal(dialogs, 0);
  assert.equal(await page.locator("main script, main img, main b").count(), 0);
});

await test("best code, streamed", async () => {
  await open("/improve");
  await page.waitForSelector("fieldset input");
  await page.click("#improve");
  await page.waitForSelector("#found .mark.proved");
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

await test("a wrong token is said, and kept in this tab only", async () => {
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
  for (const part of ["rules", "play", "improve", "machines", "corpus", "runs"]) {
    await open(`/${part}`);
    await page.waitForSelector("h1");
    await page.waitForTimeout(700);
    assert.ok(await hasNoSidewaysScroll(), `${part} is wider than the screen`);
    if (part === "rules" || part === "play") await picture(`narrow-${part}`);
  }
  await open("/rules");
  await page.click("a.rule");
  await page.waitForSelector(".dag");
  assert.ok(await hasNoSidewaysScroll(), "a rule is wider than the screen");
  await picture("narrow-rule");
});

await test("nobody else was asked, and nothing went wrong", async () => {
  assert.deepEqual(foreign.filter((url) => url !== "about:blank"), []);
  assert.deepEqual(faults, []);
});

await context.close();
rmSync(profile, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
