import { type InstallLink, writeInstallLink } from '#shared/sources/install-link';
import { parseSearch } from '../../api/address-search.ts';

const linkFields = ['kind', 'git', 'ref', 'sourcePath', 'path', 'name', 'product', 'return_uri'] as const;
/** Query of the page of a new installation: an address, or the fields of an install link. */
export type NewSearch = { url?: string } & { [name in (typeof linkFields)[number]]?: string };

export const searchOf = (link: InstallLink): NewSearch => parseSearch(writeInstallLink(link)) as NewSearch;
