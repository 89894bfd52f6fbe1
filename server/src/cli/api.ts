import { operatorApi, publicApi } from '#shared/api';
import { createClient, type Send } from '#shared/kernel/client';

/** Creates the API calls that commands make. */
export const connect = (send: Send) => ({ ...createClient(publicApi, send), ...createClient(operatorApi, send) });
export type Api = ReturnType<typeof connect>;
