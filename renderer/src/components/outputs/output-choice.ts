import type { DependencyInput, DependencyMode } from '#shared/dependencies/contract';
import type { Json } from '#shared/kernel/json';
import type { OutputType } from '#shared/state-versions/contract';
import type { VariableType } from '#shared/variables/type-expression';
import { checkValue } from '#shared/variables/value';
import type { Offered } from './producers.ts';

/** A Capsule, the mode and the Output; incomplete while they are chosen. */
export type OutputChoice = { producerId: string; mode: DependencyMode; from: string };

/** Output name for a whole state. It has no meaning, but the record requires one. */
export const stateName = 'state';

export const isComplete = ({ producerId, mode, from }: OutputChoice): boolean =>
  producerId !== '' && (mode === 'remote_state' || from !== '');

const samples: Readonly<Partial<Record<OutputType, Json>>> = {
  string: 'text',
  url: 'https://example.com',
  hostname: 'example.com',
  number: 1,
  boolean: true,
};

/** Reports whether an Output fits a variable. Undefined when neither its value nor its type is known. */
export function isFit(offered: Offered, type: VariableType, nullable: boolean): boolean | undefined {
  const sample = offered.value !== undefined ? offered.value : offered.type && samples[offered.type];
  return sample === undefined ? undefined : checkValue(type, sample, { nullable }).ok;
}

/** Returns one Dependency for each Capsule and mode. */
export function dependenciesOf(choices: Readonly<Record<string, OutputChoice>>): DependencyInput[] {
  const all = new Map<string, DependencyInput>();
  for (const [name, { producerId, mode, from }] of Object.entries(choices)) {
    const key = `${producerId} ${mode}`;
    const mapped = { [name]: { from: mode === 'remote_state' ? stateName : from, to: name, required: true } };
    all.set(key, { producerCapsuleId: producerId, mode, outputs: { ...all.get(key)?.outputs, ...mapped } });
  }
  return [...all.values()];
}
