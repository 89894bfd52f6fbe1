import { z } from 'zod';

/**
 * Must be the first import: schemas created after it parse without `new Function`, which the content security policy
 * forbids.
 */
z.config({ jitless: true });
