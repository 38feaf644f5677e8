import fc from 'fast-check';
import { SEED } from './test-size.ts';

fc.configureGlobal({ seed: SEED });
