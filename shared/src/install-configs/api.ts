import { z } from 'zod';
import { defineApi } from '../kernel/endpoint.ts';
import { id } from '../kernel/id.ts';
import { pageQuery } from '../kernel/page.ts';
import { InstallConfig } from './contract.ts';

export const installConfigsApi = defineApi({
  listInstallConfigs: {
    method: 'GET',
    path: '/capsule-configs',
    summary: 'Shared and Workspace InstallConfigs',
    class: 'R',
    descriptor: 50,
    workspaceIn: 'query',
    query: pageQuery.extend({ workspaceId: id('workspace'), view: z.enum(['all', 'store']).optional() }),
    replies: { 200: z.strictObject({ installConfigs: z.array(InstallConfig), nextCursor: z.string().optional() }) },
  },
  getInstallConfig: {
    method: 'GET',
    path: '/capsule-configs/:capsuleConfigId',
    summary: 'Read an InstallConfig; secret values are redacted',
    class: 'R',
    descriptor: 51,
    params: z.strictObject({ capsuleConfigId: z.string() }),
    replies: { 200: z.strictObject({ installConfig: InstallConfig }) },
  },
});
