import { json } from 'node:stream/consumers';
import Fastify from 'fastify';

// Serves the JSON value of its standard input at `/`, as a plain Fastify route does, and prints its address.
const body = await json(process.stdin);
const app = Fastify();
app.get('/', async () => body);
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
