import type { Capability } from '#shared/kernel/endpoint';
import type { Role } from '#shared/permissions';
import type { AppError } from '../errors.ts';
import type { Bearer, Principal } from './caller.ts';
import type { Ingress } from './ingress.ts';
import type { Rates } from './rates.ts';

/** Functions of the domains that the gate calls; the composition root provides them. */
export type GatePorts = {
  ingress: Ingress;
  cookieName: string;
  /** Returns the error while only health, discovery and unsealing are answered, or undefined. */
  findSealRefusal(): AppError | undefined;
  /** Returns the error for a capability that the operator disabled, or undefined. */
  findCapabilityRefusal(capability: Capability): AppError | undefined;
  /** Returns the error while writes are refused, or undefined. */
  findWriteRefusal(): AppError | undefined;
  rates: Rates;
  findSession(token: string): { subject: string; sessionId: string } | undefined;
  /** Looks a bearer up in every store of tokens. One found in two stores is invalid. */
  findBearer(token: string): Bearer | undefined;
  isOperator(token: string): boolean;
  /** Reports whether this account was created by the first start. */
  isLocalOwner(subject: string): boolean;
  /** Records that a token was used. Never refuses a request. */
  noteUse(principal: Principal): void;
  /** Workspace lookup by parameter name: undefined when the record does not exist, null when it belongs to no Workspace. */
  workspaceOf: Readonly<Record<string, (id: string) => string | null | undefined>>;
  /** Records whose existence is hidden outside their Workspace, by parameter name, with the error to return instead. */
  concealed: Readonly<Record<string, () => AppError>>;
  findRoles(workspaceId: string, subject: string): readonly Role[] | undefined;
  /** Throws 409 `workspace_archived`. */
  requireLive(workspaceId: string): void;
};
