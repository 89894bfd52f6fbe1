/** IPC channel of the desktop's own page for saved servers. */
export const manageChannel = 'servers:manage';

/** Name of the port in that page. */
export const manageName = 'groundControlServers';
