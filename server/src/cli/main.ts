#!/usr/bin/env node
import '../kernel/guard.ts';
import { run } from './commands.ts';

process.exitCode = await run(process.argv.slice(2));
