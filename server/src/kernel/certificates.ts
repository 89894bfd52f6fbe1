import fs from 'node:fs';
import { getCACertificates } from 'node:tls';

/**
 * Returns TLS options that trust the certificates of a PEM file in addition to the usual ones. Throws when the file
 * cannot be read.
 */
export const certificatesOf = (caFile: string | undefined): { ca?: string[] } =>
  caFile ? { ca: [...getCACertificates('default'), fs.readFileSync(caFile, 'utf8')] } : {};
