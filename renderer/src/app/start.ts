import { z } from 'zod';

/** The first import: schemas made after it parse without `new Function`, which the page's policy forbids. */
z.config({ jitless: true });
