import { z } from 'zod';
import { defineApi } from '../kernel/endpoint.ts';
import { domainName, Timestamp } from '../kernel/scalars.ts';
import { OwnerRef } from './contract.ts';
import { OwnerRequest } from './requests.ts';

const base = '/internal/v1';
const workspacePath = z.strictObject({ workspaceId: z.string() });

/** Reports whether a text is a host name as a browser writes it in a URL: lower case, ASCII, without a port. */
const isCanonicalHostname = (text: string): boolean =>
  URL.canParse(`https://${text}`) && new URL(`https://${text}`).host === text;

export const Hostname = z.string().max(253).regex(domainName).refine(isCanonicalHostname);

/** Record that an owner of Interfaces controls a hostname. */
export const HostnameProof = z.strictObject({ hostname: z.string(), ownerRef: OwnerRef, createdAt: Timestamp });
export type HostnameProof = z.infer<typeof HostnameProof>;

export const hostnameProofsApi = defineApi({
  listHostnameProofs: {
    method: 'GET',
    base,
    path: '/workspaces/:workspaceId/hostname-proofs',
    summary: 'Hostnames that were proven to belong to owners of a Workspace (operator)',
    class: 'Op',
    params: workspacePath,
    replies: { 200: z.strictObject({ hostnameProofs: z.array(HostnameProof) }) },
  },
  createHostnameProof: {
    method: 'POST',
    base,
    path: '/workspaces/:workspaceId/hostname-proofs',
    summary: 'Record that a Capsule, a Resource or a Workspace controls a hostname (operator)',
    class: 'Op',
    params: workspacePath,
    body: z.strictObject({ hostname: Hostname, ownerRef: OwnerRequest }),
    replies: { 201: z.strictObject({ hostnameProof: HostnameProof }) },
    errors: ['not_found', 'forbidden', 'failed_precondition', 'already_exists'],
  },
  revokeHostnameProof: {
    method: 'DELETE',
    base,
    path: '/workspaces/:workspaceId/hostname-proofs/:hostname',
    summary: 'Withdraw the proof of a hostname (operator)',
    class: 'Op',
    whenArchived: true,
    params: workspacePath.extend({ hostname: z.string() }),
    replies: { 204: z.undefined() },
    errors: ['not_found'],
  },
});
