import type { CapsulesService } from '#server/domains/capsules/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import { AppError, failedPrecondition, notFound } from '#server/kernel/errors';
import type { InterfaceSpec, OwnerRef, SubjectRef } from '#shared/interfaces/contract';

export type ReferencePorts = {
  capsules: Pick<CapsulesService, 'findWorkspace' | 'getRow'>;
  workspaces: Pick<WorkspacesService, 'findWorkspaceId' | 'findRoles'>;
};
export type References = ReturnType<typeof createReferences>;

/** Checks the records that a request names: 404 for an unknown one, 403 for one of another Workspace. */
export function createReferences({ capsules, workspaces }: ReferencePorts) {
  function requireCapsule(id: string, workspaceId: string): void {
    const found = capsules.findWorkspace(id);
    if (found === undefined) throw notFound('Capsule');
    if (found !== workspaceId)
      throw new AppError('forbidden', 'The Capsule belongs to another Workspace. Name one of this Workspace.');
  }

  function requireLiveCapsule(id: string, workspaceId: string): void {
    requireCapsule(id, workspaceId);
    if (capsules.getRow(id).status === 'destroyed')
      throw failedPrecondition('capsule_destroyed', 'This Capsule is destroyed. Name another one.');
  }

  return {
    /** Throws 404, 403, and 409 `capsule_destroyed`. */
    requireOwner({ kind, id }: OwnerRef, workspaceId: string): void {
      if (kind === 'Resource') throw notFound('Resource');
      if (kind === 'Capsule') requireLiveCapsule(id, workspaceId);
      else if (workspaces.findWorkspaceId(id) === undefined) throw notFound('Workspace');
      else if (id !== workspaceId)
        throw new AppError('forbidden', 'An Interface can only be owned by the Workspace that holds it.');
    },

    /** Requires the Capsules and Resources that inputs read. */
    requireInputs({ inputs = {} }: InterfaceSpec, workspaceId: string): void {
      for (const input of Object.values(inputs)) {
        if (input.source === 'capsule_output') requireCapsule(input.capsuleId, workspaceId);
        if (input.source === 'resource_output') throw notFound('Resource');
      }
    },

    /** A subject that is unknown, foreign or of another kind is 404. Throws 409 `capsule_destroyed`. */
    requireSubject({ kind, id }: SubjectRef, workspaceId: string): void {
      const isMember = kind === 'Principal' && workspaces.findRoles(workspaceId, id) !== undefined;
      const isOwn = kind === 'Capsule' && capsules.findWorkspace(id) === workspaceId;
      if (!isMember && !isOwn) throw notFound('subject in this Workspace');
      if (isOwn) requireLiveCapsule(id, workspaceId);
    },
  };
}

/** Lists the Capsules whose Outputs a spec reads, without repeats. */
export const sourcesOf = ({ inputs = {} }: InterfaceSpec): string[] => [
  ...new Set(Object.values(inputs).flatMap((input) => (input.source === 'capsule_output' ? [input.capsuleId] : []))),
];
