import type { InterfaceInput, Provenance } from '#shared/interfaces/contract';
import type { Random } from '../../e2e/fixtures/random.ts';

export type Outputs = Record<string, unknown>;
export type CapsuleModel = {
  id: string;
  status: 'active' | 'error' | 'destroyed';
  /** Values of the current state, and of every committed one by its id. */
  current: Outputs;
  states: Map<string, Outputs>;
  keys: string[];
};
export type ResourceModel = {
  id: string;
  isDeleted: boolean;
  /** Output of each generation, the newest last; null while the native object is missing. */
  generations: (Outputs | null)[];
};
/** One schedule of random steps, with the model of what it should have led to. */
export type Play = {
  random: Random;
  capsules: CapsuleModel[];
  resources: ResourceModel[];
  left: Set<string>;
  members: string[];
  log: string[];
};

export const liveResources = ({ resources }: Play) => resources.filter(({ isDeleted }) => !isDeleted);
export const outputOf = ({ isDeleted, generations }: ResourceModel): Outputs =>
  (!isDeleted && generations.at(-1)) || {};

/** Returns the value that an input selects from the values of the model; undefined when it selects nothing. */
export function expectedInput(input: { pointer?: string | undefined }, outputs: Outputs): unknown {
  const { url } = outputs;
  if (input.pointer !== '/web') return url;
  return typeof url === 'object' ? (url as { web: string }).web : undefined;
}

type Source = { current: Outputs; findHeld: (from: Provenance | undefined) => Outputs | null | undefined };

export function sourceOf(play: Play, input: Exclude<InterfaceInput, { source: 'literal' }>): Source {
  if (input.source === 'capsule_output') {
    const { current, states } = play.capsules.find(({ id }) => id === input.capsuleId) as CapsuleModel;
    return {
      current,
      findHeld: (from) => (from?.source === 'capsule_output' ? states.get(from.stateVersionId ?? '') : undefined),
    };
  }
  const resource = play.resources.find(({ id }) => id === input.resourceId) as ResourceModel;
  return {
    current: outputOf(resource),
    findHeld: (from) =>
      from?.source === 'resource_output' && from.resourceId === resource.id
        ? resource.generations[from.resourceGeneration - 1]
        : undefined,
  };
}

export function ownerOf({ capsules, resources }: Play, ownerId: string): 'live' | 'waiting' | 'ended' {
  const resource = resources.find(({ id }) => id === ownerId);
  if (resource) return resource.isDeleted ? 'ended' : 'live';
  const { status } = capsules.find(({ id }) => id === ownerId) as CapsuleModel;
  if (status === 'destroyed') return 'ended';
  return status === 'active' ? 'live' : 'waiting';
}
