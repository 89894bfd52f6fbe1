import { z } from 'zod';
import { asOperator, defineApi } from '../kernel/endpoint.ts';
import { pageQuery } from '../kernel/page.ts';
import { Installation, ReviewedConnection, ReviewedMember } from './contract.ts';

const installation = z.strictObject({ installation: Installation });
const nextCursor = z.string().optional();

export const installationApi = defineApi({
  getInstallation: {
    method: 'GET',
    path: '/installation',
    summary: 'Whether the installation was restored, what is off while it is paused, and what to review (local owner)',
    class: 'S',
    localOwner: true,
    replies: { 200: installation },
  },
  listReviewedMembers: {
    method: 'GET',
    path: '/installation/members',
    summary: 'Members of every Workspace, to review after a restore (local owner)',
    class: 'S',
    localOwner: true,
    query: pageQuery,
    replies: { 200: z.strictObject({ members: z.array(ReviewedMember), nextCursor }) },
  },
  listReviewedConnections: {
    method: 'GET',
    path: '/installation/connections',
    summary: 'Connections of every Workspace that are not revoked, to review after a restore (local owner)',
    class: 'S',
    localOwner: true,
    query: pageQuery,
    replies: { 200: z.strictObject({ connections: z.array(ReviewedConnection), nextCursor }) },
  },
  resumeInstallation: {
    method: 'POST',
    path: '/installation/resume',
    summary: 'End the pause of a restored installation (local owner)',
    class: 'S',
    localOwner: true,
    idempotency: 'none',
    replies: { 200: installation },
    errors: ['failed_precondition'],
  },
});

/** The same for the operator. */
export const installationOperatorApi = defineApi({
  getInstallationAsOperator: asOperator(installationApi.getInstallation),
  listReviewedMembersAsOperator: asOperator(installationApi.listReviewedMembers),
  listReviewedConnectionsAsOperator: asOperator(installationApi.listReviewedConnections),
  resumeInstallationAsOperator: asOperator(installationApi.resumeInstallation),
});
