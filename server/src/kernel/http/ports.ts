import type { Capability } from '#shared/kernel/endpoint';
import type { Role } from '#shared/permissions';
import type { AppError } from '../errors.ts';
import type { Bearer, Principal } from './caller.ts';
import type { Ingress } from './ingress.ts';
import type { Rates } from './rates.ts';

/** What the gate has to ask of the rooms; given by the composition. */
export type GatePorts = {
  ingress: Ingress;
  cookieName: string;
  /** Why nothing but health, discovery and unsealing is answered at the moment, or undefined. */
  findSealRefusal(): AppError | undefined;
  /** Why what an operator can switch off is not answered, or undefined. */
  findCapabilityRefusal(capability: Capability): AppError | undefined;
  /** Why writes are refused at the moment, or undefined. */
  findWriteRefusal(): AppError | undefined;
  rates: Rates;
  findSession(token: string): { subject: string; sessionId: string } | undefined;
  /** A bearer, looked up in every store of tokens together; one that two of them know is nobody's. */
  findBearer(token: string): Bearer | undefined;
  isOperator(token: string): boolean;
  /** The account that the first start made. */
  isLocalOwner(subject: string): boolean;
  /** Notes that a token was used. It never refuses a request. */
  noteUse(principal: Principal): void;
  /** Workspace of the record that a parameter names: undefined when there is no such record, null when it belongs to none. */
  workspaceOf: Readonly<Record<string, (id: string) => string | null | undefined>>;
  /** Records that nobody outside of their Workspace is told of, by the parameter that names them: what to say instead. */
  concealed: Readonly<Record<string, () => AppError>>;
  findRoles(workspaceId: string, subject: string): readonly Role[] | undefined;
  /** 409 `workspace_archived`. */
  requireLive(workspaceId: string): void;
};
