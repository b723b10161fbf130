// What the pages of operators read, and how they change it.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import * as api from "../api/operate";
import { keys } from "../api/queries";
import { announce } from "../browser/announce";
import { useMe } from "../session/me";
import { newest, readContract } from "./contract";

/** Everything below this key is read again when the policy, a party or a subscription changes. */
export const operateKey = (project: string) => ["operate", project] as const;

/** Returns whether the person operates the project. Verbs of operators are absent for others. */
export function useIsOperator(): boolean {
  return useMe().viewer.scopes.includes("admin");
}

interface Options {
  enabled?: boolean;
  /** How often it is read again, for what changes without an event. */
  refetchInterval?: number;
  staleTime?: number;
}

function useOperate<T>(name: string, read: (project: string, signal: AbortSignal) => Promise<T>, options: Options = {}) {
  const { project } = useMe();
  return useQuery({ queryKey: [...operateKey(project), name], queryFn: ({ signal }) => read(project, signal), ...options });
}

export const useProject = () => useOperate("project", api.project);
export const useGates = () => useOperate("gates", api.gates);
export const useRules = () => useOperate("rules", api.rules);
export const useTokens = (enabled: boolean) => useOperate("tokens", api.tokens, { enabled });
export const useSubscriptions = () => useOperate("subscriptions", api.subscriptions);
/** The findings about the project. They cost a pass over all handoffs, so they are read once a minute at most. */
export const useDoctor = (enabled: boolean) => useOperate("doctor", api.doctor, { enabled, staleTime: 60_000 });
export const useDead = () => useOperate("dead", api.dead);

export const useDeliveries = (id: string | undefined) =>
  useOperate(`deliveries ${id}`, (project, signal) => api.deliveries(project, id ?? "", signal), { enabled: id !== undefined, refetchInterval: 3000 });

/** The newest version of every contract. */
export const useContracts = () =>
  useOperate("contracts", async (project, signal) => {
    const all = newest(await api.contracts(project, signal));
    const read = all.map(async ({ contract, version }) => (await api.contract(project, `${contract}@${version}`, signal)).document);
    return (await Promise.all(read)).map(readContract);
  });

/** The newest version of every gate, as documents. */
export const useGateDocuments = () =>
  useOperate("gate documents", async (project, signal) => {
    const all = await api.gates(project, signal);
    return Promise.all(all.map(async ({ gate }) => (await api.gate(project, gate, signal)).document ?? {}));
  });

interface Action<Input, Output> {
  run: (project: string, input: Input) => Promise<Output>;
  /** What is announced when it is done. */
  done?: (output: Output, input: Input) => string;
  onDone?: (output: Output, input: Input) => void;
}

/** An operation of an operator. Afterwards everything is read again. */
export function useAction<Input, Output>({ run, done, onDone }: Action<Input, Output>) {
  const { project } = useMe();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: Input) => run(project, input),
    onSuccess: (output, input) => {
      if (done) announce(done(output, input));
      onDone?.(output, input);
    },
    onSettled: () => {
      for (const queryKey of [operateKey(project), keys.parties(project), keys.inbox(project)]) void client.invalidateQueries({ queryKey });
    },
  });
}
