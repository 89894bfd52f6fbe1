import type { CapsulesService } from '#server/domains/capsules/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import { AppError, failedPrecondition, notFound } from '#server/kernel/errors';
import type { InterfaceSpec, OwnerRef, SubjectRef } from '#shared/interfaces/contract';
import type { FormResourceReader } from './form-resource-reader.ts';
import type { InputSources } from './store.ts';

export type ReferencePorts = {
  capsules: Pick<CapsulesService, 'findWorkspace' | 'getRow'>;
  workspaces: Pick<WorkspacesService, 'findWorkspaceId' | 'findRoles'>;
  formResources: FormResourceReader;
};
export type References = ReturnType<typeof createReferences>;

/** Checks the records that a request names: 404 for an unknown one, 403 for one of another Workspace. */
export function createReferences({ capsules, workspaces, formResources }: ReferencePorts) {
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

  function requireResource(id: string, workspaceId: string): void {
    const found = formResources.find(id);
    if (!found) throw notFound('Resource');
    if (found.workspaceId !== workspaceId)
      throw new AppError('forbidden', 'The Resource belongs to another Workspace. Name one of this Workspace.');
  }

  /** A subject that is unknown, foreign or of another kind is 404. Throws 409 `capsule_destroyed`. */
  function requireSubject({ kind, id }: SubjectRef, workspaceId: string): void {
    const isMember = kind === 'Principal' && workspaces.findRoles(workspaceId, id) !== undefined;
    const isCapsule = kind === 'Capsule' && capsules.findWorkspace(id) === workspaceId;
    const isResource = kind === 'Resource' && formResources.find(id)?.workspaceId === workspaceId;
    if (!isMember && !isCapsule && !isResource) throw notFound('subject in this Workspace');
    if (isCapsule) requireLiveCapsule(id, workspaceId);
  }

  return {
    /** Throws 404, 403, and 409 `capsule_destroyed`. */
    requireOwner({ kind, id }: OwnerRef, workspaceId: string): void {
      if (kind === 'Resource') requireResource(id, workspaceId);
      else if (kind === 'Capsule') requireLiveCapsule(id, workspaceId);
      else if (workspaces.findWorkspaceId(id) === undefined) throw notFound('Workspace');
      else if (id !== workspaceId)
        throw new AppError('forbidden', 'An Interface can only be owned by the Workspace that holds it.');
    },

    /** Requires the Capsules and Resources that inputs read. */
    requireInputs({ inputs = {} }: InterfaceSpec, workspaceId: string): void {
      for (const input of Object.values(inputs)) {
        if (input.source === 'capsule_output') requireCapsule(input.capsuleId, workspaceId);
        if (input.source === 'resource_output') requireResource(input.resourceId, workspaceId);
      }
    },

    requireSubject,
    /** Reports whether a subject exists and can be used in a Workspace. */
    hasSubject(subject: SubjectRef, workspaceId: string): boolean {
      try {
        requireSubject(subject, workspaceId);
        return true;
      } catch (error) {
        if (error instanceof AppError) return false;
        throw error;
      }
    },
  };
}

/** Lists the records whose Outputs a spec reads. */
export function sourcesOf({ inputs = {} }: InterfaceSpec): InputSources {
  const all = Object.values(inputs);
  const capsuleIds = all.flatMap((input) => (input.source === 'capsule_output' ? [input.capsuleId] : []));
  const resourceIds = all.flatMap((input) => (input.source === 'resource_output' ? [input.resourceId] : []));
  return { capsuleIds: [...new Set(capsuleIds)], resourceIds: [...new Set(resourceIds)] };
}
