/**
 * Has mocha import the test files rather than require them. Commands and channels are imported when they are used, and
 * what is required and what is imported are modules apart: a file would run twice, and coverage count neither rightly.
 */
import 'tsx';

Object.defineProperty(process.features, 'require_module', { value: false });
