import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

/** Serves the files of a built page. Names below `/assets/` contain a digest of their content, so those files never change. */
export function installStaticFiles(app: FastifyInstance, folder: string): void {
  app.register(fastifyStatic, {
    root: folder,
    prefix: '/',
    wildcard: false,
    index: false,
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply, file) => {
      const isDigested = file.includes('/assets/');
      reply.header('cache-control', isDigested ? 'public, max-age=31536000, immutable' : 'no-cache');
    },
  });
}
