/*
 * Writes `release.json`, the signed record of a release, beside its packages:
 *
 *   GROUNDCTL_RELEASE_KEY="$(cat key.pem)" node .ci/release/write-record.ts FOLDER NOTES-URL
 *
 * The key is an Ed25519 private key in PKCS #8 (PEM).
 */
import { createPrivateKey, hash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { recordName, signRecord } from '#server/drivers/releases/index';
import { knownMigrations } from '#server/kernel/db';
import { productVersion } from '#server/kernel/entry';

const packages = /[.](?:AppImage|deb|rpm|dmg|zip|exe|tgz)$/;

const [folder = '', notesUrl = ''] = process.argv.slice(2);
const key = process.env['GROUNDCTL_RELEASE_KEY'];
if (folder === '' || notesUrl === '' || !key) {
  process.stderr.write('Usage: GROUNDCTL_RELEASE_KEY=PEM node .ci/release/write-record.ts FOLDER NOTES-URL\n');
  process.exit(2);
}
const files = readdirSync(folder)
  .filter((name) => packages.test(name))
  .sort()
  .map((name) => {
    const file = path.join(folder, name);
    return { name, sizeBytes: statSync(file).size, sha512: hash('sha512', readFileSync(file), 'base64') };
  });
const record = {
  format: 1 as const,
  version: productVersion(),
  ledger: knownMigrations(),
  publishedAt: new Date().toISOString(),
  notesUrl,
  files,
};
writeFileSync(
  path.join(folder, recordName),
  `${JSON.stringify(signRecord(record, createPrivateKey(key)), undefined, 2)}\n`,
);
process.stdout.write(`${recordName}: ${record.version}, ledger ${record.ledger}, ${files.length} files\n`);
