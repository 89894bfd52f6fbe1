import { z } from 'zod';
import { defineApi } from '../kernel/endpoint.ts';

/** A field of a link. The parser of links checks it with its own reasons, so nothing is refused before. */
const field = (description: string) => z.unknown().optional().meta({ type: 'string', description });

export const installLinkApi = defineApi({
  openInstallLink: {
    method: 'GET',
    base: '',
    path: '/install',
    summary: 'Open an install link: on to its review, or a refusal as a page (`Accept: application/json`: as JSON)',
    class: 'X',
    refusesAsPage: true,
    whileSealed: true,
    query: z.object({
      git: field('HTTPS Git URL'),
      source: field('Packed module address, `git::https://host/repository//module?ref=name`'),
      ref: field('Branch, tag or full commit id'),
      sourcePath: field('Subtree that is fetched and scanned; `.` without it'),
      path: field('Module inside of the subtree'),
      name: field('Name of the service, up to 80 characters'),
      product: field('Key of the client; together with `return_uri`'),
      return_uri: field('Address at which the client is notified of the installation; together with `product`'),
      kind: field('`capsule-source-options` for a link to a document that offers several sources'),
    }),
    replies: { 302: z.undefined() },
    errors: ['install_link_invalid'],
  },
});
