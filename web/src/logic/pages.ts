// Defines a list that is loaded page by page. A new call cancels the previous call, whose result is dropped if it
// arrives late.
import { problemOf } from "./errors";

export interface Page<T> {
  rows: T[];
  next: string; // token of the next page; empty for the last page
  total?: bigint; // the total number of entries, if the service returns it
}

export interface Listed<T> extends Page<T> {
  busy: boolean;
  problem: string;
}

export type LoadPage<T> = (token: string, signal: AbortSignal) => Promise<Page<T>>;

export const kNothingYet: Listed<never> = { rows: [], next: "", busy: true, problem: "" };

export class PagedList<T> {
  private listed: Listed<T> = kNothingYet;
  private abort: AbortController | null = null;

  constructor(
    private readonly load: LoadPage<T>,
    private readonly changed: (listed: Listed<T>) => void,
  ) {}

  start(): Promise<void> {
    return this.add("", []);
  }

  // Loads the next page. Does nothing while a page is loading or after the last page. After a failure, loads the same
  // page again.
  async more(): Promise<void> {
    if (!this.listed.busy && this.listed.next) await this.add(this.listed.next, this.listed.rows);
  }

  stop() {
    this.abort?.abort();
  }

  private async add(token: string, before: T[]) {
    this.stop();
    const mine = new AbortController();
    this.abort = mine;
    this.show({ rows: before, next: "", busy: true, problem: "", total: this.listed.total });
    try {
      const page = await this.load(token, mine.signal);
      if (mine.signal.aborted) return;
      this.show({ ...page, rows: [...before, ...page.rows], busy: false, problem: "" });
    } catch (error) {
      if (mine.signal.aborted) return;
      this.show({ ...this.listed, next: token, busy: false, problem: problemOf(error) });
    }
  }

  private show(listed: Listed<T>) {
    this.listed = listed;
    this.changed(listed);
  }
}
