import { createWorkerQueue, type WorkerFailure } from '#server/kernel/worker-queue';
import { writeJson } from '#shared/kernel/exact-number';
import type { Json } from '#shared/kernel/json';
import { formSchemaLimits } from '#shared/limits';
import type { SchemaAnswer, SchemaRequest, ValueResult } from './evaluate.ts';
import type { SchemaProblem } from './rules.ts';

/** Schemas of JSON Schema 2020-12, evaluated in a worker thread with a time limit for each request. */
export type JsonSchemas = {
  /** Returns every fault of a schema; none when it can be used. */
  check(schema: Json): Promise<SchemaProblem[] | WorkerFailure>;
  /** Checks a value by a schema without faults. `digest` is that of the schema. */
  validate(schema: { digest: string; schema: Json }, value: Json): Promise<ValueResult | WorkerFailure>;
  close(): Promise<void>;
};

const heapMegabytes = 256;

/** Starts no worker until the first request. */
export function createJsonSchemas(): JsonSchemas {
  const queue = createWorkerQueue<SchemaRequest, SchemaAnswer>({
    entry: 'json-schema-worker',
    what: 'The check of a schema',
    heapMegabytes,
    timeoutMs: formSchemaLimits.workerMs,
  });
  return {
    async check(schema) {
      const answer = await queue.send({ kind: 'check', schema: writeJson(schema) });
      return 'problems' in answer ? answer.problems : (answer as WorkerFailure);
    },
    async validate({ digest, schema }, value) {
      const request = { kind: 'validate', digest, schema: writeJson(schema), value: writeJson(value) } as const;
      return (await queue.send(request)) as ValueResult | WorkerFailure;
    },
    close: queue.close,
  };
}
