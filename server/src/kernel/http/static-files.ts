import { readdirSync } from 'node:fs';
import path from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

/** Serves the files of a built page. Names below `/assets/` contain a digest of their content, so those files never change. */
export function installStaticFiles(app: FastifyInstance, folder: string): void {
  app.register(fastifyStatic, {
    root: folder,
    prefix: '/',
    wildcard: false,
    globIgnore: ['assets/**'],
    index: false,
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply, file) => {
      const isDigested = file.includes('/assets/');
      reply.header('cache-control', isDigested ? 'public, max-age=31536000, immutable' : 'no-cache');
    },
  });
  // One route for all, because to register one for each takes a fifth of the start.
  const assets = new Set(readdirSync(path.join(folder, 'assets')));
  app.get<{ Params: { name: string } }>('/assets/:name', (request, reply) => {
    const { name } = request.params;
    return assets.has(name) ? reply.sendFile(`assets/${name}`) : reply.callNotFound();
  });
}
