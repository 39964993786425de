// Defines hooks that call the service: once, page by page, or on request.
import { useEffect, useRef, useState } from "preact/hooks";
import { problemOf, wasCancelled } from "./logic/errors";
import { kNothingYet, type Listed, type LoadPage, PagedList } from "./logic/pages";
import { machines } from "./service";

// Calls `load` once for each key. A new key cancels the previous call.
export function useAnswer<T>(key: string, load: (signal: AbortSignal) => Promise<T>) {
  const [state, setState] = useState<{ key: string; answer?: T; problem?: string }>({ key: "" });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key identifies the request of `load`
  useEffect(() => {
    const abort = new AbortController();
    load(abort.signal).then(
      (answer) => setState({ key, answer }),
      (error) => wasCancelled(error) || setState({ key, problem: problemOf(error) }),
    );
    return () => abort.abort();
  }, [key]);
  return state.key === key ? state : { key, answer: undefined, problem: undefined };
}

// Loads a list page by page. A new key loads the list from the beginning.
export function usePages<T>(key: string, load: LoadPage<T>) {
  const [state, setState] = useState<{ key: string; listed: Listed<T> }>({ key: "", listed: kNothingYet });
  const list = useRef<PagedList<T> | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key identifies the request of `load`
  useEffect(() => {
    const mine = new PagedList<T>(load, (listed) => setState({ key, listed }));
    list.current = mine;
    void mine.start();
    return () => mine.stop();
  }, [key]);
  const listed = state.key === key ? state.listed : kNothingYet;
  return { ...listed, more: listed.next ? () => void list.current?.more() : null };
}

// Runs an action that the user starts. Starting another action or unmounting the component stops the current one.
export function useAction() {
  const [state, setState] = useState({ busy: false, problem: "" });
  const abort = useRef<AbortController | null>(null);
  useEffect(() => () => abort.current?.abort(), []);
  const run = async (work: (signal: AbortSignal) => Promise<void>) => {
    abort.current?.abort();
    const mine = new AbortController();
    abort.current = mine;
    setState({ busy: true, problem: "" });
    let problem = "";
    try {
      await work(mine.signal);
    } catch (error) {
      problem = wasCancelled(error) ? "Stopped." : problemOf(error);
    }
    if (abort.current === mine) setState({ busy: false, problem });
  };
  return { ...state, run, stop: () => abort.current?.abort() };
}

// Returns the ids of all machines, or an empty list while they load.
export function useMachines(): string[] {
  const list = useAnswer("machines", (signal) => machines.listMachines({ pageSize: 1000 }, { signal }));
  return list.answer?.machines.map((one) => one.id) ?? [];
}
