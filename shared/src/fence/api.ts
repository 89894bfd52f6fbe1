import { z } from 'zod';
import { defineApi } from '../kernel/endpoint.ts';
import { Fence } from './contract.ts';

const fence = z.strictObject({ fence: Fence });

export const fenceApi = defineApi({
  getFence: {
    method: 'GET',
    base: '/internal/v1',
    path: '/fence',
    summary: 'Which server may write, as the fence in the bucket says (operator)',
    class: 'Op',
    whileSealed: true,
    replies: { 200: fence },
  },
  takeFence: {
    method: 'POST',
    base: '/internal/v1',
    path: '/fence/take',
    summary: 'Name this server in the fence, so that the server before it may not write (operator)',
    class: 'Op',
    idempotency: 'none',
    whileReadOnly: true,
    replies: { 200: fence },
    errors: ['conflict', 'feature_unavailable', 'capability_not_available'],
  },
});
