import { readState } from '#server/drivers/tofu/index';
import type { Json } from '#shared/kernel/json';
import type { OutputRow } from './store.ts';

/** An Output with its value. `sensitive` ones, and those that hold secret material, are told to no reader. */
export type CurrentOutput = { value: Json; sensitive: boolean };
export type CurrentOutputs = {
  stateVersionId: string;
  generation: number;
  find(name: string): CurrentOutput | undefined;
  /** One that its configuration makes public, by the name it has there. */
  findPublic(name: string): CurrentOutput | undefined;
  /** All of them by name, and those that are public under a name of their own. */
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
  const openIn =
    (values: Record<string, unknown>) =>
    (name: string): CurrentOutput | undefined => {
      const value = at(values, name);
      return value === undefined ? undefined : { value, sensitive: false };
    };
  const shown = openIn(row.workspaceOutputs);
  const findPublic = openIn(row.publicOutputs);
  const hidden = (name: string): CurrentOutput | undefined => {
    const outputs = inState();
    const output = Object.hasOwn(outputs, name) ? outputs[name] : undefined;
    return output && { value: output.value, sensitive: true };
  };
  const find = (name: string) => shown(name) ?? hidden(name);
  return {
    stateVersionId: row.stateVersionId,
    generation: row.stateGeneration,
    find,
    findPublic,
    all: () => {
      const names = new Set([...Object.keys(inState()), ...Object.keys(row.publicOutputs)]);
      return new Map([...names].map((name) => [name, (find(name) ?? findPublic(name)) as CurrentOutput]));
    },
  };
}
