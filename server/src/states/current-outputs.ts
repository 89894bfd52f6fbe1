import { readState } from '#server/tofu/index';
import type { Json } from '#shared/kernel/json';
import type { OutputRow } from './store.ts';

/** An Output with its value. `sensitive` ones, and those that hold secret material, are told to no reader. */
export type CurrentOutput = { value: Json; sensitive: boolean; isPublic: boolean };
export type CurrentOutputs = {
  stateVersionId: string;
  generation: number;
  find(name: string): CurrentOutput | undefined;
  /** All of them, by name. */
  all(): Map<string, CurrentOutput>;
};

const at = (values: Record<string, unknown>, name: string): Json | undefined =>
  Object.hasOwn(values, name) ? (values[name] as Json) : undefined;

/** Reads Outputs beside the sealed state, which is opened only for what does not stand in clear. */
export function currentOutputsOf(row: OutputRow, openText: () => string): CurrentOutputs {
  let opened: ReturnType<typeof readState>['outputs'] | undefined;
  const inState = () => {
    opened ??= readState(openText()).outputs;
    return opened;
  };
  const shown = (name: string): CurrentOutput | undefined => {
    const value = at(row.workspaceOutputs, name);
    return value === undefined
      ? undefined
      : { value, sensitive: false, isPublic: Object.hasOwn(row.publicOutputs, name) };
  };
  const hidden = (name: string): CurrentOutput | undefined => {
    const outputs = inState();
    const output = Object.hasOwn(outputs, name) ? outputs[name] : undefined;
    return output && { value: output.value, sensitive: true, isPublic: false };
  };
  const find = (name: string) => shown(name) ?? hidden(name);
  return {
    stateVersionId: row.stateVersionId,
    generation: row.stateGeneration,
    find,
    all: () => new Map(Object.keys(inState()).map((name) => [name, find(name) as CurrentOutput])),
  };
}
