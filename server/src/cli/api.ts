import { operatorApi, publicApi } from '#shared/api';
import { type Client, createClient, type Send } from '#shared/kernel/client';

/** Named, because the compiler writes out an inferred type of this size and reaches its limit. */
export type Api = Client<typeof publicApi> & Client<typeof operatorApi>;

/** Creates the API calls that commands make. */
export const connect = (send: Send): Api => ({ ...createClient(publicApi, send), ...createClient(operatorApi, send) });
