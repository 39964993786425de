// Tests lists that are loaded page by page: order, failures, and superseded calls.
import { expect, test } from "vitest";
import { type Listed, type Page, PagedList } from "./pages";

// Returns a list from a service with three pages, whose tokens are "", "1", and "2". `answer` may replace the response
// for a page.
function listOfThree(answer = (page: Page<string>, _token: string): Promise<Page<string>> => Promise.resolve(page)) {
  const asked: string[] = [];
  const shown: Listed<string>[] = [];
  const list = new PagedList<string>(
    (token) => {
      asked.push(token);
      const number = Number(token);
      return answer({ rows: [`row ${number}`], next: number < 2 ? `${number + 1}` : "", total: 3n }, token);
    },
    (listed) => shown.push(listed),
  );
  return { list, asked, shown, last: () => shown[shown.length - 1] };
}

test("pages are joined in order up to the last", async () => {
  const { list, asked, last } = listOfThree();
  await list.start();
  expect(last()).toEqual({ rows: ["row 0"], next: "1", busy: false, problem: "", total: 3n });
  await list.more();
  await list.more();
  expect(last()).toMatchObject({ rows: ["row 0", "row 1", "row 2"], next: "", busy: false });
  await list.more();
  expect(asked).toEqual(["", "1", "2"]);
});

test("rows stay visible while the next page loads, and it is requested once", async () => {
  const { list, asked, last } = listOfThree();
  await list.start();
  const first = list.more();
  expect(last()).toMatchObject({ rows: ["row 0"], busy: true, total: 3n });
  await Promise.all([first, list.more()]);
  expect(asked).toEqual(["", "1"]);
});

test("a failed page is reported and can be requested again", async () => {
  let failing = true;
  const { list, last } = listOfThree((page, token) =>
    failing && token === "1" ? Promise.reject(new Error("no luck")) : Promise.resolve(page),
  );
  await list.start();
  await list.more();
  expect(last()).toMatchObject({ rows: ["row 0"], busy: false, problem: "no luck", next: "1" });
  failing = false;
  await list.more();
  expect(last()).toMatchObject({ rows: ["row 0", "row 1"], problem: "", next: "2" });
});

test("results and failures that arrive after a stop are dropped", async () => {
  for (const late of [(page: Page<string>) => page, () => Promise.reject(new Error("aborted"))]) {
    const { list, shown } = listOfThree((page) => Promise.resolve().then(() => late(page)));
    const started = list.start();
    list.stop();
    await started;
    expect(shown).toEqual([{ rows: [], next: "", busy: true, problem: "", total: undefined }]);
  }
});

test("restarting overtakes the call in flight", async () => {
  const waiting: ((page: Page<string>) => void)[] = [];
  const { list, shown, last } = listOfThree(() => new Promise((resolve) => waiting.push(resolve)));
  const old = list.start();
  const anew = list.start();
  waiting[1]({ rows: ["new"], next: "" });
  waiting[0]({ rows: ["old"], next: "" });
  await Promise.all([old, anew]);
  expect(last().rows).toEqual(["new"]);
  expect(shown.some((listed) => listed.rows.includes("old"))).toBe(false);
});
