import { readState } from '#server/drivers/tofu/index';
import type { Json } from '#shared/kernel/json';
import type { OutputRow } from './store.ts';

/** An Output with its value. `sensitive` Outputs, and those that hold secret material, are shown to no reader. */
export type CurrentOutput = { value: Json; sensitive: boolean };
export type CurrentOutputs = {
  stateVersionId: string;
  generation: number;
  find(name: string): CurrentOutput | undefined;
  /** Returns an Output that every reader may see; the sealed state stays closed. */
  findShown(name: string): CurrentOutput | undefined;
  /** Returns an Output that the configuration makes public, by its public name. */
  findPublic(name: string): CurrentOutput | undefined;
  /** Returns all Outputs by name, and public ones under their public names. */
  all(): Map<string, CurrentOutput>;
};

const at = (values: Record<string, unknown>, name: string): Json | undefined =>
  Object.hasOwn(values, name) ? (values[name] as Json) : undefined;

/** Reads Outputs beside the sealed state. The state is opened only for Outputs that are not stored in cleartext. */
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
    findShown: shown,
    findPublic,
    all: () => {
      const names = new Set([...Object.keys(inState()), ...Object.keys(row.publicOutputs)]);
      return new Map([...names].map((name) => [name, (find(name) ?? findPublic(name)) as CurrentOutput]));
    },
  };
}
