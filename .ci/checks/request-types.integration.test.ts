import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { repositoryRoot } from '#server/kernel/entry';
import { apiTables } from '#shared/api';
import { type Endpoint, fullPath } from '#shared/kernel/endpoint';

type Part = 'query' | 'body';

/** Requests that no service takes apart, with the reason. */
const exceptions: Readonly<Record<string, string>> = {
  'query of GET /install': 'the parser of links reads the raw query',
  'body of PATCH /internal/v1/install-configs/:installConfigId': 'the rules of a patch take its members apart',
  'body of POST /internal/v1/install-configs': 'the edits of configurations take its members apart',
  'body of POST /internal/v1/capsules': 'the commit of a Capsule takes its members apart',
};

const requestsOf = ([name, endpoint]: [string, Endpoint], endpoints: Readonly<Record<string, Endpoint>>): string[] => {
  // The operator's copy of a route has the same schema, so it gets a member only together with that route.
  const original = name.endsWith('AsOperator') ? endpoints[name.slice(0, -'AsOperator'.length)] : undefined;
  const parts = (['query', 'body'] as const).filter(
    (part) => endpoint[part] !== undefined && endpoint[part] !== original?.[part],
  );
  return parts.map((part) => `${part} of ${endpoint.method} ${fullPath(endpoint)}`);
};
const entries = apiTables.flatMap((table) => Object.entries(table));
const requests = entries.flatMap((entry) => requestsOf(entry, Object.fromEntries(entries)));

/** Adds an optional member to each query and body, with the request in its name. */
function plant(endpointTypes: string): string {
  const member = (part: Part) =>
    ` & { [Name in \`planted ${part} of \${E['method']} \${BaseOf<E>}\${E['path']}\`]?: true }`;
  const planted = endpointTypes.replace(
    /^(export type (?:Query|Body)(?:Input)?Of<.*> = z\.(?:input|output)<E\['(query|body)'\]>);$/gm,
    (_, type: string, part: Part) => `${type}${member(part)};`,
  );
  return `${planted}\ntype BaseOf<E extends Endpoint> = E extends { readonly base: infer B extends string } ? B : '/api/v1';\n`;
}

const compilerOptions = {
  composite: false,
  noEmit: true,
  emitDeclarationOnly: false,
  declaration: false,
  noErrorTruncation: true,
  types: ['node'],
};

/** Compiles a copy of the server with the planted members. Returns the errors. */
async function compilePlanted(): Promise<string[]> {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'groundctl-types-')));
  try {
    const inRepository = (name: string) => path.join(repositoryRoot, name);
    fs.symlinkSync(inRepository('node_modules'), path.join(folder, 'node_modules'));
    for (const name of ['package.json', 'tsconfig.base.json', 'shared/src', 'server/src'])
      fs.cpSync(inRepository(name), path.join(folder, name), { recursive: true });
    const endpointFile = path.join(folder, 'shared/src/kernel/endpoint.ts');
    fs.writeFileSync(endpointFile, plant(fs.readFileSync(endpointFile, 'utf8')));
    const config = {
      extends: './tsconfig.base.json',
      compilerOptions,
      include: ['server/src/domains'],
      exclude: ['**/*.test.ts'],
    };
    fs.writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(config));
    const output = await new Promise<string>((resolve) => {
      const compiler = inRepository('node_modules/typescript/bin/tsc');
      execFile(process.execPath, [compiler, '-p', folder, '--pretty', 'false'], { maxBuffer: 2 ** 26 }, (_, stdout) =>
        resolve(stdout),
      );
    });
    return output.split(/^(?=\S+\(\d+,\d+\): error )/m);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

describe('a new member of a request', () => {
  let refused: ReadonlySet<string>;

  beforeAll(async () => {
    const unread = (await compilePlanted()).filter((error) => /Record<string, never>|Unread</.test(error));
    refused = new Set(
      unread.flatMap((error) =>
        [...error.matchAll(/planted ((?:query|body) of [A-Z]+ [^"'\s]+)/g)].map(([, request]) => request ?? ''),
      ),
    );
  }, 240_000);

  it.each(requests.filter((request) => !Object.hasOwn(exceptions, request)))(
    'does not compile until it is read: %s',
    (request) => {
      expect(refused).toContain(request);
    },
  );

  it('has no exception that is not needed', () => {
    expect(Object.keys(exceptions).filter((request) => !requests.includes(request) || refused.has(request))).toEqual(
      [],
    );
  });
});
