/**
 * Has mocha import the test files rather than require them. Commands and channels are imported when they are used, and
 * what is required and what is imported are modules apart: a file would run twice, and coverage count neither rightly.
 */
import { isMainThread } from 'node:worker_threads';
import 'tsx';
import { register } from 'tsx/esm/api';

// In a thread, tsx does nothing by itself.
if (!isMainThread) register();

Object.defineProperty(process.features, 'require_module', { value: false });

// Mocha sends its workers SIGTERM a second after the last test; to write what they counted may take longer.
if (process.env.NODE_V8_COVERAGE !== undefined) process.once('SIGTERM', () => undefined);

// Of the built program, which tests start, nothing is counted: it would only be slower, and merging it takes a while.
delete process.env.NODE_V8_COVERAGE;
