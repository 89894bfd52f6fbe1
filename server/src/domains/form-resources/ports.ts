import type { FormPackagesService } from '#server/domains/form-packages/index';
import type { FormPackage } from '#shared/form-packages/package';

/** The forms that this host knows. */
export type FormPackagesPort = Pick<
  FormPackagesService,
  'findPackage' | 'listPackages' | 'findActivated' | 'validateSpec'
>;

type Publication = {
  workspaceId: string;
  resourceName: string;
  blueprints: NonNullable<FormPackage['interfaces']>;
};

/** Publication of the values of Resources through Interfaces, inside the transaction of the change. */
export type PublicationPort = {
  /** Throws for a publication that is ambiguous or not allowed, before anything is written. */
  checkPublication(input: Publication & { resourceId: string | undefined }): void;
  publish(input: Publication & { resourceId: string; principalId: string }): void;
  /** The Resource has another Output: what reads it is resolved again. */
  moved(resourceId: string): void;
  deleted(resource: { workspaceId: string; resourceId: string }, actor: { actorId: string }): void;
};
