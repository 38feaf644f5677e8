/** Arbitrary text made of what has broken display code before. */
import * as fc from 'fast-check';

const SCOTLAND = '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}';

/** One code point each. */
const SPACES_AND_CONTROLS = '\r\n\t \0\u0007\u0085\u2028\u3000\u00a0\v\u001b\u009b\u009d\u009c';
const INVISIBLE = '\ufffe\ufeff\u200b\u200c\u200d\u200e\u2060\u00ad\ufe0f\u061c\u202e\u2069\u180e\u3164';
const TAGS_AND_MARKS =
  '\u{e0067}\u{e007f}\u{e0100}\u20e3\u0600\u0301\u0323\u0345\u064b\u093c\u3099\u09be\u09c7';
const LETTERS = 'αǘᾂeかاक각가1az日';
const EMOJI_PARTS = '👩🏽🚀🏴❤🇯🇵';
const MARKUP = '&<>"\'|;`*_~:@-+';

const WORDS = ['&amp;', '&lt;', 'amp;', '<!here>', '<@U012AB3CD>', '<https://e.example|x>', '```', ':smile:'];
const MENTIONS = ['@here', '@channel', '@everyone', 'here'];

const BROKEN = ['\u001b[31m', '\u001b]8;;', '\u001b\\', '\u001b(', '\ud83d', '\ude00', '\r\n', 'क्', SCOTLAND];

const pieces = [
  ...Array.from(SPACES_AND_CONTROLS + INVISIBLE + TAGS_AND_MARKS + LETTERS + EMOJI_PARTS + MARKUP),
  ...WORDS,
  ...MENTIONS,
  ...BROKEN,
];

export function hostileText(maxLength = 40): fc.Arbitrary<string> {
  const piece = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...pieces) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
  );
  return fc.array(piece, { maxLength }).map((chosen) => chosen.join(''));
}
