import { playAll } from './fixtures/hostile/suite.ts';

playAll('root');
